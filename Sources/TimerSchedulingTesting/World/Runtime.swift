import Dispatch
import Synchronization
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

#if os(Linux) && _pointerBitWidth(_64)

// MARK: - The loader's tables

extension Runtime {
  private typealias LoadedObject = (
    address: UInt, name: UnsafePointer<CChar>, dynamic: UnsafePointer<(tag: Int, value: UInt)>, next: UInt
  )

  /// Has the loaded objects that `isMeant` chooses by name call `replacement` for a function of another one.
  /// Returns their number.
  ///
  /// Such a call goes through a table, which the loader has filled with the addresses of functions.
  fileprivate static func redirect(
    _ function: String, to replacement: UnsafeRawPointer, in isMeant: (String) -> Bool
  ) -> Int {
    // The tags of the dynamic section, and the types of relocations of x86-64 and AArch64.
    let (strings, symbols, relocations, relocationsSize, calls, callsSize) = (5, 6, 7, 8, 23, 2)
    let types: Set<UInt> = [6, 7, 1025, 1026]
    var count = 0
    var object = unsafe dlopen(nil, RTLD_LAZY).map { unsafe $0.assumingMemoryBound(to: LoadedObject.self) }
    while let loaded = unsafe object?.pointee {
      unsafe object = UnsafeMutablePointer(bitPattern: loaded.next)
      let name = unsafe String(cString: loaded.name)
      if name.contains("vdso") || !isMeant(name) { continue }
      var values: [Int: UInt] = [:]
      var entry = unsafe loaded.dynamic
      while unsafe entry.pointee.tag != 0 {
        unsafe values[entry.pointee.tag] = entry.pointee.value
        unsafe entry += 1
      }
      guard let stringTable = values[strings], let symbolTable = values[symbols] else { continue }
      for (table, size) in [(relocations, relocationsSize), (calls, callsSize)] {
        guard let table = values[table], let size = values[size] else { continue }
        for place in stride(from: table, to: table + size, by: 24) {
          let (offset, info) = unsafe UnsafePointer<(UInt, UInt)>(bitPattern: place).unsafelyUnwrapped.pointee
          guard types.contains(info & 0xFFFF_FFFF) else { continue }
          let symbol = unsafe UnsafePointer<UInt32>(bitPattern: symbolTable + (info >> 32) * 24)
          let symbolName = unsafe UnsafePointer<CChar>(
            bitPattern: stringTable + UInt(unsafe symbol.unsafelyUnwrapped.pointee))
          guard unsafe strcmp(symbolName.unsafelyUnwrapped, function) == 0 else { continue }
          let slot = unsafe UnsafeMutablePointer<UnsafeRawPointer>(bitPattern: loaded.address + offset)
          // The loader may have made the table read-only.
          let page = UInt(getpagesize())
          let start = unsafe UnsafeMutableRawPointer(bitPattern: (loaded.address + offset) / page * page)
          unsafe mprotect(start, Int(page), PROT_READ | PROT_WRITE)
          unsafe slot.unsafelyUnwrapped.pointee = replacement
          count += 1
        }
      }
    }
    return count
  }
}

// MARK: - The time that tasks read

/// The redirect of `clock_gettime` in the libraries of Swift's clocks and of `Date`.
private enum RuntimeClock {
  typealias Function = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>?) -> CInt

  static let isRedirected: Bool = {
    let replacement: Function = { clock, time in
      guard let time = unsafe time else { return -1 }
      if let shown = World.shownTime?.value(of: clock) {
        let (seconds, rest) = shown.quotientAndRemainder(dividingBy: 1_000_000_000)
        let borrowed: Int64 = rest < 0 ? 1 : 0
        unsafe time.pointee = timespec(
          tv_sec: Int(seconds - borrowed), tv_nsec: Int(rest + borrowed * 1_000_000_000))
        return 0
      }
      return unsafe clock_gettime(clock, time)
    }
    // Dispatch keeps the real time, by which the kit itself waits.
    let libraries = ["libswift_Concurrency.", "libFoundation.", "libFoundationEssentials."]
    let count = unsafe Runtime.redirect(
      "clock_gettime", to: unsafeBitCast(replacement, to: UnsafeRawPointer.self)
    ) { name in libraries.contains { name.contains($0) } }
    return count > 0
  }()
}

// MARK: - The births of tasks

/// The redirect of the two functions by which all code makes tasks.
private enum RuntimeBirths {
  struct TaskAndContext {
    var task: UInt
    var context: UInt
  }
  /// A record: its kind, the address of the next one, and one word or two.
  typealias Options = UnsafePointer<UInt>
  typealias Create = @convention(thin) (UInt, UInt, UInt, UInt, UInt) -> TaskAndContext
  typealias BeginLet = @convention(thin) (UInt, UInt, UInt, UInt, UInt, UInt) -> Void
  typealias EnqueueOn = @convention(thin) (UInt, UInt, UInt) -> Void

