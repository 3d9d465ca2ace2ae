import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G106")) struct WakeupStateMachineTests {
  @Test func `Every sequence of up to eight events keeps the calls on a source balanced, and few`() {
    var checkedCount = 0
    var mismatches: [String] = []
    func check(_ events: [MachineEvent]) {
      if !events.isEmpty {
        checkedCount += 1
        if let mismatch = mismatch(in: events) { mismatches.append("\(events): \(mismatch)") }
      }
      guard events.count < 8 else { return }
      for event in MachineEvent.allCases { check(events + [event]) }
    }
    check([])

    // The shortest sequence is the most useful.
    #expect(mismatches.isEmpty, "\(mismatches.min { $0.count < $1.count } ?? "")")
    #expect(checkedCount == 5 + 25 + 125 + 625 + 3_125 + 15_625 + 78_125 + 390_625)
  }

  private func mismatch(in events: [MachineEvent]) -> String? {
    var machine = WakeupStateMachine()
    var source = AbstractSource()
    for event in events {
      if let mismatch = source.apply(event, to: &machine) { return "\(event) \(mismatch)" }
    }
    // The calls that the performer makes when it is released.
    return source.apply(.cancel, to: &machine).map { "release \($0)" }
  }
}

enum MachineEvent: CaseIterable, Sendable {
  case armA, armB, disarm, wakeupDelivered, cancel

  fileprivate var deadline: Deadline { Deadline(nanoseconds: self == .armB ? 2 : 1) }
}

/// The state that Dispatch keeps of a timer, and the calls at which it would trap.
private struct AbstractSource {
  var isActivated = false
  var isSuspended = false
  var isCancelled = false
  var cancelHandlerCount = 0
  /// The deadline for which the timer is set and hasn't fired.
  var deadline: Deadline?

  /// Performs the machine's decisions and returns their faults.
  mutating func apply(_ event: MachineEvent, to machine: inout WakeupStateMachine) -> String? {
    let before = self
    let trap: String?
    switch event {
    case .armA, .armB: trap = perform(machine.arm(at: event.deadline), deadline: event.deadline)
    case .disarm: trap = perform(machine.disarm())
    case .cancel: trap = perform(machine.cancel())
    case .wakeupDelivered:
      machine.wakeupDelivered()
      // A timer fires only while active; a late call of its handler doesn't depend on its deadline.
      if isActivated, !isSuspended, !isCancelled { deadline = nil }
      trap = nil
    }
    if let trap { return trap }
    if before.isCancelled { return unchanged(since: before) }
    if isActivated, !isSuspended, isCancelled { cancelHandlerCount += 1 }
    return mismatch(after: event)
  }

  private func mismatch(after event: MachineEvent) -> String? {
    switch event {
    case .armA, .armB:
      guard isActivated, !isSuspended else { return "leaves a source that can't fire" }
      return deadline == event.deadline ? nil : "leaves another deadline"
    case .disarm:
      return !isActivated || isSuspended ? nil : "leaves a source that can fire"
    case .wakeupDelivered:
      return nil
    case .cancel:
      guard isCancelled, isActivated, !isSuspended else { return "leaves a source that traps on release" }
      return cancelHandlerCount == 1 ? nil : "ran the cancel handler \(cancelHandlerCount) times"
    }
  }

  private func unchanged(since before: AbstractSource) -> String? {
    let isUnchanged =
      (isActivated, isSuspended, deadline) == (before.isActivated, before.isSuspended, before.deadline)
      && cancelHandlerCount == 1
    return isUnchanged ? nil : "touches a cancelled source"
  }

  private mutating func perform(
    _ calls: WakeupStateMachine.Calls, deadline: Deadline? = nil
  ) -> String? {
    if !calls.isEmpty, isCancelled { return "calls a cancelled source" }
    if calls.contains(.setDeadline) {
      if calls == .setDeadline, self.deadline == deadline { return "sets the deadline that is set" }
      self.deadline = deadline
    }
    if calls.contains(.activate) {
      guard !isActivated else { return "activates twice" }
      isActivated = true
    }
    if calls.contains(.suspend) {
      guard isActivated, !isSuspended else { return "suspends in the wrong state" }
      isSuspended = true
    }
    if calls.contains(.cancel) { isCancelled = true }
    if calls.contains(.resume) {
      guard isSuspended else { return "resumes what isn't suspended" }
      isSuspended = false
    }
    return nil
  }
}
