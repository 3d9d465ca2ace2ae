package import Foundation
import Testing
package import TimerScheduling
package import TimerSchedulingTesting

extension TimerScheduler.Configuration {
  /// The default configuration, without lines on standard error about actions that throw on purpose.
  package static var silent: TimerScheduler.Configuration {
    var configuration = TimerScheduler.Configuration()
    configuration.printsFailures = false
    return configuration
  }
}

extension VirtualClock {
  /// A clock that waits for no consumer.
  ///
  /// A test that needs a consumer to have taken its tick awaits the consumer's next step. So it also tests
  /// slow consumers, and a scheduler whose clock doesn't help.
  package static func manual(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), stepPerReading: Duration = .zero
  ) -> VirtualClock {
    VirtualClock(date: date, settlingTimeout: .zero, stepPerReading: stepPerReading) { _ in }
  }

  /// A clock with the default timeout. When it goes on without a consumer of ticks, the journal gets the
  /// line. When it goes on without an action or an added task, the test fails, as with other clocks.
  package static func reporting(to lines: Journal<String>) -> VirtualClock {
    VirtualClock(settlingTimeout: .seconds(1), report: lines.note) { Issue.record(Comment(rawValue: $0)) }
  }

  /// Keeps the clock until the process ends. Its schedulers don't, and shut down when it is dropped.
  package func kept() -> VirtualClock {
    keptClocks.note(self)
    return self
  }

  package func makeScheduler(tolerance: Duration = .zero, jitterSeed: UInt64 = 1) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration.silent
    configuration.tolerance = tolerance
    return TimerScheduler(clock: self, configuration: configuration, jitterSeed: jitterSeed)
  }

  /// Sets the wall clock, and delivers the wakeups that this brings.
  package func setWallClock(by duration: Duration) async {
    await setWallClock(to: date + TimeInterval(duration))
  }
}

private let keptClocks = Journal<VirtualClock>()

extension TimeInterval {
  fileprivate init(_ duration: Duration) {
    self = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