  static let originals: (create: Create, beginLet: BeginLet, enqueue: EnqueueOn)? = {
    guard let create: Create = Runtime.function("swift_task_create"),
      let beginLet: BeginLet = Runtime.function("swift_asyncLet_begin"),
      let enqueue: EnqueueOn = Runtime.function("swift_task_enqueueTaskOnExecutor")
    else { return nil }
    return (create, beginLet, enqueue)
  }()

  /// Creates a task. A member's task is known before it can begin: it is made without the flag that has it
  /// enqueued.
  static let create: Create = { flags, options, type, entry, context in
    guard let originals else { fatalError("Swift's runtime has no function that makes a task.") }
    guard let maker = World.maker else { return originals.create(flags, options, type, entry, context) }
    let isEnqueued: UInt = 0x1000
    var (executor, group, name, prefersNone) = ((UInt(0), UInt(0)), UInt(0), String?.none, true)
    var next = unsafe Options(bitPattern: options)
    while let option = unsafe next {
      switch unsafe option[0] & 0xFF {
      case 0: executor = unsafe (option[2], option[3])
      case 1: group = unsafe option[2]
      // Of the two kinds of a preferred executor, the second is owned by the task.
      case 5, 6: prefersNone = unsafe prefersNone && option[2] == 0
      case 7: name = unsafe UnsafePointer<CChar>(bitPattern: option[2]).map { unsafe String(cString: $0) }
      // Records without a meaning here.
      default: break
      }
      unsafe next = Options(bitPattern: option[1])
    }
    let made: TaskAndContext
    if !prefersNone { maker.world.leavesOrder() }
    if maker.world.isExploring, prefersNone {
      // With a preferred executor, each hop of the task is a job.
      let preferred = unsafe unsafeBitCast(Executors.global.asUnownedTaskExecutor(), to: (UInt, UInt).self)
      var preference = (kind: UInt(5), next: options, first: preferred.0, second: preferred.1)
      made = unsafe withUnsafePointer(to: &preference) {
        originals.create(flags & ~isEnqueued, UInt(bitPattern: $0), type, entry, context)
      }
    } else {
      made = originals.create(flags & ~isEnqueued, options, type, entry, context)
    }
    if let task = Runtime.task(at: made.task) {
      // A child of a group may have the executor that its parent prefers.
      let isComing = flags & isEnqueued != 0 && prefersNone && executor.0 == 0 && group == 0
      let member = maker.world.join(
        task, madeBy: maker.member, group: group, name: name, isComing: isComing)
      if flags & isEnqueued != 0 {
        // The reference of the executor, which the runtime takes with the flag.
        task.retain()
        // An actor's job that this enqueues is the new task's.
        WorldThread.making(for: World.Maker(world: maker.world, member: member)) {
          originals.enqueue(made.task, executor.0, executor.1)
        }
      }
    }
    return made
  }

  /// Begins a child by `async let`. Its first job is enqueued meanwhile, by the calling thread.
  static let beginLet: BeginLet = { record, options, type, entry, context, buffer in
    guard let originals else { fatalError("Swift's runtime has no function that begins a child.") }
    guard var maker = World.maker else {
      return originals.beginLet(record, options, type, entry, context, buffer)
    }
    maker.record = record
    WorldThread.making(for: maker) {
      originals.beginLet(record, options, type, entry, context, buffer)
    }
    // The third word of the record is the child, which an executor of the user's may have begun.
    let child = unsafe UnsafePointer<UInt>(bitPattern: record).unsafelyUnwrapped[2]
    if let task = Runtime.task(at: child) { maker.world.join(task, madeBy: maker.member, record: record) }
  }

  static let areRedirected: Bool = {
    guard originals != nil else { return false }
    func redirect(_ name: String, _ replacement: UnsafeRawPointer) -> Int {
      unsafe Runtime.redirect(name, to: replacement) { !$0.contains("libswift_Concurrency.") }
    }
    let made = unsafe redirect("swift_task_create", unsafeBitCast(create, to: UnsafeRawPointer.self))
    let begun = unsafe redirect("swift_asyncLet_begin", unsafeBitCast(beginLet, to: UnsafeRawPointer.self))
    return made > 0 && begun > 0
  }()
}

// MARK: - The turns of tasks on an actor

/// The job of an actor runs all tasks that wait for the actor, one after the other. Before each, the runtime
/// calls a function with the task's address, if one is set: it is meant for the thread sanitizer.
///
/// The runtime calls the function in each lazy initialization, too, and nothing orders its calls after the
/// thread that sets it. So the function initializes nothing, calls nothing generic that isn't inlined, and
/// reads variables that were written before there was a second thread.
private enum RuntimeTurns {
  typealias Function = @convention(c) (UnsafeRawPointer?) -> Void

