import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes timers that are due in one minute to one hour: the same ones in every run.
struct TimerMaker {
  private let scheduler: TimerScheduler
  private var state: UInt64 = 0

  init(of scheduler: TimerScheduler) {
    self.scheduler = scheduler
  }

  func countdown() -> Countdown { scheduler.countdown(from: .seconds(3600)) }
  mutating func timer() -> ScheduledTimer { scheduler.schedule(schedule()) { _ in } }
  mutating func stream() -> AsyncStream<Date> { scheduler.ticks(on: schedule()) }

  mutating func schedule() -> TimerSchedule {
    .after(.seconds(60) + .milliseconds(random() % 3_540_000))
  }

  /// SplitMix64.
  private mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
