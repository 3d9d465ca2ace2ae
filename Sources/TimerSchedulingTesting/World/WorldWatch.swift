import Synchronization
import TimerScheduling

/// What a world waits for in real time, and for how long. The ``Watchdog`` calls ``World/look(after:)`` regularly.
struct WorldWatch {
  /// A task that waits in real time for consumers, sleepers or the end of a scheduler's runs.
  struct Expectation {
    enum Subject {
      case consumers(Int)
      case sleepers(Int)
      case runs(of: UInt64)
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
  /// The time for which a clock was to be moved and the world wasn't at rest.
  var restless = Duration.zero
  /// Whether the line about a clock that no test moves was printed.
  var hasReportedStandstill = false
  /// The subjects of which a line was printed.
  var reported: Set<String> = []
}

extension World {
  /// The time after which a line says that no test moves the clock for which tasks wait.
  fileprivate static var standstillLimit: Duration { .seconds(10) }
  /// The longest time to wait for a job of the main actor.
  fileprivate static var mainActorLimit: Duration { .seconds(60) }

  /// What a look has found.
  fileprivate enum Finding {
    case nothing
    /// The work has kept its thread for too long.
    case blocked(World.Current)
    /// There was always something to do, for too long.
    case restless
    /// The groups that the clock waits for have neither ended nor waited for it.
    case late(ClockMove)
    case lateBody(VirtualBody)
    /// The main actor or the global executor hasn't run a job for too long.
    case unverified
    /// Tasks wait for a clock that no test moves.
    case standstill
  }

  /// Looks after `interval` of real time if anything takes too long.
  func look(after interval: Duration) {
    switch state.withLock({ $0.look(after: interval, settlingTimeout) }) {
    case .nothing: break
    case .blocked(let work): workIsBlocked(work)
    case .restless:
      report(
        "VirtualClock: Tasks have had something to do all the time, for ten settling timeouts. The clock goes on."
      )
      state.withLock { $0.isRestForced = true }
      wake()
    case .late(let move): giveUp(for: move)
    case .unverified:
      state.withLock { $0.hasUnseenJobs = false }
      wake()
    case .lateBody(let body): body.fail(.standstill(after: body.timeout, waits: describeWaits()))
    case .standstill:
      // Time that moves by itself stands still after the body's end.
      guard !sleepsAreVirtual, let waits = describeWaits() else { break }
      report(
        "VirtualClock: No test has moved the clock for \(Self.standstillLimit), and tasks wait for it: \(waits). "
          + "Call `advance(by:)`.")
    }
    lookAtExpectations(after: interval)
  }

  private func workIsBlocked(_ work: World.Current) {
    let line =
      "\(work.member.map { name(of: $0) } ?? "A task") has kept its thread for \(settlingTimeout). "
      + "The clock's other tasks go on with another thread, and their order is no longer the same in every run."
    let move = state.withLock { state in work.member?.group == nil ? nil : state.nextMove }
    if let move { move.clock.fail(line) } else { report("VirtualClock: \(line)") }
    replaceWorker()
  }

  /// Stops waiting for the groups that are busy, and fails the test.
  private func giveUp(for move: ClockMove) {
    let late = state.withLock { state in
      let late = state.busyParticipants
      for group in state.groups.values where group.isBusy { state.change(group) { $0.isGivenUp = true } }
      return late
    }
    move.clock.settlingTimeoutCount.add(1, ordering: .relaxed)
    for name in late {
      guard state.withLock({ $0.watch.reported.insert(name).inserted }) else { continue }
      move.clock.fail(
        "\(name) hasn't ended or waited for the clock within \(move.clock.settlingTimeout). The clock goes on without "
          + "waiting for it. If it waits for input from the test, start it by `Task`. If it sleeps by `Task.sleep`, use "
          + "`withVirtualClock`.")
    }
    wake()
  }

  // MARK: Expectations

