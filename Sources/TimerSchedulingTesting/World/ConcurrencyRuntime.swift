#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Functions of Swift's concurrency runtime that are meant for tools, looked up by their symbols.
enum ConcurrencyRuntime {
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias TaskNumber = @convention(thin) @Sendable (UnownedJob) -> UInt64

  private static let taskNumber: TaskNumber? = {
    guard let symbol = unsafe dlsym(nil, "swift_task_getJobTaskId") else { return nil }
    return unsafe unsafeBitCast(symbol, to: TaskNumber.self)
  }()

  /// Returns the number of a job's task. The runtime numbers tasks in the order in which they are made. It is 0 for
  /// the job of an actor, which belongs to no task.
  static func task(of job: UnownedJob) -> UInt64 { taskNumber?(job) ?? 0 }

  /// The number of the current task. 0 in code that runs in no task.
  static var currentTask: UInt64 {
    unsafe withUnsafeCurrentTask { task in
      // A task is its own job: for the runtime both are pointers to the same object.
      unsafe task.map { unsafe Self.task(of: unsafeBitCast($0, to: UnownedJob.self)) } ?? 0
    }
  }

  /// Returns a number that is higher than those of all tasks that were made before this call.
  static func numberOfNewTask() -> UInt64 {
    let task = Task.detached {}
    // As above, a task is its own job.
    return withExtendedLifetime(task) { Self.task(of: unsafe unsafeBitCast(task, to: UnownedJob.self)) }
  }

  /// Whether the environment of the process has a variable.
  static func hasVariable(_ name: String) -> Bool { unsafe getenv(name) != nil }

  /// Calls `hook` from now on for each job that would go to the global executor, unless there is such a hook already.
  static func hookGlobalExecutor(_ hook: @escaping EnqueueHook) {
    guard taskNumber != nil, let symbol = unsafe dlsym(nil, "swift_task_enqueueGlobal_hook") else { return }
    let place = unsafe symbol.assumingMemoryBound(to: EnqueueHook?.self)
    if unsafe place.pointee == nil { unsafe place.pointee = hook }
  }

  /// Runs a job on the calling thread, as a thread of the global executor does.
  static func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: genericExecutor) }

  /// The executor of code that runs on no actor. The runtime represents it by zeros.
  private static let genericExecutor = unsafe unsafeBitCast(
    (UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
}