  /// The key of ``thread``. Nil if the system has none left.
  nonisolated(unsafe) private static var key: pthread_key_t?
  /// The function of the thread sanitizer, if that is at work.
  nonisolated(unsafe) private static var original: Function?
  private static var place: UnsafeMutablePointer<Function?>? {
    unsafe dlsym(nil, "_swift_tsan_acquire")?.assumingMemoryBound(to: Function?.self)
  }

  static func prepare() {
    var made: pthread_key_t = 0
    if unsafe pthread_key_create(&made, nil) == 0 { unsafe key = made }
    unsafe original = place?.pointee
  }

  /// The calling thread, while it runs a job of a world that explores orders.
  static var thread: UnsafeMutablePointer<WorldThread>? {
    get {
      guard let key = unsafe key, let pointer = unsafe pthread_getspecific(key) else { return nil }
      return unsafe pointer.assumingMemoryBound(to: WorldThread.self)
    }
    set { if let key = unsafe key { unsafe pthread_setspecific(key, newValue) } }
  }

  private static let goesOn: Function = { address in
    unsafe original?(address)
    guard let thread = unsafe thread else { return }
    unsafe Self.thread = nil
    defer { unsafe Self.thread = thread }
    unsafe World.goesOn(at: UInt(bitPattern: address), on: thread)
  }

  static let areSeen: Bool = {
    guard unsafe key != nil, let place = unsafe place else { return false }
    unsafe place.pointee = goesOn
    return true
  }()
}

/// The linker collects the functions of this section, and the loader calls them before `main`.
@section(".init_array") @used
private let prepareTurns: @convention(c) () -> Void = { RuntimeTurns.prepare() }

#endif

// MARK: - What a task waits for

/// What a task does, as the runtime knows it.
///
/// The runtime keeps a record of each wait, for the escalation of priorities. A suspended task has its
/// address at byte 160. In the record are what it waits for at byte 16, the kind of that at byte 32, and the
/// task itself at byte 40.
enum RuntimeWait: Hashable {
  case hasEnded
  /// It runs, or is about to.
  case none
  /// It is about to run, once an actor or another executor is free. The address is that of the executor, and
  /// zero if that isn't known. `isOwn` says that the process has made the executor itself.
  case turn(UInt, isOwn: Bool)
  case task(UInt)
  case group(UInt)
  /// A continuation of `AsyncStream` or `AsyncThrowingStream`.
  case stream
  case continuation

  var isUnderWay: Bool {
    switch self {
    case .none, .turn: true
    case .hasEnded, .task, .group, .stream, .continuation: false
    }
  }

  private static let memory = unsafe open("/proc/self/mem", O_RDONLY)

  /// Returns a word of memory. A kept task is there. What else is read may be gone or written meanwhile, as a
  /// record is by a task that goes on elsewhere. So the system reads it.
  private static func word(_ address: UInt, isKept: Bool) -> UInt? {
    var word: UInt = 0
    if isKept { return unsafe UnsafePointer<UInt>(bitPattern: address)?.pointee }
    let count = unsafe pread(memory, &word, 8, off_t(Int(bitPattern: address)))
    return count == 8 ? word : nil
  }

  /// Returns what a task does. Nil if it isn't there any more. One that isn't kept may have gone.
  static func of(_ task: RuntimeTask, isKept: Bool) -> RuntimeWait? {
    func word(_ offset: UInt) -> UInt? { Self.word(task.address + offset, isKept: isKept) }
    guard let number = word(32), number >> 32 == UInt(task.number & 0xFFFF_FFFF), let status = word(96) else {
      return nil
    }
    let (runs, hasEnded, hasRecord): (UInt, UInt, UInt) = (0x800, 0x2000, 0x4000)
    if status & hasEnded != 0 { return .hasEnded }
    guard status & runs == 0, status & hasRecord != 0, let record = word(160), record != 0,
      Self.word(record + 40, isKept: false) == task.address,
      let kind = Self.word(record + 32, isKept: false), let object = Self.word(record + 16, isKept: false)
    else { return RuntimeWait.none }
    let wait: RuntimeWait? =
      switch kind & 0xFF {
      case 1: .task(object)
      case 2: ofContinuation(object, goingOnAt: word(56))
      case 3: .group(object)
      case 4:
        // The second word of an executor. That of an actor's default is zero.
        .turn(object, isOwn: object != 0 && Self.word(record + 24, isKept: false) ?? 0 != 0)
      default: RuntimeWait.none
      }
    // One that has gone on meanwhile may have made another record there.
    return word(96) == status ? wait : RuntimeWait.none
  }

