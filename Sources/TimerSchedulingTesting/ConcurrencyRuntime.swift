#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the runtime of Swift's concurrency has for tools, which look it up by its symbols.
///
/// Where a symbol is missing, tasks that a participant makes aren't known, and the clock waits for the participant itself
/// no longer than the settling timeout.
enum ConcurrencyRuntime {
  typealias JobNumber = @convention(thin) @Sendable (UnownedJob) -> UInt64
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Returns the number of a job's task.
  static let jobNumber: JobNumber? = {
    guard let symbol = unsafe dlsym(nil, "swift_task_getJobTaskId") else { return nil }
    return unsafe unsafeBitCast(symbol, to: JobNumber.self)
  }()

  /// Has `hook` called for each job that would go to the global executor, from now on, unless there is such a hook already.
  static func hookGlobalExecutor(_ hook: @escaping EnqueueHook) {
    guard jobNumber != nil, let symbol = unsafe dlsym(nil, "swift_task_enqueueGlobal_hook") else { return }
    let place = unsafe symbol.assumingMemoryBound(to: EnqueueHook?.self)
    if unsafe place.pointee == nil { unsafe place.pointee = hook }
  }

  /// Runs a job on the calling thread, as a thread of the global executor does.
  static func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: genericExecutor) }

  /// The executor of code that is on no actor. The runtime has no reference for it but zeros.
  private static var genericExecutor: UnownedSerialExecutor {
    unsafe unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
  }
}
