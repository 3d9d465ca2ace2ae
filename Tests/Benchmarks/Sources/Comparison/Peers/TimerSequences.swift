import AsyncAlgorithms

/// A task with an `AsyncTimerSequence`, for each timer.
struct TimerSequences: OneShotPeer, RepeatingPeer {
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
      let interval = SuspendingClock.now.duration(to: deadline)
      for await _ in AsyncTimerSequence(interval: interval, clock: .suspending) {
        fired.note()
        break
      }
    }
  }

  func cancel(_ task: consuming Task<Void, Never>) {
    task.cancel()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let deadline = SuspendingClock.now + rhythm.delay.duration
    let interval = rhythm.interval.duration
    let task = Task.detached {
      // The sequence has its first tick an interval after it is asked.
      guard (try? await Task.sleep(until: deadline - interval, clock: .suspending)) != nil else { return }
      track.begin(at: .now + rhythm.interval)
      for await _ in AsyncTimerSequence(interval: interval, tolerance: rhythm.tolerance, clock: .suspending) {
        track.note()
      }
    }
    return { task.cancel() }
  }
}
