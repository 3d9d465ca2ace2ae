import TimerScheduling

/// Who is busy with what a clock has brought, and who waits for it.
///
/// A consumer is busy from the moment it is woken until it asks again, leaves or, if it runs an action, returns.
/// One whose task waits for the clock in any way isn't waited for in the meantime.
struct Attendance {
  private enum Standing {
    /// Hasn't asked for a tick yet.
    case new
    /// Hasn't asked for a tick yet, and there is one.
    case called
    /// Has something to do in a task that hasn't begun.
    case expected
    /// Has something to do in each of these tasks, and waits in so many others. Those who are excused, until they
    /// ask again, are in neither.
    case present(busy: Set<TaskIdentity>, waitingCount: Int)
  }

  private struct Member {
    let name: String?
    var standing: Standing
  }

  private struct Wait {
    let task: TaskIdentity
    let attendee: Attendee?
    var hasBegun = false
  }

  /// What a task is about.
  private struct Presence {
    var waitCount = 0
    /// As whom it has something to do.
    var errands: Set<Attendee> = []
    /// Whether it has been woken from a sleep, without being known as a consumer.
    var hasWokenUp = false

    var isBusy: Bool { waitCount == 0 && (!errands.isEmpty || hasWokenUp) }
    var isNone: Bool { waitCount == 0 && errands.isEmpty && !hasWokenUp }
  }

  private var members: [Attendee: Member] = [:]
  /// Those of each timer that haven't asked yet.
  private var newcomers: [UInt64: Set<Attendee>] = [:]
  private var waits: [WaitID: Wait] = [:]
  private var tasks: [TaskIdentity: Presence] = [:]
  private var busyTaskCount = 0
  /// Consumers that are called, or whose task hasn't begun.
  private var expectedCount = 0
  private var workCount = 0
  private var excusedWorkCount = 0

  /// How often anything was noted.
  private(set) var noteCount: UInt64 = 0

  /// How many listeners wait for a tick.
  private(set) var waitingCount = 0

  /// Whether nobody has anything left to do.
  var isSettled: Bool { busyTaskCount == 0 && expectedCount == 0 && workCount == excusedWorkCount }

  // MARK: Consumers

  mutating func enter(_ attendee: Attendee, name: String?) {
    noteCount += 1
    switch attendee {
    case .consumer(.listener(let timer, _)):
      members[attendee] = Member(name: name, standing: .new)
      newcomers[timer, default: []].insert(attendee)
    case .consumer(.run), .task:
      members[attendee] = Member(name: name, standing: .expected)
      expectedCount += 1
    }
  }

  /// A timer has fired. Whoever hasn't asked for a tick yet is going to.
  mutating func hasFired(timer: UInt64) {
    noteCount += 1
    for attendee in newcomers.removeValue(forKey: timer) ?? [] {
      members[attendee]?.standing = .called
      expectedCount += 1
    }
  }

  mutating func consumerIsBusy(_ attendee: Attendee, in task: TaskIdentity) {
    noteCount += 1
    change(attendee) { busy, _ in busy.insert(task) }
  }

  mutating func leave(_ attendee: Attendee) {
    noteCount += 1
    change(attendee) { busy, waitingCount in (busy, waitingCount) = ([], 0) }
    members[attendee] = nil
  }

  /// A task has ended, or runs nothing of the clock's any more. It is no consumer either then.
  mutating func end(_ attendee: Attendee, in task: TaskIdentity?) {
    leave(attendee)
    guard let task, let presence = tasks[task] else { return }
    for errand in presence.errands {
      change(errand) { busy, _ in busy.remove(task) }
      // Somebody else may take over.
      if case .present([], 0) = members[errand]?.standing, let timer = errand.timer {
        members[errand]?.standing = .new
        newcomers[timer, default: []].insert(errand)
      }
    }
    change(task) { $0.hasWokenUp = false }
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

  /// A task waits for the clock, be it for a tick or otherwise.
  mutating func beginWait(of task: TaskIdentity) {
    noteCount += 1
    change(task) {
      $0.waitCount += 1
      $0.hasWokenUp = false
    }
  }

  /// The wait is over. One that isn't known as a consumer is busy nevertheless if it `slept`.
  mutating func endWait(of task: TaskIdentity, slept: Bool = false) {
    noteCount += 1
    change(task) {
      $0.waitCount -= 1
      if slept, $0.errands.isEmpty { $0.hasWokenUp = true }
    }
  }

  // MARK: Work

  mutating func beginWork() {
    noteCount += 1
    workCount += 1
  }

  mutating func endWork() {
    noteCount += 1
    workCount -= 1
    excusedWorkCount = min(excusedWorkCount, workCount)
  }

  // MARK: Giving up

  /// Waits no longer for those who are busy, until they ask again.
  mutating func excuseAll() -> [Absentee] {
    var absentees: [Absentee] = []
    let late = Set(tasks.lazy.filter(\.value.isBusy).map(\.key))
    for (attendee, member) in members {
      guard let duty = duty(of: attendee, member.standing) else { continue }
      absentees.append(Absentee(duty: duty, timer: attendee.timer, name: member.name))
      change(attendee) { busy, _ in busy.subtract(late) }
    }
    for (task, presence) in tasks where presence.isBusy {
      absentees.append(Absentee(duty: .sleep))
      change(task) { $0.hasWokenUp = false }
    }
    if workCount > excusedWorkCount { absentees.append(Absentee(duty: .work)) }
    excusedWorkCount = workCount
    return absentees
  }

  private func duty(of attendee: Attendee, _ standing: Standing) -> Absentee.Duty? {
    switch standing {
    case .new: return nil
    case .called: return .firstTick
    case .present(let busy, _) where !busy.contains { tasks[$0]?.isBusy == true }: return nil
    case .expected, .present:
      switch attendee {
      case .consumer(.listener): return .nextTick
      case .consumer(.run): return .action
      case .task: return .task
      }
    }
  }

  // MARK: Steps

  /// Changes in which tasks somebody is busy, and in how many waiting. Whoever was expected has come by then.
  private mutating func change(
    _ attendee: Attendee, _ body: (inout Set<TaskIdentity>, inout Int) -> Void
  ) {
    guard let member = members[attendee] else { return }
    var (busy, waiting): (Set<TaskIdentity>, Int) = ([], 0)
    switch member.standing {
    case .new: removeNewcomer(attendee)
    case .called, .expected: expectedCount -= 1
    case .present(let others, let count): (busy, waiting) = (others, count)
    }
    let (wasBusy, wasWaiting) = (busy, waiting)
    body(&busy, &waiting)
    members[attendee]?.standing = .present(busy: busy, waitingCount: waiting)
    waitingCount += waiting - wasWaiting
    for task in busy.subtracting(wasBusy) {
      change(task) {
        $0.errands.insert(attendee)
        $0.hasWokenUp = false
      }
    }
    for task in wasBusy.subtracting(busy) { change(task) { $0.errands.remove(attendee) } }
  }

  private mutating func removeNewcomer(_ attendee: Attendee) {
    guard let timer = attendee.timer else { return }
    newcomers[timer]?.remove(attendee)
    if newcomers[timer]?.isEmpty == true { newcomers[timer] = nil }
  }

  private mutating func change(_ task: TaskIdentity, _ body: (inout Presence) -> Void) {
    var presence = tasks[task] ?? Presence()
    let wasBusy = presence.isBusy
    body(&presence)
    busyTaskCount += (presence.isBusy ? 1 : 0) - (wasBusy ? 1 : 0)
    tasks[task] = presence.isNone ? nil : presence
  }
}
