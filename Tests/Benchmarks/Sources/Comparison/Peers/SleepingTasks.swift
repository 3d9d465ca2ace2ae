/// A task that sleeps, for each timer.
struct SleepingTasks: OneShotPeer {
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
  }

  func schedule(after delay: Delay) -> Task<Void, Never> {
    // Counted from here, however late the task begins.
    let deadline = SuspendingClock.now + delay.duration
    return Task.detached { [fired] in
      do {
        try await Task.sleep(until: deadline, clock: .suspending)
        fired.note()
      } catch {}
    }
  }

  func cancel(_ task: consuming Task<Void, Never>) {
    task.cancel()
  }
}
