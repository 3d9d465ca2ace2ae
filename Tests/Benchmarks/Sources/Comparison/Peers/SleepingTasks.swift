/// A task that sleeps, for each timer.
struct SleepingTasks: OneShotPeer, RepeatingPeer {
  private let fired: FireCounter
  private let backlog = TaskBacklog()

  init(fired: FireCounter) {
    self.fired = fired
  }

  func settle() {
    backlog.wait()
  }

  func schedule(after delay: Delay) -> Task<Void, Never> {
    // Counted from here, however late the task begins.
    let deadline = SuspendingClock.now + delay.duration
    backlog.noteMade()
    return Task.detached { [fired, backlog] in
      backlog.noteBegun()
      do {
        try await Task.sleep(until: deadline, clock: .suspending)
        fired.note()
      } catch {}
    }
  }

  func cancel(_ task: consuming Task<Void, Never>) {
    task.cancel()
  }

  /// Sleeps for the interval again and again, as one does without thinking of drift.
  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let deadline = SuspendingClock.now + rhythm.delay.duration
    let interval = rhythm.interval.duration
    let task = Task.detached {
      do {
        try await Task.sleep(until: deadline - interval, clock: .suspending)
        track.begin(at: .now + rhythm.interval)
        while true {
          try await Task.sleep(for: interval, tolerance: rhythm.tolerance, clock: .suspending)
          track.note()
        }
      } catch {}
    }
    return { task.cancel() }
  }
}
