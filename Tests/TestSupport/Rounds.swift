import Foundation

/// The size of the tests that repeat something, search or draw at random, in percent of their full size.
///
/// By day, when nothing is set, such a test has a twentieth of its rounds, so that all tests take two
/// minutes. `.ci/nightly` sets `TIMER_ROUNDS=100`.
private let share = ProcessInfo.processInfo.environment["TIMER_ROUNDS"].flatMap { Int($0) } ?? 5

/// Returns the number of rounds of a test that repeats something often, such as a race of threads: the share
/// of `full` that `TIMER_ROUNDS` gives in percent, and at least `least`.
package func rounds(_ full: Int, least: Int = 1) -> Int { max(least, full * share / 100) }

/// Returns the size of a test whose size isn't a number of rounds, such as the length of a search's
/// sequences.
package func size<Size>(_ size: Size, full: Size) -> Size { share < 100 ? size : full }