  /// Waits until consumers or sleepers have come, or the calling task is cancelled.
  func expect(_ subject: WorldWatch.Expectation.Subject, on clock: VirtualClockCore, limit: Duration) async {
    let number = clock.makeNumber()
    clock.waitBegins(for: .work)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // The handler below runs after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled || clock.fulfills(subject) { return false }
          state.watch.expectations[number] = WorldWatch.Expectation(
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
    let ended = state.withLock { state -> [WorldWatch.Expectation] in
      if state.watch.expectations.isEmpty { return [] }
      let ended = state.watch.expectations.filter { $0.value.clock.fulfills($0.value.subject) }
      for number in ended.keys { state.watch.expectations[number] = nil }
      return Array(ended.values)
    }
    for expectation in ended { expectation.end() }
  }

  private func lookAtExpectations(after interval: Duration) {
    for number in state.withLock({ Array($0.watch.expectations.keys) }) {
      let due = state.withLock { state -> (expectation: WorldWatch.Expectation, isOver: Bool)? in
        guard var expectation = state.watch.expectations[number] else { return nil }
        // A shutdown that waits for the clock isn't late while the clock moves.
        if case .runs = expectation.subject, !state.moves.isEmpty { return nil }
        expectation.age += interval
        let isOver = expectation.age >= expectation.limit
        let isLate = !expectation.isReported && expectation.age >= expectation.clock.lookTimeout
        expectation.isReported = expectation.isReported || isLate
        state.watch.expectations[number] = isOver ? nil : expectation
        return isOver || isLate ? (expectation, isOver) : nil
      }
      guard let due, let line = shortfall(of: due.expectation) else { continue }
      if due.isOver {
        due.expectation.clock.fail(line)
      } else {
        due.expectation.clock.report("VirtualClock: \(line)")
      }
      if due.isOver { due.expectation.end() }
    }
  }

  private func expected(_ count: Int, _ subject: String, found: Int) -> String {
    "The test waits for \(count) \(subject), and \(found) were found. Wait for fewer, or start more."
  }

  private func shortfall(of expectation: WorldWatch.Expectation) -> String? {
    let clock = expectation.clock
    switch expectation.subject {
    case .consumers(let count):
      return expected(count, "consumers", found: clock.consumerCount.load(ordering: .relaxed))
    case .sleepers(let count):
      return expected(count, "sleepers", found: clock.sleeperCount.load(ordering: .relaxed))
    case .runs(let scheduler):
      let members = Members.members(of: self)
      let runs = state.withLock { state in
        state.groups.values.compactMap { group -> (UInt64, String, [Member])? in
          guard let run = group.participants.first(where: { $0.value.scheduler == scheduler }) else {
            return nil
          }
          return (run.key, run.value.name, members.filter { $0.group === group && $0.wait != nil })
        }
      }
      let texts = runs.sorted { $0.0 < $1.0 }.map { _, name, waiting in
        let wait = waiting.min { $0.task < $1.task }.flatMap { member in state.withLock { _ in member.wait } }
        return "\(name.lowercasedFirst) \(wait.map { describe($0.event, of: $0.clock) } ?? "hasn't returned")"
      }
      return texts.isEmpty ? nil : "A scheduler's shutdown waits: \(texts.joined(separator: ", "))."
    }
  }

  // MARK: Descriptions

  /// Returns what the members wait for, and which participants wait for nothing that the world knows. Waits for clocks
  /// that were dropped don't count. Nil if there is no wait.
  func describeWaits() -> String? {
    let most = 5
    let members = Members.members(of: self).sorted { $0.task < $1.task }
    let waits = members.compactMap { member -> String? in
      guard let (event, clock) = state.withLock({ _ in member.wait }), clock?.isHeld ?? true else {
        return nil
      }
      return "\(name(of: member)) \(describe(event, of: clock))"
    }
    let others = state.withLock { $0.busyParticipants }.map {
      "\($0) waits for something other than the clock"
    }
    let all = others + waits
    let rest = all.count > most ? ", and \(all.count - most) more" : ""
    return all.isEmpty ? nil : all.prefix(most).map(\.lowercasedFirst).joined(separator: ", ") + rest
  }

  private func name(of member: Member) -> String {
    state.withLock { _ in
      guard let group = member.group else { return "A task" }
      if let participant = group.participants[member.task] { return participant.name }
      return group.participants.count == 1
        ? "A task of \(group.participants.values.first?.name.lowercasedFirst ?? "")"
        : "A task of an added task"
    }
  }

  private func describe(_ event: AwaitedEvent, of clock: VirtualClockCore?) -> String {
    switch event {
    case .sleep(let deadline): "sleeps\(clock?.describe(deadline) ?? "")"
    case .limit(let deadline): "runs an operation with a limit\(clock?.describe(deadline) ?? "")"
    case .tick(let timer, let name):
      "waits for a tick of \(timerName(timer, name))\(clock?.describe(timer: timer) ?? "")"
    case .end(let timer, let name): "waits for the end of \(timerName(timer, name))"
    case .work: "waits for other tasks"
    }
  }
}

/// Returns a timer's name in a sentence.
func timerName(_ number: UInt64, _ name: String?) -> String {
  name.map { "timer \"\($0)\"" } ?? "timer \(number) without a name"
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension World.State {
  /// The names of the participants of busy groups, none of which has a task that waits for the clock.
  fileprivate var busyParticipants: [String] {
    let participants = groups.values.filter(\.isBusy).flatMap(\.participants)
    return participants.sorted { $0.key < $1.key }.map(\.value.name)
  }

  /// Returns what takes too long, after a further `interval`.
  fileprivate mutating func look(after interval: Duration, _ settlingTimeout: Duration) -> World.Finding {
    let hasChanged = watch.progress != progress
    watch.progress = progress
    watch.quiet = hasChanged ? .zero : watch.quiet + interval
    let timeout = settlingTimeout > .zero ? settlingTimeout : .seconds(1)
    if isAtWork {
      watch.restless = moves.isEmpty ? .zero : watch.restless + interval
      if watch.restless >= timeout * 10, hasChanged {
        watch.restless = .zero
        return .restless
      }
      guard let current, watch.quiet >= (current.isOnMainThread ? World.mainActorLimit : timeout) else {
        return .nothing
      }
      watch.quiet = .zero
      return .blocked(current)
    }
    if let move = nextMove {
      guard watch.quiet >= (busyCount > 0 ? move.clock.settlingTimeout : timeout) else { return .nothing }
      watch.quiet = .zero
      return busyCount > 0 ? .late(move) : .unverified
    }
    if let body { return watch.quiet >= body.timeout ? .lateBody(body) : .nothing }
    guard waitingCount > 0, heldClockCount > 0, !watch.hasReportedStandstill,
      watch.quiet >= World.standstillLimit
    else { return .nothing }
    watch.hasReportedStandstill = true
    return .standstill
  }
}
