import Synchronization

/// The mutex of this module and of the cluster's. No user code is run, resumed or released inside
/// ``withLock(_:)``: a closure decides, and returns the work to be done outside.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>

  /// Whether a thread is inside a critical section. Another that finds it so saves the system call of trying
  /// the mutex. It also repeats the ordering of `mutex` for the thread sanitizer, which doesn't see into the
  /// standard library and would report every section as a race. On x86 it takes plain moves: a lock and
  /// unlock took 10 ns with and without.
  private let isHeld = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    var attempts = 0
    while true {
      // Don't add a second call: inlined again, it costs each section some fifty instructions.
      if let result = try withLockIfFree(body) { return result }
      wait(after: &attempts)
    }
  }

  /// Calls `body` if the lock is free. Otherwise returns nil without calling it.
  package borrowing func withLockIfFree<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result? {
    guard !isHeld.load(ordering: .relaxed) else { return nil }
    return try mutex.withLockIfAvailable { value throws(E) in
      _ = isHeld.load(ordering: .acquiring)
      isHeld.store(true, ordering: .relaxed)
      defer { isHeld.store(false, ordering: .releasing) }
      return try body(&value)
    }
  }

  /// On Linux a `Mutex` that is released goes directly to a blocked thread, and stays held until that thread
  /// has been woken. So all other threads block as well, which takes a thread switch for each section: eight
  /// threads on two processors did 0.3 to 15 million sections a second. They do 30 to 130 million if they try
  /// 64 times, then yield 64 times, which lets a preempted holder run, and only then block.
  @inline(never)
  private borrowing func wait(after attempts: inout Int) {
    attempts += 1
    #if os(Linux) || os(Android)
    if attempts < 64 { return }
    if attempts < 128 { return CurrentThread.yield() }
    #endif
    // Blocks until the mutex is free, and releases it at once.
    mutex.withLock { _ in }
    attempts = 0
  }
}
