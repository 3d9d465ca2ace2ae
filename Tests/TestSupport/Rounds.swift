import Foundation

/// Returns the number of rounds of a test that repeats something often, such as a race of threads or a comparison
/// with a model: `count`, or the share of it that the environment variable `TIMER_ROUNDS` gives in percent.
///
/// `.ci/run` does a fifth of the rounds, and a tenth under the thread sanitizer, where they are slow. `.ci/nightly` does
/// all of them, except that the thread sanitizer gets a fifth.
package func rounds(_ count: Int) -> Int {
  let share = ProcessInfo.processInfo.environment["TIMER_ROUNDS"].flatMap { Int($0) } ?? 100
  return max(1, count * share / 100)
}
