import TimerScheduling

/// Who is busy with what a clock has brought, and who waits for it.
///
/// A consumer is busy from the moment it is woken until it asks again, leaves or, if it runs an action, returns.
/// One whose task waits for the clock in any way isn't waited for in the meantime.
struct Attendance {
  /// Somebody who may be busy.
  enum Attendee: Hashable {
    case consumer(TickConsumer)
    /// A task that was started by the clock.
    case task(UInt64)

    fileprivate var timer: UInt64? {
      switch self {
      case .consumer(let consumer): consumer.timer
      case .task: nil
      }
    }
  }

  private enum Standing {
    /// Hasn't asked for a tick yet.
    case new
    /// Hasn't asked for a tick yet, and there is one.
    case called
    /// Has something to do in a task, which is nil until it begins.
    case busy(TaskIdentity?)
    /// Waits for a tick.
    case waiting
    /// Isn't waited for, until it asks again.
    case excused
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
    /// As how many consumers it has something to do.
    var errandCount = 0
    /// Whether it has been woken from a sleep, without being known as a consumer.
    var hasWokenUp = false

    var isBusy: Bool { waitCount == 0 && (errandCount > 0 || hasWokenUp) }
    var isNone: Bool { waitCount == 0 && errandCount == 0 && !hasWokenUp }
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

  /// How many listeners wait for a tick.
  private(set) var waitingCount = 0

  /// Whether nobody has anything left to do.
  var isSettled: Bool { busyTaskCount == 0 && expectedCount == 0 && workCount == excusedWorkCount }

  // MARK: Consumers

  mutating func enter(_ attendee: Attendee, name: String?) {
    switch attendee {
    case .consumer(.listener(let timer, _)):
      members[attendee] = Member(name: name, standing: .new)
      newcomers[timer, default: []].insert(attendee)
    case .consumer(.run), .task:
      members[attendee] = Member(name: name, standing: .excused)
      set(.busy(nil), of: attendee)
    }
  }

  /// A timer has fired. Whoever hasn't asked for a tick yet is going to.
  mutating func noteFired(timer: UInt64) {
    for attendee in newcomers[timer] ?? [] { set(.called, of: attendee) }
  }

  mutating func noteBusy(_ attendee: Attendee, in task: TaskIdentity) {
    set(.busy(task), of: attendee)
  }

  mutating func leave(_ attendee: Attendee) {
    set(.excused, of: attendee)
    members[attendee] = nil
  }

  // MARK: Waits

  mutating func noteAsking(_ id: WaitID, as attendee: Attendee?, in task: TaskIdentity) {
    waits[id] = Wait(task: task, attendee: attendee)
  }

  mutating func noteWaiting(_ id: WaitID) {
    guard var wait = waits[id] else { return }
    wait.hasBegun = true
    waits[id] = wait
    beginWait(of: wait.task)
    if let attendee = wait.attendee { set(.waiting, of: attendee) }
  }

  mutating func noteWoken(_ id: WaitID) {
    guard let wait = waits.removeValue(forKey: id) else { return }
    if let attendee = wait.attendee { set(.busy(wait.task), of: attendee) }
    if wait.hasBegun { endWait(of: wait.task) }
  }

  /// A task waits for the clock, be it for a tick or otherwise.
  mutating func beginWait(of task: TaskIdentity) {
    change(task) {
      $0.waitCount += 1
      $0.hasWokenUp = false
    }
  }

  /// The wait is over. One that isn't known as a consumer is busy nevertheless if it `slept`.
  mutating func endWait(of task: TaskIdentity, slept: Bool = false) {
    change(task) {
      $0.waitCount -= 1
      if slept, $0.errandCount == 0 { $0.hasWokenUp = true }
    }
  }

  // MARK: Work

  mutating func beginWork() {
    workCount += 1
  }

  mutating func endWork() {
    workCount -= 1
    excusedWorkCount = min(excusedWorkCount, workCount)
  }

  // MARK: Giving up

  /// Somebody who was waited for in vain.
  struct Absentee {
    enum Duty: Hashable { case firstTick, nextTick, action, task, sleep }

    let duty: Duty
    var timer: UInt64?
    var name: String?
  }

  /// Waits no longer for those who are busy, until they ask again.
  mutating func excuseAll() -> [Absentee] {
    var absentees: [Absentee] = []
    for (attendee, member) in members {
      guard let duty = duty(of: attendee, member.standing) else { continue }
      absentees.append(Absentee(duty: duty, timer: attendee.timer, name: member.name))
      set(.excused, of: attendee)
    }
    for (task, presence) in tasks where presence.isBusy {
      absentees.append(Absentee(duty: .sleep))
      change(task) { $0.hasWokenUp = false }
    }
    excusedWorkCount = workCount
    return absentees
  }

  private func duty(of attendee: Attendee, _ standing: Standing) -> Absentee.Duty? {
    switch standing {
    case .new, .waiting, .excused: return nil
    case .called: return .firstTick
    case .busy(let task):
      if let task, tasks[task]?.isBusy != true { return nil }
      switch attendee {
      case .consumer(.listener): return .nextTick
      case .consumer(.run): return .action
      case .task: return .task
      }
    }
  }

  // MARK: Steps

  private mutating func set(_ standing: Standing, of attendee: Attendee) {
    guard let old = members[attendee]?.standing else { return }
    members[attendee]?.standing = standing
    // The new one first, so that a task that stays busy doesn't come to rest in between.
    count(standing, of: attendee, by: 1)
    count(old, of: attendee, by: -1)
  }

  private mutating func count(_ standing: Standing, of attendee: Attendee, by difference: Int) {
    switch standing {
    case .new:
      guard let timer = attendee.timer else { return }
      newcomers[timer]?.remove(attendee)
      if newcomers[timer]?.isEmpty == true { newcomers[timer] = nil }
    case .called, .busy(nil):
      expectedCount += difference
    case .busy(let task?):
      change(task) {
        $0.errandCount += difference
        if difference > 0 { $0.hasWokenUp = false }
      }
    case .waiting:
      waitingCount += difference
    case .excused:
      break
    }
  }

  private mutating func change(_ task: TaskIdentity, _ body: (inout Presence) -> Void) {
    var presence = tasks[task] ?? Presence()
    let wasBusy = presence.isBusy
    body(&presence)
    busyTaskCount += (presence.isBusy ? 1 : 0) - (wasBusy ? 1 : 0)
    tasks[task] = presence.isNone ? nil : presence
  }
}
