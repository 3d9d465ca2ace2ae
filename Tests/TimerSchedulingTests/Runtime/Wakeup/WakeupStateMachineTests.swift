import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G106")) struct WakeupStateMachineTests {
  @Test func `In every state, each event keeps a source balanced, and has it fire as asked`() throws {
    var ways: [[MachineEvent]] = [[]]
    var states: Set<AbstractSource> = [AbstractSource()]
    var mismatches: [String] = []
    var repetitionCount = 0
    var position = 0
    while position < ways.count {
      let way = ways[position]
      position += 1
      for event in MachineEvent.all {
        guard let (source, mismatch) = try source(after: way + [event]) else { continue }
        if let mismatch { mismatches.append("\(way + [event]): \(mismatch)") }
        if source.isRepeating, source.hasSetNothing { repetitionCount += 1 }
        if states.insert(source).inserted { ways.append(way + [event]) }
      }
    }
    // The shortest way is the most useful.
    #expect(mismatches.isEmpty, "\(mismatches.first ?? "")")
    #expect(ways.count == 773 && repetitionCount == 24)
  }

  @Test func `From the fourth deadline at one distance on, a source isn't touched`() throws {
    let steady = Array(repeating: [MachineEvent.arm(2), .fire], count: 4).joined()
    let (source, _) = try #require(try source(after: Array(steady) + [.arm(2)]))
    #expect(source.settingCount == 3)
    let (changed, mismatch) = try #require(try self.source(after: Array(steady) + [.arm(1), .fire, .arm(2)]))
    #expect(changed.settingCount == 5 && mismatch == nil)
  }

  /// Returns a source after events, and the first fault of their calls. Nil if the last event can't happen.
  private func source(after events: [MachineEvent]) throws -> (AbstractSource, mismatch: String?)? {
    var machine = WakeupStateMachine()
    var source = AbstractSource()
    for event in events {
      guard source.allows(event) else { return nil }
      if let mismatch = source.apply(event, to: &machine) { return (source, "\(event) \(mismatch)") }
    }
    var released = source
    // The calls that the performer makes when it is released.
    let mismatch = released.apply(.cancel, to: &machine).map { "release \($0)" }
    return (source, mismatch)
  }
}

enum MachineEvent: Hashable, Sendable {
  /// A deadline that is so far away.
  case arm(Int64)
  case disarm
  case cancel
  /// Time moves to the moment at which the source fires.
  case fire
  /// A moment passes before the call that follows a wakeup.
  case delay

  static let all = [MachineEvent.arm(1), .arm(2), .arm(3), .disarm, .cancel, .fire, .delay]
}

/// The state that Dispatch keeps of a timer, and the calls at which it would trap. Times count from now.
private struct AbstractSource: Hashable {
  private var isActivated = false
  private var isCancelled = false
  private var cancelHandlerCount = 0
  private var next: Int64?
  private var period: Int64?
  /// The deadlines of the last two calls and the machine's period, which tell two machines apart. A machine
  /// may keep its period when the source is disarmed.
  private var deadlines: [Int64] = []
  private var machinePeriod: Int64?
  /// Whether the last deadline that was set was ahead when a later one was armed. Unless that was set, too,
  /// the source also fires before it.
  private var mayBeEarly = false
  /// Whether the source has fired, and no call has followed.
  private var isHandling = false

  /// The number of deadlines that were set, and whether the last event has set none. Neither belongs to the
  /// state.
  private(set) var settingCount = 0
  private(set) var hasSetNothing = false

  var isRepeating: Bool { period != nil && isActivated && !isCancelled && !isHandling }

  static func == (left: Self, right: Self) -> Bool { left.state == right.state }
  func hash(into hasher: inout Hasher) { hasher.combine(state) }
  private var state: [Int64?] {
    [isActivated, isCancelled, isHandling, mayBeEarly].map { $0 ? 1 : 0 }
      + [next, period, machinePeriod] + deadlines
  }

