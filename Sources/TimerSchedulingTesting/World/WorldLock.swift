import Synchronization

/// The mutex of the test kit. It works like `Lock` of TimerScheduling, whose calls aren't specialized in
/// another module: with it, a tick took 1.4 times as long.
struct WorldLock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  /// Repeats the order of the critical sections in a form that the thread sanitizer sees.
  private let order = Atomic<Bool>(false)

  init(_ value: consuming sending Value) { mutex = Mutex(value) }

  borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    try mutex.withLock { value throws(E) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(false, ordering: .releasing) }
      return try body(&value)
    }
  }
}
