import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// Timers on intervals beside those that follow a wall clock that is set.
extension SetClockTests {
  enum Hourly: CaseIterable {
    case rule, aligned

    func schedule() throws -> TimerSchedule {
      switch self {
      case .rule: return .rule(try CronRule("0 * * * *", timeZone: .gmt))
      case .aligned: return .every(3600, starting: .aligned)
      }
    }
  }

  /// A clock that is set back some seconds before an hour, the reference date.
  struct SetBack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The seconds from the reference date at the start.
    let start: Double
    /// The seconds until the clock is set.
    let wait: Int
    /// The seconds by which it is set back.
    let step: Double

    static let all = [
      SetBack(testDescription: "5 h", start: 5 * 3600 - 10, wait: 5, step: 5 * 3600),
      SetBack(testDescription: "20 s across the hour", start: 5, wait: 5, step: 20),
      SetBack(testDescription: "20 s right after a tick", start: -5, wait: 10, step: 20),
    ]
  }

  // FAULTS F1: the passes of the timer beside it look at the clock each second.
  @Test(.guarantee("G18"), arguments: Hourly.allCases, SetBack.all)
  func `Beside a timer of a second each hour comes once, and the timer keeps its ticks`(
    hourly: Hourly, setBack: SetBack
  ) async throws {
    let time = VirtualTime(from: setBack.start)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let hours = Journal<TimerTick>()
    let ticks = Journal<TimerTick>()
    let moments = Journal<Duration>()
    let timer = scheduler.schedule(try hourly.schedule()) { hours.note($0) }
    let fast = scheduler.schedule(.every(.seconds(1))) { tick in
      ticks.note(tick)
      moments.note(clock.now.offset)
    }
    await clock.advance(by: .seconds(setBack.wait))
    await clock.setWallClock(to: clock.date - setBack.step)
    await clock.advance(by: .seconds(30))
    fast.cancel()
    let count = setBack.wait + 30
    #expect(moments.entries == (1...count).map { Duration.seconds($0) })
    #expect(ticks.entries.map(\.index) == Array(0..<count))
    #expect(ticks.entries.allSatisfy { $0.missedCount == 0 && $0.lateness == .zero })
    // The next hour comes without a pass of another timer.
    await clock.advance(by: .seconds(3600))
    #expect(hours.entries.map { $0.scheduledDate.timeIntervalSinceReferenceDate } == [0, 3600])
    #expect(hours.entries.allSatisfy { $0.missedCount == 0 })
    timer.cancel()
  }

  /// One of the many timers that follow the clock.
  enum Dated: CaseIterable {
    case date, aligned, rule

    /// Returns the schedule of a timer, whose next date is on the day after midnight of the reference date.
    func schedule(_ number: Int) -> TimerSchedule {
      switch self {
      case .date: .at(Date(timeIntervalSinceReferenceDate: 36_000 + Double(number)))
      case .aligned: .every(86_400, starting: .aligned(offset: .seconds(36_000 + number)))
      case .rule: .rule(EverySeconds(86_400))
      }
    }
  }

  // FAULTS F13
  @Test(.guarantee("G18"), arguments: Dated.allCases)
  func `A timer of ten milliseconds keeps its ticks while two thousand timers follow a clock that is set`(
    dated: Dated
  ) async {
    let time = VirtualTime(from: 3600)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let count = 2_000
    let timers = (0..<count).map { scheduler.timer(on: dated.schedule($0)) }
    let dates = timers.map(\.nextDate)
    #expect(dates.allSatisfy { $0 != nil })
    let ticks = Journal<TimerTick>()
    let moments = Journal<Duration>()
    let fast = scheduler.schedule(.every(.milliseconds(10))) { tick in
      ticks.note(tick)
      moments.note(clock.now.offset)
    }
    // A single date stays. The others come a day earlier, and no later step passes one.
    let shift = dated == .date ? 0.0 : -86_400
    let shifted = dates.map { $0?.addingTimeInterval(shift) }
    for step in [-86_400.0, 600, -1] {
      await clock.advance(by: .milliseconds(100))
      let before = await scheduler.driver.passCount
      await clock.setWallClock(to: clock.date + step)
      // A pass has at most 256 timers follow. The tasks that ask the rules may request others.
      let passes = await scheduler.driver.passCount - before
      #expect((count / 256...count / 128).contains(passes), "\(passes) passes")
      #expect(timers.map(\.nextDate) == shifted)
    }
    await clock.advance(by: .milliseconds(100))
    fast.cancel()
    #expect(moments.entries == (1...40).map { Duration.milliseconds(10 * $0) })
    #expect(ticks.entries.map(\.index) == Array(0..<40))
    #expect(ticks.entries.allSatisfy { $0.missedCount == 0 && $0.lateness == .zero })
  }

  // FAULTS F13
  @Test(.guarantee("G18"), arguments: Dated.allCases)
  func `A tick that is due comes before the second of the passes in which timers follow a clock that is set`(
    dated: Dated
  ) async {
    let time = VirtualTime(from: 3600)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let timers = (0..<2_000).map { scheduler.timer(on: dated.schedule($0)) }
    let passes = Journal<Int>()
    let fast = scheduler.schedule(.every(.milliseconds(10))) { _ in
      passes.note(await scheduler.driver.passCount)
    }
    await clock.advance(by: .zero)
    let before = await scheduler.driver.passCount
    // No wakeup comes, so the tick is due when the clock is set.
    clock.letPass(.milliseconds(10))
    await clock.setWallClock(to: clock.date - 1800)
    #expect(passes.entries == [before + 1])
    #expect(await scheduler.driver.passCount - before >= 7)
    fast.cancel()
    withExtendedLifetime(timers) {}
  }
}
