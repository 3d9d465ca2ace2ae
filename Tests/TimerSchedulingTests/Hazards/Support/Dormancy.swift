import Foundation
import Testing
import TimerScheduling

/// Each way to have a scheduler that wakes no task.
enum Dormancy: CaseIterable {
  case noTimer, timerNotListenedTo, streamNotIterated, neverDue
  case paused, pausedAndResumed, cancelled, onWallClock

  func make(on scheduler: TimerScheduler) async {
    switch self {
    case .noTimer: break
    case .timerNotListenedTo: _ = scheduler.timer(on: .every(3600))
    case .streamNotIterated: _ = scheduler.ticks(every: 3600)
    case .neverDue: await hold(scheduler.timer(on: .every(1e30)), on: scheduler)
    case .paused:
      let timer = scheduler.timer(on: .every(3600))
      timer.pause()
      await hold(timer, on: scheduler)
    case .pausedAndResumed:
      let timer = scheduler.timer(on: .every(3600))
      timer.pause()
      await hold(timer, on: scheduler)
      timer.resume()
    case .cancelled: scheduler.timer(on: .every(3600), name: "named").cancel()
    case .onWallClock: await hold(scheduler.timer(on: .at(.distantFuture)), on: scheduler)
    }
  }

  /// Holds a timer until its scheduler has looked at it.
  private func hold(_ timer: ScheduledTimer, on scheduler: TimerScheduler) async {
    #expect(await scheduler.timerCount == 1)
    withExtendedLifetime(timer) {}
  }
}
