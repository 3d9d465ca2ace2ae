#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The current thread's role in a pool while it works for one. It is stored on the thread's stack.
struct WorkerContext {
  /// The pool, which distinguishes its workers from those of other pools.
  let pool: ObjectIdentifier
  /// The worker's index in the pool.
  let index: Int
  /// Whether the next job that this thread enqueues belongs to a runner that the worker starts or resumes.
  var isCapturing = false
  /// The captured job.
  var captured: UnownedJob?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = unsafe pthread_key_create(&key, nil)
    precondition(failure == 0, "The process has no thread-specific key left.")
    return key
  }()

  /// Returns the current thread's context. Nil on a thread that works for no pool, or for a pool other than `pool`.
  static func current(of pool: RunnerExecutor) -> UnsafeMutablePointer<WorkerContext>? {
    guard let context = unsafe pthread_getspecific(key)?.assumingMemoryBound(to: WorkerContext.self),
      unsafe context.pointee.pool == ObjectIdentifier(pool)
    else { return nil }
    return unsafe context
  }

  /// Calls `body` with a new context, which is the current thread's until `body` returns.
  static func with(
    pool: RunnerExecutor, index: Int, _ body: (UnsafeMutablePointer<WorkerContext>) -> Void
  ) {
    var context = WorkerContext(pool: ObjectIdentifier(pool), index: index)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      unsafe pthread_setspecific(key, context)
      unsafe body(context)
      pthread_setspecific(key, nil)
    }
  }
}
