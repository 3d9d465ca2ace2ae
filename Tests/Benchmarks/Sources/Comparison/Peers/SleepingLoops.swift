/// A task for each timer that sleeps until one deadline after the other.
struct SleepingLoops: RepeatingPeer {
  init(fired: FireCounter) {}

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let first = SuspendingClock.now + rhythm.delay.duration
    let interval = rhythm.interval.duration
    let task = Task.detached {
      var deadline = first
      while (try? await Task.sleep(until: deadline, tolerance: rhythm.tolerance, clock: .suspending)) != nil {
        track.note()
        deadline += interval
      }
    }
    return { task.cancel() }
  }
}
