package import Foundation
package import TimerScheduling
package import TimerSchedulingTesting

/// A clock, and a scheduler that runs by it.
package struct VirtualTime: Sendable {
  package let clock: VirtualClock
  package let scheduler: TimerScheduler
  /// The date at which the clock began.
  package let start: Date
  /// The messages of a clock that ``reporting(settlingTimeout:)`` has made. Empty for others.
  package let lines: Journal<String>

  private init(_ clock: VirtualClock, _ scheduler: TimerScheduler, _ lines: Journal<String> = Journal()) {
    self.clock = clock
    self.scheduler = scheduler
    self.lines = lines
    start = clock.date
  }

  /// The clock waits for each consumer, a minute for one that hangs.
  package init(from seconds: TimeInterval = 0) {
    let clock = VirtualClock(
      date: Date(timeIntervalSinceReferenceDate: seconds), settlingTimeout: .seconds(60))
    self.init(clock, TimerScheduler(clock: clock, configuration: .silent))
  }

  /// The clock waits for no consumer.
  package static func manual(from seconds: TimeInterval = 0) -> VirtualTime {
    let clock = VirtualClock.manual(date: Date(timeIntervalSinceReferenceDate: seconds))
    return VirtualTime(clock, clock.makeScheduler())
  }

  /// The clock waits for each consumer. When it goes on without one, the test gets the line and doesn't fail.
  package static func reporting(settlingTimeout: Duration = .seconds(60)) -> VirtualTime {
    let lines = Journal<String>()
    let clock = VirtualClock(settlingTimeout: settlingTimeout, report: lines.note)
    return VirtualTime(clock, TimerScheduler(clock: clock, configuration: .silent), lines)
  }
}

/// A suite whose tests run by a clock and a scheduler of their own.
///
///     @Suite struct PauseTests: VirtualTimeSuite {
///       let time = VirtualTime.manual()
package protocol VirtualTimeSuite {
  var time: VirtualTime { get }
}

extension VirtualTimeSuite {
  package var clock: VirtualClock { time.clock }
  package var scheduler: TimerScheduler { time.scheduler }
  package var start: Date { time.start }
  package var lines: Journal<String> { time.lines }

  package func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
  }
}
