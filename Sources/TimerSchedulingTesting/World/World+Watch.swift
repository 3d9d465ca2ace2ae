import Synchronization
import TimerScheduling

extension World {
  /// The waits of a world in real time, and their lengths. The ``Watchdog`` calls
  /// ``World/look(after:isMainThreadBusy:)`` regularly.
  struct Watch {
    /// A task that waits in real time for consumers or sleepers.
    struct Expectation {
      enum Subject {
        case consumers(Int)
        case sleepers(Int)
      }

      let subject: Subject
      let clock: VirtualClockCore
      let limit: Duration
      /// Resumes the waiting task.
      let end: @Sendable () -> Void
      var age = Duration.zero
      var isReported = false
    }

    var expectations: [UInt64: Expectation] = [:]
    /// The progress at the last look, and the time for which it hasn't changed.
    var progress: UInt64 = 0
    var quiet = Duration.zero
    /// The time since a clock last moved, or the body last went on.
    var stuck = Duration.zero
    /// The time for which a clock has been moved without a pause.
    var moving = Duration.zero
    /// Whether the line about a clock that no test moves was printed.
    var hasReportedStandstill = false
    /// The subjects of which a line was printed.
    var reported: Set<String> = []
  }

  /// The time after which a line says that no test moves the clock for which tasks wait, or that a move takes
  /// long.
  fileprivate static var patience: Duration { .seconds(10) }

  /// What a look has found.
  fileprivate enum Finding {
    case nothing
    /// The work has kept its thread for too long.
    case blocked(World.Current)
    /// Members are under way elsewhere, or time is held, for too long.
    case late(ClockMove)
    case lateBody(VirtualBody)
    /// The main actor or the global executor hasn't run a job for too long.
    case unverified
    /// Tasks wait for a clock that no test moves.
    case standstill
    case longMove(ClockMove)
  }

  /// Looks after `interval` of real time if anything takes too long. While the main thread is busy, it looks
  /// only at what doesn't need that.
  func look(after interval: Duration, isMainThreadBusy: Bool) {
    // A member may keep the main thread by a job that began before it was one.
    let waitsForMember =
      isMainThreadBusy
      && Members.members(of: self).contains { $0.runtimeWait == RuntimeWait.none }
    let isMainThreadBusy = isMainThreadBusy && !waitsForMember
    switch state.withLock({ $0.look(after: interval, settlingTimeout, isMainThreadBusy) }) {
    case .nothing: break
    case .blocked(let work): workIsBlocked(work)
    case .late(let move): giveUp(for: move)
    case .unverified:
      state.withLock { $0.hasUnseenJobs = false }
      wake()
    case .lateBody(let body): body.fail(.standstill(after: body.timeout, waits: describeWaits()))
    case .standstill:
      guard let waits = describeWaits() else { break }
      report(
        "VirtualClock: No test has moved the clock for \(Self.patience), and tasks wait for it: \(waits). "
          + "Call `advance(by:)`.")
    case .longMove(let move):
      report(
        "VirtualClock: A move of the clock has taken \(Self.patience) of real time so far. The clock shows "
          + "\(move.clock.offset(at: move.clock.shown.now)).")
    }
    if !isMainThreadBusy { lookAtExpectations(after: interval) }
  }

  private func workIsBlocked(_ work: World.Current) {
    let does =
      work.hasBegun ? "kept its thread" : "waited for the main thread, which a task of the test keeps,"
    let line =
      "\(work.member.map { name(of: $0) } ?? "A task") has \(does) for \(settlingTimeout). "
      + "The clock's other tasks go on with another thread, and their order is no longer the same in every run."
    let move = state.withLock { state -> ClockMove? in
      guard let member = work.member else { return nil }
      state.ask(about: member)
      // Time doesn't wait for it until its next job. A move waits longer for a participant, by a timeout of
      // its own.
      if member.participant == nil || state.moves.isEmpty { member.passedWait = RuntimeWait.none }
      return member.participant == nil && member.root == nil && work.hasBegun ? nil : state.nextMove
    }
    if let move { move.clock.fail(line) } else { report("VirtualClock: \(line)") }
    replaceWorker()
  }

  /// Stops waiting for members that are under way elsewhere, and fails the test for participants that wait
  /// for them.
  private func giveUp(for move: ClockMove) {
    let (late, others) = state.withLock { state in
      let late = state.participants.values.filter { member in
        if case .underWay = state.hold(of: member, [], move.clock) { true } else { false }
      }
      let others = state.unsettled.filter { member in
        !member.isGone && member.passedWait?.isUnderWay != true && member.isUnderWay
      }
      return (late, others)
    }
    if late.isEmpty, others.isEmpty { return }
    move.clock.settlingTimeoutCount.add(1, ordering: .relaxed)
    for (index, member) in (late + others).enumerated() {
      let name = name(of: member)
      var named: Set<UInt64> = []
      let wait = describe(member, &named) ?? "goes on"
      state.withLock { _ in member.passedWait = RuntimeWait.none }
      guard state.withLock({ $0.watch.reported.insert(name).inserted }) else { continue }
      let line =
        "\(name) hasn't ended or waited for the clock within \(move.clock.settlingTimeout): it \(wait). The clock goes "
        + "on without waiting for it. If it takes long, wait for it in `await clock.holdTime { … }`."
      if index < late.count { move.clock.fail(line) } else { report("VirtualClock: \(line)") }
    }
    wake()
  }

