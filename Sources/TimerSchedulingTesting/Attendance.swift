import TimerScheduling

/// A record of which consumers and tasks are busy with the clock's ticks, and which are waiting for the clock.
///
/// A consumer is busy from the moment it is woken until it asks again, leaves or, if it runs an action, returns. The
/// clock doesn't wait for a consumer while its task waits for the clock in any way.
///
/// Events are noted in such an order that the number of busy tasks may be too high for a moment, and never too low: a
/// wait is announced before the timer is asked for a tick and counts once there is none, and a consumer counts as woken
/// before it is resumed.
package struct Attendance {
  enum Standing {
    /// Hasn't asked for a tick yet.
    case new
    /// Hasn't asked for a tick yet, although there is one.
    case called
    /// Has something to do in a task that hasn't begun.
    case expected
    /// Is busy in the tasks of `busy`, and waits in `waitingCount` others. A task the clock stopped waiting for is in
    /// neither until it asks again.
    case present(busy: Set<TaskIdentity>, waitingCount: Int)
  }

  struct Member {
    let name: String?
    /// The number of its scheduler. Zero for a task.
    var scheduler: UInt64 = 0
    /// Whether this is a task's sleep.
    var isSleep = false
    var standing: Standing
    /// The task that waits for it under a limit, if that task belongs to the tree only for as long.
    var caller: TaskIdentity?
  }

  struct Wait {
    let task: TaskIdentity
    let attendee: Attendee?
    var hasBegun = false
  }

  var members: [Attendee: Member] = [:]
  /// The attendees of each timer that haven't asked for a tick yet.
  private var newcomers: [UInt64: Set<Attendee>] = [:]
  private(set) var waits: [WaitID: Wait] = [:]
  var tasks = TaskTable()
  /// The number of added tasks that haven't ended.
  private var addedTaskCount = 0
  /// The number of participants whose task hasn't begun.
  private var expectedCount = 0
  /// The number of listeners that haven't asked for a tick yet, although there is one.
  private var calledCount = 0
  var workCount = 0
  var givenUpWorkCount = 0

  /// The number of noted events.
  private(set) var noteCount: UInt64 = 0

  /// The number of listeners that are waiting for a tick.
  private(set) var waitingCount = 0

  /// The number of these that are tasks' sleeps.
  private(set) var sleeperCount = 0

  /// Whether no task has anything left to do.
  package var isSettled: Bool { isSettledButForCalled && calledCount == 0 }

  /// Whether no task has anything left to do, not counting listeners that haven't asked for a tick yet.
  package var isSettledButForCalled: Bool {
    tasks.isAtRest && expectedCount == 0 && workCount == givenUpWorkCount
  }

  /// Whether a task has something to do, but seems to be waiting for another one that waits for the clock.
  package var isToBeVerified: Bool { tasks.isToBeVerified }

  package init() {}

  // MARK: Consumers

  package mutating func enter(_ attendee: Attendee, name: String?, of scheduler: UInt64 = 0) {
    noteCount += 1
    switch attendee {
    case .consumer(.listener(let timer, _)):
      members[attendee] = Member(name: name, scheduler: scheduler, standing: .new)
      newcomers[timer, default: []].insert(attendee)
    case .consumer(.run), .task:
      members[attendee] = Member(name: name, scheduler: scheduler, standing: .expected)
      expectedCount += 1
    }
  }

  /// Notes that a listener, which hasn't asked for a tick yet, is a task's sleep.
  mutating func noteSleep(_ attendee: Attendee) { members[attendee]?.isSleep = true }

  /// Notes that the child task of a time limit is about to begin.
  ///
  /// Its caller waits for the limit, and so for the clock. So the caller belongs to the tree of the child task until
  /// this ends, unless the caller belongs to a tree already: an operation that hangs then doesn't hold up the clock.
  /// `jobCount` is the number of the caller's jobs that are queued or running.
  package mutating func enterLimit(_ attendee: Attendee, of caller: TaskIdentity, jobCount: Int) {
    enter(attendee, name: nil)
    guard tasks.tree(of: caller) == nil else { return }
    members[attendee]?.caller = caller
    tasks.begin(.of(attendee))
    tasks.adopt(caller, into: .of(attendee), jobCount: jobCount)
  }

  /// Notes that a timer has fired. Its listeners that haven't asked for a tick yet are now expected to ask.
  mutating func hasFired(timer: UInt64) {
    noteCount += 1
    for attendee in newcomers.removeValue(forKey: timer) ?? [] {
      members[attendee]?.standing = .called
      calledCount += 1
    }
  }

  /// Stops waiting for listeners that haven't asked for a tick yet, until their timer fires again.
  mutating func giveUpCalled() {
    for (attendee, member) in members {
      guard case .called = member.standing, let timer = attendee.timer else { continue }
      members[attendee]?.standing = .new
      newcomers[timer, default: []].insert(attendee)
      calledCount -= 1
    }
  }

  mutating func consumerIsBusy(_ attendee: Attendee, in task: TaskIdentity) {
    noteCount += 1
    change(attendee) { busy, _ in busy.insert(task) }
  }

  /// Notes that a participant begins, in a task. Tasks created by that task belong to the participant.
  ///
  /// `jobCount` is the number of the task's jobs that are queued or running. It is used if that number isn't known
  /// yet.
  package mutating func begin(_ attendee: Attendee, in task: TaskIdentity, isAdded: Bool, jobCount: Int) {
    let tree: TaskTable.Tree? =
      switch attendee {
      case .consumer(.listener): nil
      case .consumer(.run): .of(attendee)
      case .task: isAdded ? .added : tasks.tree(of: task) == nil ? .of(attendee) : nil
      }
    if isAdded { addedTaskCount += 1 }
    if let tree {
      tasks.begin(tree)
      tasks.adopt(task, into: tree, jobCount: jobCount)
    }
    consumerIsBusy(attendee, in: task)
  }

  mutating func leave(_ attendee: Attendee) {
    noteCount += 1
    change(attendee) { busy, waitingCount in (busy, waitingCount) = ([], 0) }
    members[attendee] = nil
  }

  /// Notes that a participant has ended. Its task no longer runs anything for the clock, and is no longer a consumer.
  ///
  /// Returns the tasks that are no longer watched.
  package mutating func end(_ attendee: Attendee, in task: TaskIdentity?, isAdded: Bool) -> Set<TaskIdentity>
  {
    let caller = members[attendee]?.caller
    leave(attendee)
    if let caller { tasks.leaveTree(caller) }
    var left: Set<TaskIdentity> = []
    if let task {
      tasks.leaveTree(task)
      left.insert(task)
    }
    if isAdded { addedTaskCount -= 1 }
    if !isAdded || addedTaskCount == 0 { left.formUnion(tasks.finish(isAdded ? .added : .of(attendee))) }
    removeEnded(left)
    if let caller { left.insert(caller) }
    return left
  }

  /// Removes tasks that have ended, or seem to have, from all consumers they acted for.
  private mutating func removeEnded(_ tasks: Set<TaskIdentity>) {
    for task in tasks {
      for attendee in self.tasks.attendees(of: task) {
        change(attendee) { busy, _ in busy.remove(task) }
        // Another task may take over this listener.
        if case .present([], 0) = members[attendee]?.standing, let timer = attendee.timer {
          members[attendee]?.standing = .new
          newcomers[timer, default: []].insert(attendee)
        }
      }
    }
  }

  // MARK: Jobs

  /// Notes that a job of a task was enqueued, by `creator` if it is the task's first. Returns whether the task
  /// belongs to a participant.
  package mutating func jobEnqueued(_ task: TaskIdentity, by creator: TaskIdentity?) -> Bool {
    let isParticipants = tasks.jobEnqueued(task, by: creator)
    if isParticipants { noteCount += 1 }
    return isParticipants
  }

  /// Returns the tasks that are no longer watched.
  package mutating func jobEnded(_ task: TaskIdentity) -> Set<TaskIdentity> {
    if tasks.tree(of: task) != nil { noteCount += 1 }
    let left = tasks.jobEnded(task)
    removeEnded(left)
    return left
  }

  // MARK: Waits

  mutating func waitBegins(_ id: WaitID, as attendee: Attendee?, in task: TaskIdentity) {
    noteCount += 1
    waits[id] = Wait(task: task, attendee: attendee)
  }

  mutating func waitBegan(_ id: WaitID) {
    noteCount += 1
    guard var wait = waits[id] else { return }
    wait.hasBegun = true
    waits[id] = wait
    beginWait(of: wait.task)
    if let attendee = wait.attendee {
      change(attendee) { busy, waitingCount in
        busy.remove(wait.task)
        waitingCount += 1
      }
    }
  }

  mutating func waitEnded(_ id: WaitID) {
    noteCount += 1
    guard let wait = waits.removeValue(forKey: id) else { return }
    if let attendee = wait.attendee {
      change(attendee) { busy, waitingCount in
        busy.insert(wait.task)
        if wait.hasBegun { waitingCount -= 1 }
      }
    }
    if wait.hasBegun { endWait(of: wait.task) }
  }

  /// Notes that a task waits for the clock, for a tick or otherwise.
  package mutating func beginWait(of task: TaskIdentity) {
    noteCount += 1
    tasks.beginWait(of: task)
  }

  /// Notes that a wait is over. A task that isn't known as a consumer counts as busy if it `slept`.
  package mutating func endWait(of task: TaskIdentity, slept: Bool = false) {
    noteCount += 1
    tasks.endWait(of: task, slept: slept)
  }

  // MARK: Work

  mutating func beginWork() {
    noteCount += 1
    workCount += 1
  }

  mutating func endWork() {
    noteCount += 1
    workCount -= 1
    givenUpWorkCount = min(givenUpWorkCount, workCount)
  }

  // MARK: Steps

  /// Changes the tasks in which an attendee is busy, and the number in which it waits. It then counts as present.
  mutating func change(
    _ attendee: Attendee, _ body: (inout Set<TaskIdentity>, inout Int) -> Void
  ) {
    guard let member = members[attendee] else { return }
    var (busy, waiting): (Set<TaskIdentity>, Int) = ([], 0)
    switch member.standing {
    case .new: removeNewcomer(attendee)
    case .called: calledCount -= 1
    case .expected: expectedCount -= 1
    case .present(let others, let count): (busy, waiting) = (others, count)
    }
    let (wasBusy, wasWaiting) = (busy, waiting)
    body(&busy, &waiting)
    members[attendee]?.standing = .present(busy: busy, waitingCount: waiting)
    waitingCount += waiting - wasWaiting
    if member.isSleep { sleeperCount += waiting - wasWaiting }
    for task in busy.subtracting(wasBusy) {
      tasks.change(task) {
        $0.attendees.insert(attendee)
        $0.hasWokenUp = false
      }
    }
    for task in wasBusy.subtracting(busy) { tasks.change(task) { $0.attendees.remove(attendee) } }
  }

  private mutating func removeNewcomer(_ attendee: Attendee) {
    guard let timer = attendee.timer else { return }
    newcomers[timer]?.remove(attendee)
    if newcomers[timer]?.isEmpty == true { newcomers[timer] = nil }
  }
}
