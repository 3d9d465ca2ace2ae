import TimerScheduling

/// This package's timers with an action.
struct ActionTimers: OneShotPeer, RepeatingPeer {
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

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let timer = scheduler.schedule(TimerSchedule(rhythm)) { tick in track.note(missed: tick.missedCount) }
    return { timer.cancel() }
  }
}

extension OneShotPeer where Handle == ScheduledTimer {
  func cancel(_ timer: consuming ScheduledTimer) { timer.cancel() }
}

extension TimerSchedule {
  init(_ rhythm: Rhythm) {
    self = .every(rhythm.interval.duration, starting: .after(rhythm.delay.duration))
      .tolerance(rhythm.tolerance)
  }
}
