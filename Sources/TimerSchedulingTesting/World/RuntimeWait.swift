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

/// The state of a task by the runtime's records: the task has ended, it runs, or it waits for something.
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

  /// Reads memory that may be gone or written meanwhile, as a record is by a task that goes on elsewhere. So
  /// the system reads it. Returns false if it isn't there.
  private static func read(_ address: UInt, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let count = unsafe pread(memory, buffer.baseAddress, buffer.count, off_t(Int(bitPattern: address)))
    return count == buffer.count
  }

  /// Returns a word of memory. A kept task's memory is there, so it is read directly.
  private static func word(_ address: UInt, isKept: Bool) -> UInt? {
    if isKept { return unsafe UnsafePointer<UInt>(bitPattern: address)?.pointee }
    var word: UInt = 0
    let isThere = unsafe withUnsafeMutableBytes(of: &word) { unsafe read(address, $0) }
    return isThere ? word : nil
  }

  /// Flags of a task's status, which is the word at byte 96.
  private enum Status {
    static let isCancelled: UInt = 0x100
    static let runs: UInt = 0x800
    static let isEnqueued: UInt = 0x1000
    static let hasEnded: UInt = 0x2000
    static let hasRecord: UInt = 0x4000
    static let prefersExecutor: UInt = 0x8000
  }

  /// Whether the status of a task has one of some flags. A task that isn't there has none.
  private static func has(_ flags: UInt, at address: UInt, isKept: Bool) -> Bool {
    (word(address + 96, isKept: isKept) ?? 0) & flags != 0
  }

  /// The words of the record of a wait from byte 16 on, read at once, as each read is a call of the system.
  private struct Record {
    /// The address of the task, group, continuation or executor for which the task waits.
    var object: UInt = 0
    /// If `object` is an executor, its second word. That of an actor's default is zero.
    var secondWord: UInt = 0
    var kind: UInt = 0
    var task: UInt = 0

    init?(at address: UInt) {
      let isThere = unsafe withUnsafeMutableBytes(of: &self) { unsafe RuntimeWait.read(address + 16, $0) }
      if !isThere { return nil }
    }
  }

  /// Returns what a task does. Nil if it isn't there any more. One that isn't kept may have gone.
  static func of(_ task: RuntimeTask, isKept: Bool) -> RuntimeWait? {
    func word(_ offset: UInt) -> UInt? { Self.word(task.address + offset, isKept: isKept) }
    guard let number = word(32), number >> 32 == UInt(task.number & 0xFFFF_FFFF), let status = word(96) else {
      return nil
    }
    if status & Status.hasEnded != 0 { return .hasEnded }
    guard status & Status.runs == 0, status & Status.hasRecord != 0, let address = word(160), address != 0,
      let record = Record(at: address), record.task == task.address
    else { return RuntimeWait.none }
    let wait: RuntimeWait? =
      switch record.kind & 0xFF {
      case 1: .task(record.object)
      case 2: ofContinuation(record.object, goingOnAt: word(56))
      case 3: .group(record.object)
      case 4: .turn(record.object, isOwn: record.object != 0 && record.secondWord != 0)
      default: RuntimeWait.none
      }
    // One that has gone on meanwhile may have made another record there.
    return word(96) == status ? wait : RuntimeWait.none
  }

  /// Returns the name of an object's type. Nil if the object may have gone: `isThere` is asked after the
  /// look.
  static func typeName(ofObjectAt address: UInt, isThere: () -> Bool) -> String? {
    // The first word of an object is the address of its type.
    guard address != 0, let type = word(address, isKept: false), type != 0, isThere() else { return nil }
    return String(describing: unsafe unsafeBitCast(type, to: Any.Type.self))
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

  /// Whether a kept task runs or is enqueued. If this is false, its record may still say that it is about to
  /// run.
  static func runsOrIsEnqueued(_ task: RuntimeTask) -> Bool {
    has(Status.runs | Status.isEnqueued, at: task.address, isKept: true)
  }

  /// Whether a task has ended.
  static func hasEnded(_ address: UInt, isKept: Bool) -> Bool {
    has(Status.hasEnded, at: address, isKept: isKept)
  }

  /// Whether a task prefers an executor. Nothing is known of it if waits aren't.
  static func prefersExecutor(_ task: RuntimeTask, isKept: Bool) -> Bool {
    Runtime.seesWaits && has(Status.prefersExecutor, at: task.address, isKept: isKept)
  }

  /// Whether a task was cancelled.
  static func isCancelled(_ task: RuntimeTask, isKept: Bool) -> Bool {
    has(Status.isCancelled, at: task.address, isKept: isKept)
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