  func reportDeadlock(of members: [Member]) {
    let chain = members.map { name(of: $0).lowercasedFirst }
    let text = (chain + chain.prefix(1)).joined(separator: " waits for ")
    let body = state.withLock { state in
      for member in members { member.passes() }
      return state.body
    }
    if let body { body.fail(.deadlock(text)) }
    guard body == nil, let move = state.withLock({ $0.nextMove }) else { return }
    move.clock.fail("Tasks are in a deadlock: \(text). The clock goes on without them.")
  }

  func reportEndlessMoment(_ move: ClockMove?, _ body: VirtualBody?) {
    let (count, last) = state.withLock { state in
      defer { state.moment = Moment() }
      return (state.moment.jobCount, state.lastParticipant)
    }
    guard let clock = move?.clock ?? body?.clock else { return }
    let line =
      "The moment \(clock.offset(at: clock.shown.now)) doesn't end: \(count) jobs were run in it, the last of "
      + "\(last?.name.lowercasedFirst ?? "a task")."
    if let move {
      clock.fail(line + " The move of the clock ends here.")
      move.isCancelled.store(true, ordering: .relaxed)
    } else {
      body?.fail(.endlessMoment(line, waits: describeWaits()))
    }
  }

  // MARK: Expectations

  /// Waits until consumers or sleepers have come, or the calling task is cancelled.
  func expect(_ subject: Watch.Expectation.Subject, on clock: VirtualClockCore, limit: Duration) async {
    let number = clock.makeNumber()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waitBegins(for: .work, of: clock)
        let waits = state.withLock { state in
          // The handler below runs after the task is marked as cancelled, and takes the same lock.
          if isOver || Task.isCancelled || clock.fulfills(subject) { return false }
          state.watch.expectations[number] = Watch.Expectation(
            subject: subject, clock: clock, limit: limit
          ) {
            continuation.resume()
          }
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.watch.expectations.removeValue(forKey: number) }?.end()
    }
    waitEnded()
  }

  /// Ends the waits for consumers and sleepers that have come.
  func endFulfilledWaits() {
    let ended = state.withLock { state -> [Watch.Expectation] in
      if state.watch.expectations.isEmpty { return [] }
      let ended = state.watch.expectations.filter { $0.value.clock.fulfills($0.value.subject) }
      for number in ended.keys { state.watch.expectations[number] = nil }
      return Array(ended.values)
    }
    for expectation in ended { expectation.end() }
  }

  private func lookAtExpectations(after interval: Duration) {
    for number in state.withLock({ Array($0.watch.expectations.keys) }) {
      let due = state.withLock { state -> (expectation: Watch.Expectation, isOver: Bool)? in
        guard var expectation = state.watch.expectations[number] else { return nil }
        expectation.age += interval
        let isOver = expectation.age >= expectation.limit
        let isLate = !expectation.isReported && expectation.age >= expectation.clock.lookTimeout
        expectation.isReported = expectation.isReported || isLate
        state.watch.expectations[number] = isOver ? nil : expectation
        return isOver || isLate ? (expectation, isOver) : nil
      }
      guard let due else { continue }
      let line = due.expectation.shortfall
      if due.isOver {
        due.expectation.clock.fail(line)
        due.expectation.end()
      } else {
        due.expectation.clock.report("VirtualClock: \(line)")
      }
    }
  }
}

extension World.Watch.Expectation {
  fileprivate var shortfall: String {
    let (count, subject, found) =
      switch subject {
      case .consumers(let count): (count, "consumers", clock.consumerCount)
      case .sleepers(let count): (count, "sleepers", clock.sleeperCount)
      }
    return
      "The test waits for \(count) \(subject), and \(found) were found. Wait for fewer, or start more."
  }
}

extension World.State {
  /// Returns what takes too long, after a further `interval`.
  fileprivate mutating func look(
    after interval: Duration, _ settlingTimeout: Duration, _ isMainThreadBusy: Bool
  ) -> World.Finding {
    // A job of the world that has the main thread makes it busy.
    let hasMainThread = current?.isForMainThread == true && current?.hasBegun == true
    if isMainThreadBusy, !hasMainThread { return .nothing }
    let hasChanged = watch.progress != progress
    watch.progress = progress
    watch.quiet = hasChanged ? .zero : watch.quiet + interval
    watch.stuck += interval
    if !isAtWork, let move = nextMove, watch.quiet >= move.clock.lookTimeout {
      watch.quiet = .zero
      return hasUnseenJobs && verifiedProgress != progress ? .unverified : .late(move)
    }
    // A move that is late goes on after its own timeout.
    if let body, watch.stuck >= body.timeout * (moves.isEmpty ? 1 : 2) {
      watch.stuck = .zero
      return .lateBody(body)
    }
    let timeout = settlingTimeout > .zero ? settlingTimeout : .seconds(1)
    if isAtWork, let current, watch.quiet >= timeout {
      watch.quiet = .zero
      return .blocked(current)
    }
    watch.moving = moves.isEmpty ? .zero : watch.moving + interval
    if let move = nextMove, watch.moving >= World.patience, watch.moving - interval < World.patience {
      return .longMove(move)
    }
    guard body == nil, moves.isEmpty, !isAtWork, waitingCount > 0, !watch.hasReportedStandstill,
      watch.quiet >= World.patience
    else { return .nothing }
    watch.hasReportedStandstill = true
    return .standstill
  }
}
