import TimerScheduling

/// What a world says of its members in messages.
extension World {
  /// Returns what the participants wait for, and then what other members do. Nil if there is no wait.
  func describeWaits() -> String? {
    let most = 5
    let members = Members.members(of: self).sorted { $0.task.number < $1.task.number }
    let participants = members.filter { member in state.withLock { _ in member.participant != nil } }
    let others = members.filter { member in
      state.withLock { _ in
        let holdsTime = member.isUnsettled && !member.isGone && member.isUnderWay
        return member.participant == nil && (member.wait != nil || holdsTime)
      }
    }
    // A chain of waits names each task once.
    var named: Set<UInt64> = []
    let all = (participants + others).compactMap { member -> String? in
      if named.contains(member.task.number) { return nil }
      return describe(member, &named).map { "\(name(of: member)) \($0)" }
    }
    let rest = all.count > most ? ", and \(all.count - most) more" : ""
    return all.isEmpty ? nil : all.prefix(most).map(\.lowercasedFirst).joined(separator: ", ") + rest
  }

  /// Returns what a member waits for: a clause, with the waits of those that it waits for.
  func describe(_ member: Member, _ named: inout Set<UInt64>) -> String? {
    guard named.insert(member.task.number).inserted else { return "waits as named" }
    if let (event, clock) = state.withLock({ _ in member.wait }) { return describe(event, of: clock) }
    guard let wait = Runtime.seesWaits ? member.runtimeWait : .continuation else { return nil }
    switch wait {
    case .hasEnded: return nil
    case .none: return state.withLock { _ in member.isReady } ? "has a job to do" : "is under way"
    case .turn(let actor, let isOwn):
      let type = isOwn ? nil : RuntimeWait.typeName(ofObjectAt: actor) { member.runtimeWait == wait }
      return "waits for its turn on an actor\(type.map { " of type \($0)" } ?? "")"
    case .stream: return "waits for a stream"
    case .continuation: return "waits for something other than the clock"
    case .task(let address):
      guard let other = Members.member(at: address), other.world === self else {
        return "waits for a task that isn't of this test"
      }
      return
        "waits for \(name(of: other).lowercasedFirst)\(describe(other, &named).map { ", which \($0)" } ?? "")"
    case .group(let address):
      let children = Members.members(of: self).filter { $0.group == address }
      let texts = children.compactMap { child in
        describe(child, &named).map { "\(name(of: child).lowercasedFirst) \($0)" }
      }
      return "waits for a group\(texts.isEmpty ? "" : ", in which \(texts.joined(separator: " and "))")"
    }
  }

  /// Returns the subject of a sentence about a member.
  func name(of member: Member) -> String { state.withLock { _ in member.subject } }

  private func describe(_ event: AwaitedEvent, of clock: VirtualClockCore) -> String {
    switch event {
    case .sleep(let deadline): "sleeps\(clock.describe(deadline))"
    case .limit(let deadline): "runs an operation with a limit\(clock.describe(deadline))"
    case .tick(let timer, let name):
      "waits for a tick of \(timerName(timer, name))\(clock.describe(timer: timer))"
    case .end(let timer, let name): "waits for the end of \(timerName(timer, name))"
    case .work: "waits for other tasks"
    }
  }
}

extension Member {
  /// The subject of a sentence about the task.
  var subject: String {
    if let participant { return participant.name }
    let task = name.map { "The task \"\($0)\"" } ?? "A task"
    guard let participant = root?.participant else { return task }
    return "\(task) of \(participant.name.lowercasedFirst)"
  }
}

/// Returns a timer's name in a sentence.
func timerName(_ number: UInt64, _ name: String?) -> String {
  name.map { "timer \"\($0)\"" } ?? "timer \(number) without a name"
}

extension String {
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
