import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G106")) struct WakeupStateMachineTests {
  @Test func `Every sequence of up to ten events keeps the calls on a source balanced`() {
    var checkedCount = 0
    var mismatches: [String] = []
    func check(_ events: [MachineEvent]) {
      if !events.isEmpty {
        checkedCount += 1
        if let mismatch = mismatch(in: events) { mismatches.append("\(events): \(mismatch)") }
      }
      guard events.count < 10 else { return }
      for event in MachineEvent.allCases { check(events + [event]) }
    }
    check([])

    // The shortest sequence is the most useful.
    #expect(mismatches.isEmpty, "\(mismatches.min { $0.count < $1.count } ?? "")")
    #expect(checkedCount == 3 + 9 + 27 + 81 + 243 + 729 + 2_187 + 6_561 + 19_683 + 59_049)
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
  case arm, disarm, cancel
}

/// The state that Dispatch keeps of a timer, and the calls at which it would trap.
private struct AbstractSource {
  var isActivated = false
  var isSuspended = false
  var isCancelled = false
  var cancelHandlerCount = 0
  /// The number of deadlines that were set.
  var settingCount = 0

  /// Performs the machine's decisions and returns their faults.
  mutating func apply(_ event: MachineEvent, to machine: inout WakeupStateMachine) -> String? {
    let before = self
    let trap: String?
    switch event {
    case .arm: trap = perform(machine.arm())
    case .disarm: trap = perform(machine.disarm())
    case .cancel: trap = perform(machine.cancel())
    }
    if let trap { return trap }
    if before.isCancelled { return unchanged(since: before) }
    if isActivated, !isSuspended, isCancelled { cancelHandlerCount += 1 }
    return mismatch(after: event, since: before)
  }

  private func mismatch(after event: MachineEvent, since before: AbstractSource) -> String? {
    switch event {
    case .arm:
      guard isActivated, !isSuspended else { return "leaves a source that can't fire" }
      return settingCount == before.settingCount + 1 ? nil : "leaves another deadline"
    case .disarm:
      guard settingCount == before.settingCount else { return "sets a deadline" }
      return !isActivated || isSuspended ? nil : "leaves a source that can fire"
    case .cancel:
      guard isCancelled, isActivated, !isSuspended else { return "leaves a source that traps on release" }
      return cancelHandlerCount == 1 ? nil : "ran the cancel handler \(cancelHandlerCount) times"
    }
  }

  private func unchanged(since before: AbstractSource) -> String? {
    let isUnchanged =
      (isActivated, isSuspended) == (before.isActivated, before.isSuspended)
      && settingCount == before.settingCount
      && cancelHandlerCount == 1
    return isUnchanged ? nil : "touches a cancelled source"
  }

  private mutating func perform(_ calls: WakeupStateMachine.Calls) -> String? {
    if !calls.isEmpty, isCancelled { return "calls a cancelled source" }
    if calls.contains(.setDeadline) { settingCount += 1 }
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
