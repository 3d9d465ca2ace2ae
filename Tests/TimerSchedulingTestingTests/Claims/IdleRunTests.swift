import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Limits of a clock, which it doesn't pass without a word.
@Suite(.limited, .guarantee("G212")) struct IdleRunTests {
  // MARK: K24

  @Test func `A run until idle that ends at its limit fails the test, unless the caller has given the limit`()
    async
  {
    let (failures, fired) = (Journal<String>(), Counter())
    let clock = VirtualClock(onFailure: failures.note)
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(after: 2 * 86_400, name: "rare") { _ in fired.add() }
    #expect(await clock.runUntilIdle(limit: .seconds(3_600)) == false)
    #expect(failures.entries.isEmpty)
    #expect(await clock.runUntilIdle() == false)
    #expect(fired.value == 0)
    #expect(failures.entries.count == 1)
    #expect(failures.entries.first?.contains("\"rare\"") == true)
  }

  // MARK: K26

  @Test(arguments: [false, true]) func `A clock refuses a date that it can't show`(isPast: Bool) async {
    await #expect(processExitsWith: .failure) { [isPast] in
      _ = VirtualClock(date: isPast ? .distantPast : .distantFuture)
    }
  }
}
