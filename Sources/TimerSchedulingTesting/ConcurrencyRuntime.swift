#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Functions of Swift's concurrency runtime meant for tools, looked up by their symbols.
///
/// If a symbol is missing, the clock doesn't know the tasks that a participant creates, and waits for the participant
/// at most for the settling timeout.
enum ConcurrencyRuntime {
  typealias JobNumber = @convention(thin) @Sendable (UnownedJob) -> UInt64
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Returns the number of a job's task.
  static let jobNumber: JobNumber? = {
    guard let symbol = unsafe dlsym(nil, "swift_task_getJobTaskId") else { return nil }
    return unsafe unsafeBitCast(symbol, to: JobNumber.self)
  }()

  /// Calls `hook` from now on for each job that would go to the global executor, unless there is such a hook already.
  static func hookGlobalExecutor(_ hook: @escaping EnqueueHook) {
    guard jobNumber != nil, let symbol = unsafe dlsym(nil, "swift_task_enqueueGlobal_hook") else { return }
    let place = unsafe symbol.assumingMemoryBound(to: EnqueueHook?.self)
    if unsafe place.pointee == nil { unsafe place.pointee = hook }
  }

  /// Runs a job on the calling thread, as a thread of the global executor does.
  static func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: genericExecutor) }

  /// The executor of code that runs on no actor. The runtime represents it by zeros.
  private static var genericExecutor: UnownedSerialExecutor {
    unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
