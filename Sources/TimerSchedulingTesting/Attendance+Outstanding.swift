import TimerScheduling

extension Attendance {
  /// An attendee, task or work for which the clock stopped waiting.
  struct Outstanding {
    enum Kind: Hashable { case firstTick, nextTick, action, task, childTask, sleep, work }

    /// The subject of a message, which is printed only once: a timer, an added task, or the kind of any other one.
    enum Subject: Hashable {
      case timer(UInt64)
      case task(UInt64)
      case kind(Kind)
    }

    let kind: Kind
    var attendee: Attendee?
    var name: String?

    var subject: Subject {
      switch attendee {
      case .consumer(let consumer): .timer(consumer.timer)
      case .task(let number): .task(number)
      case nil: .kind(kind)
      }
    }

    /// Whether this is a participant. If the clock goes on without one, later results differ from those it would have
    /// produced.
    var isParticipant: Bool { kind == .action || kind == .task || kind == .childTask }
  }

  /// Stops waiting for busy tasks until they ask again. Returns those it waited for.
  mutating func giveUpAll() -> [Outstanding] {
    var outstanding: [Outstanding] = []
    let late = tasks.tasksHoldingUp
    for (attendee, member) in members {
      guard let kind = kind(of: attendee, member.standing) else { continue }
      outstanding.append(Outstanding(kind: kind, attendee: attendee, name: member.name))
      change(attendee) { busy, _ in busy.subtract(late) }
    }
    for task in tasks.tasksHoldingUp {
      outstanding.append(Outstanding(kind: .sleep))
      tasks.change(task) { $0.hasWokenUp = false }
    }
    if tasks.giveUpTrees(), !outstanding.contains(where: \.isParticipant) {
      outstanding.append(Outstanding(kind: .childTask))
    }
    if workCount > givenUpWorkCount { outstanding.append(Outstanding(kind: .work)) }
    givenUpWorkCount = workCount
    return outstanding
  }

  private func kind(of attendee: Attendee, _ standing: Standing) -> Outstanding.Kind? {
    switch standing {
    case .new: return nil
    case .called: return .firstTick
    case .present(let busy, _) where !busy.contains(where: tasks.isHoldingUp): return nil
    case .expected, .present:
      switch attendee {
      case .consumer(.listener): return .nextTick
      case .consumer(.run): return .action
      case .task: return .task
      }
    }
  }
}

extension Attendance.Outstanding {
  /// Returns the message about this item.
  func description(after timeout: Duration) -> String {
    let timer = Attendance.description(ofTimer: attendee?.timer, name: name)
    let failing =
      switch kind {
      case .firstTick: "No task has asked \(timer) for its first tick"
      case .nextTick: "The consumer of \(timer) hasn't asked for its next tick"
      case .action: "The action of \(timer) hasn't returned"
      case .task: "The task \(name ?? "of a time limit") hasn't ended or waited for the clock"
      case .childTask:
        "A task created by an action or by an added task hasn't ended or waited for the clock"
      case .sleep:
        "A task that has slept hasn't waited for the clock again (start it by `addTask`, so that the clock knows its end)"
      case .work: "A scheduler's work in a task of its own, such as asking a rule, hasn't ended"
      }
    return "\(failing) within \(timeout). The clock goes on without waiting for it."
  }
}
