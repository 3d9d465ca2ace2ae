import TimerScheduling

/// A task of a world.
///
/// Its variables are guarded by the lock of the world.
final class Member: Sendable {
  let task: UInt64
  let world: World
  /// The group of the task that has made it. Nil for a plain task of a test.
  @safe nonisolated(unsafe) var group: Group?
  /// The event for which the task waits, and the event's clock. Nil while the task doesn't wait.
  @safe nonisolated(unsafe) var wait: (event: AwaitedEvent, clock: VirtualClockCore?)?

  /// The key of its sleep by one of Swift's own clocks.
  @safe nonisolated(unsafe) var sleep: UInt64?

  init(task: UInt64, world: World, group: Group?) {
    self.task = task
    self.world = world
    self.group = group
  }
}

/// The members of all worlds, by the numbers of their tasks.
///
/// A task stays a member until it is known to have ended or its world has ended.
enum Members {
  private final class Stripe: Sendable {
    /// Guards the members whose tasks' numbers fall into this stripe. No other lock is taken while it is held.
    let members = WorldLock<[UInt64: Member]>([:])
  }

  private static let stripes = (0..<64).map { _ in Stripe() }

  private static func stripe(of task: UInt64) -> Stripe { stripes[Int(truncatingIfNeeded: task & 63)] }

  static func member(_ task: UInt64) -> Member? {
    task == 0 ? nil : stripe(of: task).members.withLock { $0[task] }
  }

  /// Adds a member, unless its task is a member already. Returns the task's member.
  static func add(_ member: Member) -> Member {
    stripe(of: member.task).members.withLock { members in
      if let known = members[member.task] { return known }
      members[member.task] = member
      return member
    }
  }

  static func remove(_ task: UInt64) {
    let removed = stripe(of: task).members.withLock { $0.removeValue(forKey: task) }
    withExtendedLifetime(removed) {}
  }

  static func members(of world: World) -> [Member] {
    stripes.flatMap { stripe in
      stripe.members.withLock { members in members.values.filter { $0.world === world } }
    }
  }

  static func removeAll(of world: World) {
    for member in members(of: world) { remove(member.task) }
  }
}

/// Tasks that hold up the clock as a whole: those of one run of an action, or all that were added.
///
/// The clock moves only if each group has ended or one of its tasks waits for the clock. The added tasks of a world,
/// with the body of `withVirtualClock`, are a single group, as they may wait for each other. All variables are guarded
/// by the lock of the world.
final class Group: Sendable {
  /// The group of the body or the added task to which the current task belongs. Tasks that it makes have the same value.
  @TaskLocal static var current: Group?

  /// The run, if it is one's group.
  let run: ActionRun?

  init(of run: ActionRun? = nil) { self.run = run }

  /// A run, an added task or a body that hasn't ended.
  struct Participant: Sendable {
    /// The subject of a sentence about it.
    let name: String
    /// The number of its scheduler. Zero if it isn't a run.
    let scheduler: UInt64
  }

  /// By the numbers of their tasks.
  @safe nonisolated(unsafe) var participants: [UInt64: Participant] = [:]
  /// The number of its tasks that wait for the clock.
  @safe nonisolated(unsafe) var waitingCount = 0
  /// Whether the clock has stopped waiting for it, until one of its tasks has a job again.
  @safe nonisolated(unsafe) var isGivenUp = false

  /// Whether the clock has to wait for it.
  var isBusy: Bool { !participants.isEmpty && waitingCount == 0 && !isGivenUp }
}
