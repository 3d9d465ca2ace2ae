import TimerScheduling

/// Which tasks are members.
extension World {
  /// The code that makes a task: that of a world, and of its member if it runs in one.
  struct Maker {
    let world: World
    let member: Member?
    /// The runtime's record of the `async let` that it begins.
    var record: UInt?

    /// Whether the member waits for its turn on an actor.
    var goesToActor: Bool {
      if WorldThread.current?.isOnlyMaking == true { return true }
      if case .turn? = member?.runtimeWait { return true }
      return false
    }
  }

  enum Membership {
    case member(Member)
    /// It becomes one, if it is a task.
    case new(Maker)
    /// It belongs to no world, as long as it doesn't wait for a clock.
    case stranger
  }

  /// Says to which world a job belongs that the calling thread enqueues.
  ///
  /// | Its task | is made, or enqueued | Then it is |
  /// | --- | --- | --- |
  /// | is known | anywhere | the member that it was at its birth, or became by a wait for a clock |
  /// | isn't known | by the call that makes it, for a member | a new member |
  /// | isn't known | otherwise | a stranger: each birth in a world is seen |
  /// | none: a job of an actor | by code of a world | the world's, for no member |
  /// | none | otherwise | a stranger's |
  ///
  /// Code is that of a world if its task is a member, whatever thread and executor it runs on, or if a thread
  /// of the world runs it in no task. Where births aren't seen, a task that isn't known is a new member if
  /// code of a world, or a thread of it, enqueues the job.
  static func membership(of task: RuntimeTask?) -> Membership {
    guard let task else { return maker.map { .new($0) } ?? .stranger }
    if let member = Members.member(task) { return .member(member) }
    if let thread = WorldThread.current, thread.isOnlyMaking {
      return .new(Maker(world: thread.world, member: thread.member, record: thread.record))
    }
    return Runtime.seesBirths ? .stranger : maker.map { .new($0) } ?? .stranger
  }

  /// The world to which the code belongs that runs, and its member. Nil for other code.
  static var maker: Maker? {
    guard hasOpen else { return nil }
    let thread = WorldThread.current
    let ofThread = thread.flatMap { $0.world.isOver ? nil : Maker(world: $0.world, member: $0.member) }
    if let thread, thread.isOnlyMaking { return ofThread }
    guard let task = Runtime.currentTask else { return ofThread }
    guard let member = Members.member(task) else { return Runtime.seesBirths ? nil : ofThread }
    return member.world.isOver ? nil : Maker(world: member.world, member: member)
  }

  /// The world whose time a wait of the current task for another world holds. Time doesn't wait for a plain
  /// task that moves a bare clock.
  static var held: World? {
    guard let maker, let member = maker.member else { return nil }
    let isHeld = maker.world.state.withLock { _ in member.participant != nil || member.root != nil }
    return isHeld ? maker.world : nil
  }

  /// Takes a job that is about to be enqueued on the global executor or, with `isMain`, on that of the main
  /// actor. Returns false if it belongs to no world.
  static func take(_ job: UnownedJob, isMain: Bool = false) -> Bool {
    if TaskMaker.takes(job) { return true }
    // Before the first world, the parts of the runtime aren't known.
    guard hasOpen else { return false }
    return Runtime.withoutTurns { takes(job, isMain: isMain) }
  }

  private static func takes(_ job: UnownedJob, isMain: Bool) -> Bool {
    let task = Runtime.task(of: job)
    switch membership(of: task) {
    case .stranger: return false
    case .member(let member):
      return member.world.takes(ReadyWork(job, isMain: isMain, member: member))
    case .new(let maker):
      if let task {
        let member = maker.world.join(task, madeBy: maker.member, record: maker.record, isComing: true)
        return maker.world.takes(ReadyWork(job, isMain: isMain, member: member))
      }
      // A task that yields enqueues a job that resumes it. Where orders are explored, the job of an actor is
      // that of the task that goes to it.
      let isYield = Runtime.resumes(job)
      let member = isYield || maker.world.isExploring && maker.goesToActor ? maker.member : nil
      return maker.world.takes(ReadyWork(job, isMain: isMain, member: member, isYield: isYield))
    }
  }

  private func takes(_ work: ReadyWork) -> Bool {
    if isOver { return false }
    add(work)
    return true
  }

  /// Makes a task a member. It belongs to the tasks of its maker's participant. `isComing` says that its
  /// first job is added next.
  @discardableResult
  func join(
    _ task: RuntimeTask, madeBy maker: Member?, record: UInt? = nil, group: UInt = 0, name: String? = nil,
    isComing: Bool = false
  ) -> Member {
    if let known = Members.member(task) { return known }
    let member = state.withLock { state in
      let root = maker.flatMap { $0.participant == nil ? $0.root : $0 }
      let binding = record.flatMap { record in maker.map { Member.Binding(parent: $0, record: record) } }
      let birth = state.order?.timeline == nil ? [] : Runtime.callers()
      let member = Member(
        task, in: self, root: root, group: group, name: name, birth: birth, binding: binding)
      if !isComing { state.ask(about: member) }
      maker?.yieldCount = 0
      return member
    }
    let added = Members.add(member)
    // Otherwise the end of the world removes it.
    if isOver { Members.remove(added) }
    return added
  }

  /// The member that the current task is. A task that waits for a clock for the first time becomes one. Nil
  /// outside of tasks, and after the end of its world.
  ///
  /// A task that `isMaker` has just made a clock of the world, so no task that it has made before can use
  /// that.
  @discardableResult
  func currentMember(isMaker: Bool = false) -> Member? {
    guard let task = Runtime.currentTask else { return nil }
    if let member = Members.member(task) { return member.world.isOver ? nil : member }
    if isOver { return nil }
    // The tasks that a task from outside has made so far aren't known.
    if !isMaker {
      state.withLock { state in
        state.hasUnseenJobs = true
        state.order?.isWhole = false
      }
    }
    let maker = Self.maker
    return (maker?.world ?? self).join(task, madeBy: maker?.member)
  }

  /// The time that Swift's own clocks show to the code that runs. Nil if it is the real time.
  static var shownTime: ShownTime? { hasBody ? maker?.world.shownTime : nil }
}
