package import Foundation
package import TimerScheduling
package import TimerSchedulingTesting

/// A clock, and a scheduler that runs by it.
package struct VirtualTime: Sendable {
  package let clock: VirtualClock
  package let scheduler: TimerScheduler
  /// The date at which the clock began.
  package let start: Date

  /// The clock waits for each consumer, a minute for one that hangs.
  package init(configuration: TimerScheduler.Configuration = .init()) {
    clock = VirtualClock(
      date: Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: .seconds(60))
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
    start = clock.date
  }

  /// The clock waits for no consumer.
  package static func manual(from seconds: TimeInterval = 0) -> VirtualTime {
    VirtualTime(manual: .manual(date: Date(timeIntervalSinceReferenceDate: seconds)))
  }

  private init(manual clock: VirtualClock) {
    self.clock = clock
    scheduler = clock.makeScheduler()
    start = clock.date
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

  package func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
  }
}
