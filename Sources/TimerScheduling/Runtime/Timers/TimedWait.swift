import Synchronization

/// A task that waits for a moment: for the end of its sleep, or for the limit of its operation.
///
/// It isn't a timer, so it is in no list or count of timers, and has no events. It is filed beside the
/// timers, and fired once in the same order.
///
///     pending ──the driver fires it──▶ over, as reached
///        └───────────end()───────────▶ over, not reached
final class TimedWait: Sendable {
  enum Purpose: Sendable {
    /// A sleep, which a shutdown ends.
    case sleep
    /// The limit of an operation, which applies also after a shutdown.
    case limit
  }

  private struct State {
    /// Whether the moment was reached. Nil while the wait is pending.
    var isReached: Bool?
    var task: WaitingTask?
    var place: Filing.Place?
  }

  let purpose: Purpose
  /// The position among the waits and timers of the process, in the order in which they were made.
  let number: UInt64
  private let deadline: Deadline
  private let driver: TimerDriver
  /// Guards the state.
  private let state = Lock(State())

  /// Creates a wait. If the scheduler takes no such wait any more, the wait is over at once.
  init(
    for purpose: Purpose, until deadline: Deadline, on timeline: Timeline = .monotonic,
    tolerance: Duration? = nil, in driver: TimerDriver
  ) {
    self.purpose = purpose
    self.deadline = deadline
    self.driver = driver
    number = driver.nextNumber()
    let tolerance = tolerance.map { Interval($0) } ?? driver.defaultTolerance
    let filing =
      deadline < .never ? Filing(timeline: timeline, deadline: deadline, latest: deadline + tolerance) : nil
    let wakeup = state.withLock { state -> Filing.Wakeup in
      guard let (place, wakeup) = driver.deadlines.add(.wait(self), filing, number: number) else {
        state.isReached = false
        return .none
      }
      state.place = place
      driver.waitCount.add(1, ordering: .relaxed)
      return wakeup
    }
    driver.wake(wakeup)
  }

  /// Suspends the calling task until the wait is over, or the task is cancelled. Returns whether the moment
  /// was reached.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withTaskCancellationHandler {
      // A closure has the isolation of its context only if it captures the actor.
      _ = isolation
      await WaitingTask.suspend(for: event, in: driver.virtual) { task in
        state.withLock { state in
          guard state.isReached == nil else { return false }
          state.task = task
          return true
        }
      }
    } onCancel: {
      end()
    }
    return state.withLock { $0.isReached == true }
  }

  /// Ends the wait if it doesn't outlive its scheduler. A limit outlives it unless the clock has ended.
  func driverClosed() {
    let isOver = driver.isAbandoned.load(ordering: .acquiring)
    if purpose == .sleep || isOver { end(isReached: purpose == .limit) }
  }

  /// Ends the wait. A pass ends it because its moment is reached.
  func end(isReached: Bool = false) {
    let (place, task) = state.withLock { state -> (Filing.Place?, WaitingTask?) in
      guard state.isReached == nil else { return (nil, nil) }
      state.isReached = isReached
      return (state.place.take(), state.task.take())
    }
    if let place {
      let wakeup = driver.deadlines.remove(place)
      // A pass computes its next wakeup itself.
      if !isReached { driver.wake(wakeup) }
      driver.waitCount.subtract(1, ordering: .relaxed)
    }
    task?.resume()
  }

  private var event: AwaitedEvent { purpose == .sleep ? .sleep(until: deadline) : .limit(until: deadline) }
}