  private static func ofContinuation(_ context: UInt, goingOnAt place: UInt?) -> RuntimeWait? {
    // A continuation says at byte 24 whether it is awaited. One that is resumed just then is recorded, too.
    guard word(context + 24, isKept: false) == 1 else { return RuntimeWait.none }
    guard let place else { return nil }
    if place == yieldWait { return .turn(0, isOwn: false) }
    return streamWaits.contains(place) ? .stream : .continuation
  }

  /// Whether one of a task's records is as asked. They are a list, whose first is at byte 104 of the task.
  static func hasRecord(of task: RuntimeTask, isKept: Bool, where isMeant: (UInt) -> Bool) -> Bool {
    var next = word(task.address + 104, isKept: isKept)
    while let found = next, found != 0 {
      if isMeant(found) { return true }
      next = word(found + 8, isKept: false)
    }
    return false
  }

  /// Whether a task has ended.
  static func hasEnded(_ address: UInt, isKept: Bool) -> Bool {
    (word(address + 96, isKept: isKept) ?? 0) & 0x2000 != 0
  }

  /// Whether a task prefers an executor. Nothing is known of it if waits aren't.
  static func prefersExecutor(_ task: RuntimeTask, isKept: Bool) -> Bool {
    Runtime.seesWaits && (word(task.address + 96, isKept: isKept) ?? 0) & 0x8000 != 0
  }

  /// Whether a task was cancelled.
  static func isCancelled(_ task: RuntimeTask, isKept: Bool) -> Bool {
    (word(task.address + 96, isKept: isKept) ?? 0) & 0x100 != 0
  }

  /// Whether a task's memory is that of its parent, as for a child by `async let`.
  static func isOfParent(_ task: RuntimeTask) -> Bool {
    (word(task.address + 32, isKept: true) ?? 0) & 1 << 28 != 0
  }

  /// The addresses at which tasks go on that wait for a stream. There is one for each kind of stream.
  private static let streamWaits: Set<UInt> = {
    let (values, input) = AsyncStream.makeStream(of: Void.self)
    let (throwing, throwingInput) = AsyncThrowingStream.makeStream(of: Void.self)
    let tasks = [
      Task.immediate { for await _ in values {} },
      Task.immediate { _ = try? await throwing.first { _ in true } },
    ]
    defer {
      input.finish()
      throwingInput.finish()
    }
    return Set(tasks.compactMap { unsafe word(unsafeBitCast($0, to: UInt.self) + 56, isKept: true) })
  }()

  /// Returns the address at which a suspended task goes on.
  static func place(of task: RuntimeTask, isKept: Bool) -> UInt? { word(task.address + 56, isKept: isKept) }

  /// The address at which a task goes on that yields. Its job may be on an executor that isn't the kit's.
  private static let yieldWait: UInt? = {
    let executor = Trial()
    let task = Task(executorPreference: executor) { await Task.yield() }
    executor.runJob()
    defer { while executor.runJob() {} }
    return unsafe word(unsafeBitCast(task, to: UInt.self) + 56, isKept: true)
  }()

  /// An executor of a trial's task.
  private final class Trial: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    /// Runs the first job. Returns false if there is none.
    @discardableResult
    func runJob() -> Bool {
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      unsafe job?.runSynchronously(on: asUnownedTaskExecutor())
      return job != nil
    }
  }

  /// Whether waits can be read: the tasks of a trial wait for a continuation, for each other, in a group, and
  /// for a child by `async let`. The child's record, which has it at byte 16, is among the parent's.
  static let isKnown: Bool = {
    let continuation = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let first = Task.immediate {
      await withCheckedContinuation { new in continuation.withLock { $0 = new } }
    }
    let second = Task.immediate { await first.value }
    let third = Task.immediate {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await second.value }
        await group.waitForAll()
      }
    }
    let fourth = Task.immediate {
      async let child: Void = second.value
      await child
    }
    defer { continuation.withLock { $0.take() }?.resume() }
    func wait(of task: Task<Void, Never>) -> RuntimeWait? {
      let task = unsafe Runtime.task(at: unsafeBitCast(task, to: UInt.self))
      return task.flatMap { of($0, isKept: true) }
    }
    guard case .group = wait(of: third), case .task(let child) = wait(of: fourth),
      let parent = unsafe Runtime.task(at: unsafeBitCast(fourth, to: UInt.self)),
      // The record of the wait has the child there, too.
      let waiting = word(parent.address + 160, isKept: true),
      hasRecord(of: parent, isKept: true, where: { $0 != waiting && word($0 + 16, isKept: false) == child })
    else { return false }
    return unsafe memory >= 0 && streamWaits.count == 2 && yieldWait != nil
      && wait(of: first) == .continuation
      && wait(of: second) == .task(unsafeBitCast(first, to: UInt.self))
  }()
}
