import Synchronization
import TimerScheduling

/// A call that moves a clock, made by the worker of its world in steps: one whenever the world is at rest.
final class ClockMove: Sendable {
  let clock: VirtualClockCore
  private let stopsWhenIdle: Bool
  /// Changes the time as the move begins.
  private let change: @Sendable (inout VirtualTime) -> Void
  private let target: @Sendable (ClockReading) -> Deadline
  /// Whether the task that moves the clock was cancelled, or the move can't go on.
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

  /// Delivers what is due next, after moving the clock to the moment at which something is. Returns false if
  /// the move has ended.
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
    let goesOn = clock.state.withLock { state in
      !(stopsWhenIdle && state.time.isIdle) && state.time.moveToNextMoment(until: end)
    }
    clock.world.state.withLock { $0.timeMoves() }
    return goesOn
  }
}

extension World {
  /// Makes a move, after earlier moves of the same clock. The calling task waits for its end. If it is of
  /// another world, it holds the time of that.
  func make(_ move: ClockMove) async {
    let isOfOther = Self.maker.map { $0.world !== self } ?? false
    let other = isOfOther ? Self.held : nil
    other?.hold()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Before the move can begin, as what the caller does is known then.
        if !isOfOther { waitBegins(for: .work, of: move.clock) }
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
    other?.release()
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
