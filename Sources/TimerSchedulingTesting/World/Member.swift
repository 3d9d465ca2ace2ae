import TimerScheduling

/// A task of a world.
///
/// Its variables are guarded by the lock of the world.
final class Member: Sendable {
  let task: RuntimeTask
  let world: World
  /// The participant to whose tasks it belongs, if that is another one.
  let root: Member?
  /// The address of the group whose child it is. Zero if it is none's.
  let group: UInt
  /// The name that its maker has given it.
  let name: String?
  /// The addresses of the code that made it, the innermost first. Empty unless the steps of an order are
  /// noted.
  let birth: [UInt]
  /// Whether the kit keeps the task's memory until it has ended. That of a child by `async let` is its
  /// parent's.
  let isKept: Bool
  /// The parent of such a child, and the runtime's record of the two. Nil for other tasks.
  let binding: Binding?

  /// The body, run or added task that it is.
  @safe nonisolated(unsafe) var participant: Participant?
  /// The event for which the task waits, and the event's clock. Nil while the task doesn't wait for the
  /// clock.
  @safe nonisolated(unsafe) var wait: (event: AwaitedEvent, clock: VirtualClockCore)?
  /// Its sleep by one of Swift's own clocks.
  @safe nonisolated(unsafe) var sleep: Sleep?
  /// Whether a job of it is in the queue of its world.
  @safe nonisolated(unsafe) var isReady = false
  /// Whether its world has to ask the runtime what it does.
  @safe nonisolated(unsafe) var isUnsettled = false
  /// Where its jobs run.
  @safe nonisolated(unsafe) var place = Place.unknown
  /// The state in which time doesn't wait for it: it is under way for too long, or waits for the outside.
  @safe nonisolated(unsafe) var passedWait: RuntimeWait?
  /// The time since which time may move although a participant waits for what this task waits for outside.
  @safe nonisolated(unsafe) var passed: Passed?
  /// The number of jobs in a row after which it has only yielded.
  @safe nonisolated(unsafe) var yieldCount = 0
  /// Whether it has ended, or its world has.
  @safe nonisolated(unsafe) var isGone = false

  /// The number of yields in a row from which on time moves past a task.
  private static var mostYields: Int { 2_000 }
  var onlyYields: Bool { yieldCount >= Self.mostYields }

  init(
    _ task: RuntimeTask, in world: World, root: Member?, group: UInt = 0, name: String? = nil, birth: [UInt],
    binding: Binding?
  ) {
    self.task = task
    self.world = world
    self.root = root
    self.group = group
    self.name = name
    self.birth = birth
    isKept = Runtime.seesWaits && !RuntimeWait.isOfParent(task)
    self.binding = Runtime.seesWaits && !isKept ? binding : nil
    if isKept { task.retain() }
  }

  deinit { if isKept { task.release() } }

  enum Place {
    /// No job of it was seen.
    case unknown
    case world
    /// Also on executors that aren't the world's, so it may go on without a job that the world sees.
    case elsewhere
  }

  struct Binding {
    let parent: Member
    /// The address of the runtime's record, which the parent has until the child's scope ends.
    let record: UInt
  }

  struct Sleep {
    let clock: VirtualClockCore
    let key: UInt64
  }

  struct Passed {
    weak var clock: VirtualClockCore?
    let moment: Deadline
  }

  /// A run, an added task or a body that hasn't ended.
  struct Participant: Sendable {
    /// The subject of a sentence about it.
    let name: String
    var isBody = false
  }
}

/// The members of all worlds, by the addresses of their tasks.
enum Members {
  private final class Stripe: Sendable {
    /// Guards the members whose tasks' addresses fall into this stripe. The lock of a world may be held; no
    /// other lock is taken while this one is.
    let members = WorldLock<[UInt: Member]>([:])
  }

  private static let stripes = (0..<64).map { _ in Stripe() }

  private static func stripe(at address: UInt) -> Stripe { stripes[Int((address >> 4 ^ address >> 10) & 63)] }

  /// Returns the member that a task is.
  static func member(_ task: RuntimeTask) -> Member? {
    member(at: task.address).flatMap { $0.task == task ? $0 : nil }
  }

  /// Returns the member whose task has, or had, an address.
  static func member(at address: UInt) -> Member? {
    stripe(at: address).members.withLock { $0[address] }
  }

  /// Adds a member, unless its task is a member already. Returns the task's member.
  static func add(_ member: Member) -> Member {
    let address = member.task.address
    let (now, old) = stripe(at: address).members.withLock { members -> (Member, Member?) in
      if let known = members[address], known.task == member.task { return (known, nil) }
      // The memory of a child of `async let` is used again.
      return (member, members.updateValue(member, forKey: address))
    }
    withExtendedLifetime(old) {}
    return now
  }

  static func remove(_ member: Member) {
    stripe(at: member.task.address).members.withLock { members in
      if members[member.task.address] === member { members[member.task.address] = nil }
    }
  }

  static func members(of world: World) -> [Member] {
    stripes.flatMap { stripe in
      stripe.members.withLock { members in members.values.filter { $0.world === world } }
    }
  }
}
