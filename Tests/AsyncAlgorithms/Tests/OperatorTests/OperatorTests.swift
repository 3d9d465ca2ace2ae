import AsyncAlgorithms
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The operators of swift-async-algorithms that make tasks of their own, on a clock that a test moves.
///
/// Every test runs a hundred times. What it gets is exact, and the clock never goes on without waiting.
///
/// Guarantees: G131
@Suite(.serialized, .timeLimit(.minutes(30))) struct OperatorTests {
  static let rounds = 0..<100

  @Test(arguments: rounds) func `zip of two sequences`(round: Int) async {
    await Trial().expect(["1 1 at 3", "2 2 at 6", "3 3 at 9", "4 4 at 12"]) { trial in
      zip(trial.source(at: 2, 4, 6, 8), trial.source(at: 3, 6, 9, 12)).map { "\($0) \($1)" }
    }
  }

  @Test(arguments: rounds) func `merge of two sequences`(round: Int) async {
    await Trial().expect(["1 at 2", "1 at 3", "2 at 4", "2 at 5", "3 at 6", "3 at 7"]) { trial in
      merge(trial.source(at: 2, 4, 6), trial.source(at: 3, 5, 7)).map { "\($0)" }
    }
  }

  @Test(arguments: rounds) func `combineLatest of two sequences`(round: Int) async {
    await Trial().expect(["1 1 at 3", "2 1 at 4", "2 2 at 5", "3 2 at 6", "3 3 at 7"]) { trial in
      combineLatest(trial.source(at: 2, 4, 6), trial.source(at: 3, 5, 7)).map { "\($0) \($1)" }
    }
  }

  @Test(arguments: rounds) func `merge of two timers' ticks`(round: Int) async {
    await Trial().expect(["tick at 2", "tick at 3", "tick at 4", "tick at 9"]) { trial in
      merge(
        trial.scheduler.timer(on: .every(2).limit(2)).firings,
        trial.scheduler.timer(on: .every(.seconds(6), starting: .after(.seconds(3))).limit(2)).firings
      ).map { _ in "tick" }
    }
  }

  @Test(arguments: rounds, Time.allCases) func `debounce with a clock`(round: Int, time: Time) async {
    func debounce(_ trial: Trial, _ clock: some Clock<Duration>) async {
      await trial.expect(["3 at 5", "4 at 12", "6 at 27"], until: 60) { trial in
        trial.source(at: 1, 2, 3, 10, 24, 25, 50).debounce(for: .seconds(2), clock: clock).map { "\($0)" }
      }
    }
    let trial = Trial()
    await debounce(trial, trial.clock(time))
  }

  @Test(arguments: rounds, Time.allCases) func `chunked by a clock`(round: Int, time: Time) async {
    func chunk(_ trial: Trial, _ clock: some Clock<Duration>) async {
      await trial.expect(["1 2 at 5", "3 at 10", "4 5 at 25"]) { trial in
        trial.source(at: 1, 2, 7, 21, 22, 29).chunked(by: .repeating(every: .seconds(5), clock: clock))
          .map { $0.map { "\($0)" }.joined(separator: " ") }
      }
    }
    let trial = Trial()
    await chunk(trial, trial.clock(time))
  }

  @Test(arguments: rounds, Time.allCases) func `throttle with a clock`(round: Int, time: Time) async {
    func throttle(_ trial: Trial, _ clock: some Clock<Duration>) async {
      await trial.expect(["1 at 1", "4 at 4", "7 at 7", "8 at 20"]) { trial in
        trial.source(at: 1, 2, 3, 4, 5, 6, 7, 20)._throttle(for: .seconds(3), clock: clock).map { "\($0)" }
      }
    }
    let trial = Trial()
    await throttle(trial, trial.clock(time))
  }
}
