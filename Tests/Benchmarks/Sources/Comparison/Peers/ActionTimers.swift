import TimerScheduling

/// This package's timers with an action.
struct ActionTimers: OneShotPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
  }

  func schedule(after delay: Delay) -> ScheduledTimer {
    scheduler.schedule(.after(delay.duration)) { [fired] _ in fired.note() }
  }

  func restart(_ timer: inout ScheduledTimer, after delay: Delay) {
    timer.reschedule(.after(delay.duration))
  }

  func cancel(_ timer: consuming ScheduledTimer) {
    timer.cancel()
  }
}
