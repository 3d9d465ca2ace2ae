import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A mutex, the package's only door to locking.
///
/// Every stored lock says what it guards. Nothing of the user's runs, resumes or is released inside
/// ``withLock(_:)``: a closure decides, and returns what is to be done outside.
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>

  /// Whether a thread is inside a critical section.
  ///
  /// It saves a thread that finds the lock held the system call that trying the mutex takes then. And it repeats
  /// the order that `mutex` makes in a form that the thread sanitizer sees: on Linux the mutex is a futex inside the
  /// uninstrumented standard library, so the sanitizer reports every critical section as a race. An acquiring load at
  /// the section's start and a releasing store at its end say the same again in instrumented code. On x86 all of it
  /// is plain moves; a lock and unlock took 10 ns with and without them.
  private let isHeld = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Waits until the lock is free, and calls `body`.
  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    var attempts = 0
    while true {
      // The only place that calls it: a second one costs each section some fifty instructions.
      if let result = try withLockIfFree(body) { return result }
      wait(after: &attempts)
    }
  }

  /// Does nothing, and returns nil, if the lock is held.
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

  /// Waits for a while after an attempt that has found the lock held.
  ///
  /// On Linux a thread that blocks on a `Mutex` is handed it directly when it is released. The mutex then stays held
  /// until that thread has been woken, so every other thread blocks, too, and is handed it in its turn: one switch
  /// of threads for each critical section. Eight threads on two processors came to 0.3 to 15 million sections a
  /// second in this way, and come to 30 to 130 million as they try 64 times, yield 64 times, and block only then. A
  /// thread that yields lets a preempted holder go on.
  @inline(never)
  private borrowing func wait(after attempts: inout Int) {
    attempts += 1
    #if os(Linux) || os(Android)
    if attempts < 64 { return }
    if attempts < 128 {
      sched_yield()
      return
    }
    #endif
    // Blocks until the mutex has been free.
    mutex.withLock { _ in }
    attempts = 0
  }
}