  private var isAhead: Bool { isActivated && !isCancelled && !isHandling }

  /// A call follows each wakeup, in time or as late as the longest period.
  func allows(_ event: MachineEvent) -> Bool {
    switch event {
    case .arm, .disarm: true
    case .cancel: !isCancelled
    case .fire: isAhead && next != nil
    case .delay: isHandling && deadlines.last.map { $0 > -3 } ?? false
    }
  }

  /// Performs the machine's decisions and returns their faults.
  mutating func apply(_ event: MachineEvent, to machine: inout WakeupStateMachine) -> String? {
    let before = self
    let trap: String?
    hasSetNothing = false
    switch event {
    case .arm(let step):
      // Some moment far from the start.
      let deadline = Deadline(nanoseconds: 1_000 + elapsed + step)
      deadlines = deadlines.suffix(1) + [step]
      if isAhead, let next, next < step { mayBeEarly = true }
      trap = perform(machine.arm(at: deadline), step, machine.period?.nanoseconds)
    case .disarm: trap = perform(machine.disarm())
    case .cancel: trap = perform(machine.cancel())
    case .fire:
      pass()
      return nil
    case .delay:
      delay()
      return nil
    }
    machinePeriod = machine.period?.nanoseconds
    if let trap { return trap }
    isHandling = false
    if before.isCancelled { return unchanged(since: before) }
    if isActivated, isCancelled { cancelHandlerCount += 1 }
    return mismatch(after: event, since: before)
  }

  /// The time since the start. It doesn't belong to the state, either.
  private var elapsed: Int64 = 0

  private mutating func pass() {
    guard let time = next else { return }
    elapsed += time
    deadlines = deadlines.map { $0 - time }
    next = period
    isHandling = true
  }

  /// Lets a moment pass. A source that repeats may fire again in it, for the same call.
  private mutating func delay() {
    elapsed += 1
    deadlines = deadlines.map { $0 - 1 }
    if let time = next { next = time > 1 ? time - 1 : period }
  }

  private mutating func mismatch(after event: MachineEvent, since before: AbstractSource) -> String? {
    hasSetNothing = settingCount == before.settingCount
    switch event {
    case .arm(let step):
      guard isActivated else { return "leaves a source that can't fire" }
      return next == step || firesLater(at: step) ? nil : "leaves another deadline"
    case .disarm:
      guard hasSetNothing else { return "sets a deadline" }
      return next == nil ? nil : "leaves a source that can fire"
    case .cancel:
      guard isCancelled, isActivated else { return "leaves a source that traps on release" }
      return cancelHandlerCount == 1 ? nil : "ran the cancel handler \(cancelHandlerCount) times"
    case .fire, .delay: return nil
    }
  }

  /// Whether a source that isn't set fires at a moment, after it has fired for an earlier deadline.
  private func firesLater(at step: Int64) -> Bool {
    guard hasSetNothing, mayBeEarly, let next, let period else { return false }
    return next < step && (step - next).isMultiple(of: period)
  }

  private func unchanged(since before: AbstractSource) -> String? {
    let isUnchanged =
      isActivated == before.isActivated && settingCount == before.settingCount && cancelHandlerCount == 1
    return isUnchanged ? nil : "touches a cancelled source"
  }

  private mutating func perform(
    _ calls: WakeupStateMachine.Calls, _ deadline: Int64 = 0, _ period: Int64? = nil
  ) -> String? {
    if !calls.isEmpty, isCancelled { return "calls a cancelled source" }
    if calls.contains(.setDeadline) {
      settingCount += 1
      (next, self.period) = (deadline, period)
      mayBeEarly = false
    }
    if calls.contains(.activate) {
      guard !isActivated else { return "activates twice" }
      isActivated = true
    }
    if calls.contains(.clearDeadline) {
      guard isActivated else { return "clears the deadline of a source that has none" }
      (next, self.period) = (nil, nil)
      mayBeEarly = false
    }
    if calls.contains(.cancel) { isCancelled = true }
    return nil
  }
}
