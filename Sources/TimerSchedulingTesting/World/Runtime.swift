import TimerScheduling

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the kit uses of Swift's concurrency runtime that isn't its interface. Nothing else of the package
/// uses it.
///
/// - Functions that are meant for tools, looked up by their symbols.
/// - The time that tasks read, the births of tasks, what a suspended task waits for, and the turns of tasks
///   on an actor. They were found with Swift 6.3 on Linux. Each has a check: where that fails, the kit works
///   without the part. A variable in the environment of the process switches a part off, for tests of that
///   case.
enum Runtime {
  enum Part: String, CaseIterable { case clock, births, waits, turns }

  /// The parts that this process has. The first use finds them.
  static let parts: Set<Part> = {
    #if os(Linux) && _pointerBitWidth(_64)
    Set(
      Part.allCases.filter { part in
        if hasVariable("TIMER_SCHEDULING_WITHOUT_\(part.rawValue.uppercased())") { return false }
        return switch part {
        case .clock: RuntimeClock.isRedirected
        case .births: RuntimeBirths.areRedirected
        case .waits: RuntimeWait.isKnown
        case .turns: RuntimeTurns.areSeen
        }
      })
    #else
    []
    #endif
  }()

  static let seesBirths = parts.contains(.births)
  static let seesWaits = parts.contains(.waits)
  static let seesTurns = parts.contains(.turns)

  // MARK: Functions for tools

  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias TaskNumber = @convention(thin) @Sendable (UnownedJob) -> UInt64

  private static let taskNumber: TaskNumber? = function("swift_task_getJobTaskId")

  /// Looks up a function of the runtime.
  static func function<Function>(_ name: String) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: Function.self) }
  }

  /// Returns the task to which a job belongs. Nil for the job of an actor, or of another executor's own.
  static func task(of job: UnownedJob) -> RuntimeTask? {
    guard let number = taskNumber?(job), number != 0 else { return nil }
    // A task is its own job: for the runtime both are pointers to the same object.
    return RuntimeTask(address: unsafe unsafeBitCast(job, to: UInt.self), number: number)
  }

  /// Whether a job that belongs to no task resumes one, as that of `Task.yield()`.
  static func resumes(_ job: UnownedJob) -> Bool {
    guard seesWaits else { return false }
    let flags = unsafe UnsafePointer<UInt8>(bitPattern: unsafeBitCast(job, to: UInt.self) + 32)
    return unsafe flags?.pointee == 195
  }

  static func task(at address: UInt) -> RuntimeTask? {
    task(of: unsafe unsafeBitCast(address, to: UnownedJob.self))
  }

  /// The current task. Nil in code that runs in none.
  static var currentTask: RuntimeTask? {
    unsafe withUnsafeCurrentTask { task in
      unsafe task.flatMap { unsafe Self.task(of: unsafeBitCast($0, to: UnownedJob.self)) }
    }
  }

  /// Whether the environment of the process has a variable.
  static func hasVariable(_ name: String) -> Bool { unsafe getenv(name) != nil }

  /// Calls `hook` from now on for each job that would go to the global executor, unless there is such a hook
  /// already.
  static func hookGlobalExecutor(_ hook: @escaping EnqueueHook) {
    guard taskNumber != nil, let symbol = unsafe dlsym(nil, "swift_task_enqueueGlobal_hook") else { return }
    let place = unsafe symbol.assumingMemoryBound(to: EnqueueHook?.self)
    if unsafe place.pointee == nil { unsafe place.pointee = hook }
  }

  /// Runs a job on the calling thread, as a thread of the global executor does.
  static func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: genericExecutor) }

  /// Calls `body`, in which no turn of a task is seen. The kit's own code may hold a lock that a look at a
  /// turn takes.
  static func withoutTurns<Result>(_ body: () -> Result) -> Result {
    #if os(Linux) && _pointerBitWidth(_64)
    if seesTurns, let thread = unsafe RuntimeTurns.thread {
      unsafe RuntimeTurns.thread = nil
      defer { unsafe RuntimeTurns.thread = thread }
      return body()
    }
    #endif
    return body()
  }

  #if os(Linux)
  /// Runs a job of a world that explores orders, whose tasks prefer the kit's executor.
  /// ``World/goesOn(at:on:)`` is called before each task that goes on within it.
  static func run(_ job: UnownedJob, on thread: UnsafeMutablePointer<WorldThread>) {
    #if _pointerBitWidth(_64)
    unsafe RuntimeTurns.thread = seesTurns ? thread : nil
    defer { unsafe RuntimeTurns.thread = nil }
    #endif
    unsafe job.runSynchronously(on: Executors.global.asUnownedTaskExecutor())
  }
  #endif

  /// The executor of code that runs on no actor. The runtime represents it by zeros.
  private static let genericExecutor = unsafe unsafeBitCast(
    (UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
}

/// A task as the runtime has it.
struct RuntimeTask: Sendable, Hashable {
  let address: UInt
  /// The runtime numbers tasks in the order in which they are made.
  let number: UInt64

  /// Keeps the task's memory until ``release()``. That of a child made by `async let` is its parent's.
  func retain() { _ = unsafe object.retain() }
  func release() { unsafe object.release() }

  private var object: Unmanaged<AnyObject> {
    unsafe Unmanaged.fromOpaque(unsafe UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }
}
