import Synchronization

/// The number of operations between two readings of the clock.
private let batch = 128

/// The pending timers of a workload, and its operations on them.
///
/// Each call works where the peer is fastest, and blocks until the work is done.
final class PendingTimers<Peer: OneShotPeer>: Sendable {
  fileprivate struct State {
    var handles: [Peer.Handle] = []
    var generator = SeededGenerator()
  }

  let peer: Peer
  let fired = FireCounter()
  /// Locked once for a call, so the lock costs the timers nothing.
  private let state = Mutex(State())

  /// Prepares for `count` timers, so that memory and time of the array aren't counted.
  init(capacity count: Int) throws {
    peer = try Peer(fired: fired)
    try perform { state, peer in
      // The first timer may set up a queue or a thread.
      var first = peer.schedule(after: Delay(.seconds(3600)))
      peer.restart(&first, after: Delay(.seconds(3600)))
      state.handles = Array(repeating: first, count: count)
      state.handles.removeAll(keepingCapacity: true)
      peer.cancel(first)
    }
  }

  func schedule(_ count: Int, in delays: ClosedRange<Duration>) throws {
    try perform { state, peer in
      for number in 0..<count {
        state.handles.append(peer.schedule(after: state.generator.delay(in: delays)))
        if number % batch == 0 { peer.settle() }
      }
    }
  }

  /// Schedules timers for times from `start` on.
  func schedule(_ count: Int, from start: Uptime, spread: Duration) throws {
    try perform { state, peer in
      for number in 0..<count {
        let deadline = start + state.generator.delay(in: .zero...spread)
        peer.noteTime()
        state.handles.append(peer.schedule(after: max(deadline - .now, Delay(.zero))))
        if number % batch == 0 { peer.settle() }
      }
    }
  }

  /// Repeatedly schedules a timer in the place of a random one, which is cancelled. Returns the number of
  /// times.
  func replace(in delays: ClosedRange<Duration>, upTo limit: OperationLimit) throws -> Int {
    try perform { state, peer in
      state.repeatedly(upTo: limit, settle: peer.settle) { state, index in
        let old = state.handles[index]
        state.handles[index] = peer.schedule(after: state.generator.delay(in: delays))
        peer.cancel(old)
      }
    }
  }

  /// Repeatedly restarts a random timer. Returns the number of times.
  func restart(after delay: Duration, upTo limit: OperationLimit) throws -> Int {
    let delay = Delay(delay)
    return try perform { state, peer in
      state.repeatedly(upTo: limit, settle: peer.settle) { state, index in
        peer.restart(&state.handles[index], after: delay)
      }
    }
  }

  /// Cancels all in the order in which they were scheduled, until `time` is over. Returns the number of
  /// cancelled timers.
  func cancelAll(within time: Duration) throws -> Int {
    try cancelAll(within: time) { count in Array(0..<count) }
  }

  /// Cancels all in the order of their deadlines, the one order that suits NIO. In another it would take
  /// a quarter of an hour for a million.
  ///
  /// - Parameter delays: What they were scheduled in, of which the same numbers come again.
  func cancelAllByDeadline(in delays: ClosedRange<Duration>) throws {
    _ = try cancelAll(within: .seconds(60)) { count in
      var generator = SeededGenerator()
      let delays = (0..<count).map { _ in generator.delay(in: delays) }
      return (0..<count).sorted { delays[$0] < delays[$1] }
    }
  }

  private func cancelAll(within time: Duration, order: @escaping @Sendable (Int) -> [Int]) throws -> Int {
    try perform { state, peer in
      let order = order(state.handles.count)
      let end = Uptime.now + Delay(time)
      var count = 0
      for index in order {
        peer.cancel(state.handles[index])
        count += 1
        if count % batch == 0 {
          peer.settle()
          if .now > end { break }
        }
      }
      // Streams end here.
      state.handles.removeAll(keepingCapacity: true)
      peer.settle()
      return count
    }
  }

  /// Gives up the handles.
  func takeHandles() -> [Peer.Handle] {
    state.withLock { state in
      defer { state.handles = [] }
      return state.handles
    }
  }

  private func perform<Result: Sendable>(
    _ work: @escaping @Sendable (inout State, Peer) -> Result
  ) throws -> Result {
    let result = Outcome<Result>()
    try peer.perform { [self] in
      result.set(state.withLock { work(&$0, peer) })
    }
    return try result.get()
  }
}

extension PendingTimers.State {
  /// Performs an operation on random timers until a limit is reached. Returns the number of times.
  fileprivate mutating func repeatedly(
    upTo limit: OperationLimit, settle: () -> Void, _ work: (inout Self, Int) -> Void
  ) -> Int {
    let end = Uptime.now + Delay(limit.time)
    var count = 0
    while count < limit.operations {
      work(&self, .random(in: handles.indices, using: &generator))
      count += 1
      if count % batch == 0 {
        settle()
        if .now > end { break }
      }
    }
    return count
  }
}
