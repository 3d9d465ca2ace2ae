import Synchronization

/// A mutex, the package's only door to locking.
///
/// Every stored lock says what it guards. Nothing of the user's runs, resumes or is released inside
/// ``withLock(_:)``: a closure decides, and returns what is to be done outside.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>

  /// Repeats the order that `mutex` makes in a form that the thread sanitizer sees.
  ///
  /// On Linux the mutex is a futex inside the uninstrumented standard library, so the sanitizer reports
  /// every critical section as a race. An acquiring load at its start and a releasing store at its end
  /// say the same again in instrumented code. On x86 they are two plain moves; a lock and unlock took
  /// 10 ns with and without them.
  private let order = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    try mutex.withLock { value throws(E) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }

  /// Does nothing, and returns nil, if the lock is held.
  package borrowing func withLockIfFree<Result, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result? {
    try mutex.withLockIfAvailable { value throws(E) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
