#if os(Linux) && _pointerBitWidth(_64)
/// The redirect of the two functions by which all code makes tasks.
enum RuntimeBirths {
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

  /// The first word of the main actor's executor.
  private static let mainExecutor = unsafe unsafeBitCast(
    MainActor.sharedUnownedExecutor, to: (UInt, UInt).self
  ).0

  /// Creates a task. A member's task is known before it can begin: it is made without the flag that has it
  /// enqueued.
  static let create: Create = { flags, options, type, entry, context in
    guard let originals else { fatalError("Swift's runtime has no function that makes a task.") }
    guard let maker = World.maker else { return originals.create(flags, options, type, entry, context) }
    let isEnqueued: UInt = 0x1000
    var (executor, group, name, prefersNone) = ((UInt(0), UInt(0)), UInt(0), String?.none, true)
    // The record of a preferred executor that is nil, as `Task.immediate` has.
    var absence: UnsafeMutablePointer<UInt>?
    var next = unsafe Options(bitPattern: options)
    while let option = unsafe next {
      switch unsafe option[0] & 0xFF {
      case 0: executor = unsafe (option[2], option[3])
      case 1: group = unsafe option[2]
      // Of the two kinds of a preferred executor, the second is owned by the task.
      case 5, 6:
        if unsafe option[2] == 0 {
          unsafe absence = UnsafeMutablePointer(mutating: option)
        } else {
          prefersNone = false
        }
      case 7: name = unsafe UnsafePointer<CChar>(bitPattern: option[2]).map { unsafe String(cString: $0) }
      // Records without a meaning here.
      default: break
      }
      unsafe next = Options(bitPattern: option[1])
    }
    let made: TaskAndContext
    // The executor of an actor whose own one is the runtime's default has zero as its second word.
    if !prefersNone || executor.1 != 0 && executor.0 != mainExecutor { maker.world.leavesOrder() }
    if maker.world.isExploring, prefersNone {
      // With a preferred executor, each hop of the task is a job.
      let preferred = unsafe unsafeBitCast(Executors.global.asUnownedTaskExecutor(), to: (UInt, UInt).self)
      if let absence = unsafe absence {
        // The last record counts. The task may release the executor that it owns.
        unsafe (absence[2], absence[3]) = preferred
        _ = unsafe Unmanaged.passUnretained(Executors.global as AnyObject).retain()
        made = originals.create(flags & ~isEnqueued, options, type, entry, context)
      } else {
        var preference = (kind: UInt(5), next: options, first: preferred.0, second: preferred.1)
        made = unsafe withUnsafePointer(to: &preference) {
          originals.create(flags & ~isEnqueued, UInt(bitPattern: $0), type, entry, context)
        }
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
#endif
