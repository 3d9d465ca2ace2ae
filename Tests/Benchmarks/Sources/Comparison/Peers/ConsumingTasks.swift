import TimerScheduling

/// This package's streams, each with a task that waits for its ticks.
struct ConsumingTasks: OneShotPeer, RepeatingPeer {
  private let scheduler = TimerScheduler()
  private let fired: FireCounter
  private let backlog = TaskBacklog()

  init(fired: FireCounter) {
    self.fired = fired
  }

  func settle() {
    backlog.wait()
  }

  func schedule(after delay: Delay) -> Task<Void, Never> {
    let ticks = scheduler.ticks(on: .after(delay.duration))
    backlog.noteMade()
    return Task.detached { [fired, backlog] in
      backlog.noteBegun()
      for await _ in ticks { fired.note() }
    }
  }

  func cancel(_ task: consuming Task<Void, Never>) {
    task.cancel()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    // A date doesn't tell which deadline it is for, so there has to be one for each.
    let ticks = scheduler.ticks(on: TimerSchedule(rhythm).missedTicks(.burst))
    let task = Task.detached {
      for await _ in ticks { track.note() }
    }
    return { task.cancel() }
  }
}
