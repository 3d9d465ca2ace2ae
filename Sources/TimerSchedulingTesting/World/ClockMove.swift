import Synchronization
import TimerScheduling

/// A call that moves a clock, made by the worker of its world in steps: one whenever the world is at rest.
final class ClockMove: Sendable {
  let clock: VirtualClockCore
  private let stopsWhenIdle: Bool
  /// Changes the time as the move begins.
  private let change: @Sendable (inout VirtualTime) -> Void
  private let target: @Sendable (ClockReading) -> Deadline
  /// Whether the task that moves the clock was cancelled.
  let isCancelled = Atomic<Bool>(false)
  /// The waiting task. Guarded by the lock of the world.
  @safe nonisolated(unsafe) var continuation: CheckedContinuation<Void, Never>?
  /// The time at which the move ends. Nil until it has begun. Only for the worker.
  @safe nonisolated(unsafe) private var end: Deadline?

  init(
    of clock: VirtualClockCore, stoppingWhenIdle stopsWhenIdle: Bool,
    change: @escaping @Sendable (inout VirtualTime) -> Void,
    until target: @escaping @Sendable (ClockReading) -> Deadline
  ) {
    self.clock = clock
    self.stopsWhenIdle = stopsWhenIdle
    self.change = change
    self.target = target
  }

  /// Delivers what is due next, after moving the clock to the moment at which something is. Returns false if the move has
  /// ended.
  func step() -> Bool {
    if end == nil, !isCancelled.load(ordering: .relaxed) {
      clock.lookForOrphans()
      end = clock.state.withLock { state in
        change(&state.time)
        return target(state.time.now)
      }
      if !goOn() { return false }
    }
    while !isCancelled.load(ordering: .relaxed) {
      if clock.deliverDue() { return true }
      clock.lookForOrphans()
      if !goOn() { return false }
    }
    return false
  }

  private func goOn() -> Bool {
    let end = end ?? .past
    return clock.state.withLock { !(stopsWhenIdle && $0.time.isIdle) && $0.time.moveToNextMoment(until: end) }
  }
}

extension World {
  /// Makes a move, after earlier moves of the same clock. The calling task waits for its end.
  func make(_ move: ClockMove) async {
    move.clock.waitBegins(for: .work)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let worker = state.withLock { state in
          move.continuation = continuation
          state.moves.append(move)
          return state.noteProgress()
        }
        if let worker { start(worker) }
      }
    } onCancel: {
      move.isCancelled.store(true, ordering: .relaxed)
      wake()
    }
    waitEnded()
  }

  /// Ends a move, and lets its task go on.
  func end(_ move: ClockMove) {
    let continuation = state.withLock { state in
      state.moves.removeAll { $0 === move }
      return move.continuation.take()
    }
    continuation?.resume()
  }

  var isMoving: Bool { state.withLock { !$0.moves.isEmpty || $0.body != nil } }
}
