import Dispatch
import Synchronization

/// A heap under a lock, over one dispatch timer: what one might write oneself.
final class HeapTimers: OneShotPeer, RepeatingPeer {
  struct Entry: Sendable {
    var interval: Delay?
    var action: @Sendable () -> Void
  }

  typealias Handle = DeadlineHeap<Entry>.Node

  private struct State {
    var heap = DeadlineHeap<Entry>()
    /// When the dispatch timer calls, unless it has.
    var armed: Uptime?
  }

  private let state = Mutex(State())
  private let timer = DispatchTimer(on: DispatchQueue(label: "peer"))
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
    timer.schedule(after: Delay(.seconds(3600)))
    timer.start { [unowned self] in wake() }
  }

  func schedule(after delay: Delay) -> Handle {
    let node = Handle(Entry { [fired] in fired.note() })
    insert(node, at: .now + delay)
    return node
  }

  func restart(_ node: inout Handle, after delay: Delay) {
    insert(node, at: .now + delay)
  }

  func cancel(_ node: consuming Handle) {
    state.withLock { [node] in $0.heap.remove(node) }
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let node = Handle(Entry(interval: rhythm.interval) { track.note() })
    insert(node, at: rhythm.start)
    return { self.cancel(node) }
  }

  private func insert(_ node: Handle, at deadline: Uptime) {
    state.withLock { state in
      state.heap.insert(node, at: deadline)
      arm(&state)
    }
  }

  /// Called under the lock, so that the timer gets the latest decision.
  private func arm(_ state: inout State) {
    guard let first = state.heap.first?.deadline else { return }
    if let armed = state.armed, armed <= first { return }
    state.armed = first
    timer.schedule(after: max(first - .now, Delay(nanoseconds: 0)))
  }

  private func wake() {
    let now = Uptime.now
    state.withLock { $0.armed = nil }
    while let node = pop(at: now) { node.payload.action() }
    state.withLock { arm(&$0) }
  }

  private func pop(at now: Uptime) -> Handle? {
    state.withLock { state in
      guard let node = state.heap.popExpired(at: now) else { return nil }
      if let interval = node.payload.interval { state.heap.insert(node, at: node.deadline + interval) }
      return node
    }
  }
}
