import Dispatch
import TestSupport
import TimerScheduling

/// The calls that a deinit may make, and the timer that releases the object.
final class Releases: Sendable {
  /// The latch that an action waits for.
  let latch = Latch()
  private let scheduler: TimerScheduler
  private let bystander: ScheduledTimer
  private let journal: Journal<String>
  /// Guards the timer that holds the released object.
  private let followed = Lock<ScheduledTimer?>(nil)

  init(_ scheduler: TimerScheduler, _ journal: Journal<String>) {
    self.scheduler = scheduler
    self.journal = journal
    bystander = scheduler.timer(on: .every(10), name: "bystander")
  }

  var timer: ScheduledTimer? { followed.withLock { $0 } }

  func follow(_ timer: ScheduledTimer?) {
    let earlier = followed.withLock { followed in
      defer { followed = timer }
      return followed
    }
    withExtendedLifetime(earlier) {}
  }

  func callEverything() {
    dispatchPrecondition(condition: .notOnQueue(scheduler.executor.queue))
    for timer in [timer, bystander].compactMap({ $0 }) {
      timer.pause()
      timer.fire()
      timer.reschedule(.every(20))
      timer.resume()
      _ = (timer.state, timer.remainingTime, timer.failure)
    }
    timer?.cancel()
    let owner = TimerOwner()
    _ = scheduler.ticks(every: 1, name: "deinit's", owner: owner)
    scheduler.schedule(.after(5), name: "job") { _ in }
    _ = scheduler.ticks(on: .rule(EverySeconds(7)), name: "job")
    journal.note("released")
  }
}
