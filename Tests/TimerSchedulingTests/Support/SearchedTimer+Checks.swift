import Foundation
import TimerScheduling

/// The effects of a change of a searched timer, and the rules that hold after it.
extension SearchedTimer {
  func settle(since old: TimerState) {
    let effects = shared.takeEffects(since: old, nil)
    var woken = effects.woken
    let begins = effects.beginsRun
    var count = 0
    for task in woken.takeAll() {
      count += 1
      guard let listener = waiting.removeValue(forKey: task.id) else {
        fault = "wakes a task that doesn't wait"
        continue
      }
      awake.insert(ObjectIdentifier(listener))
    }
    if count > 0 { results.append(.woken(count)) }
    if begins { results.append(.began(shared.beginRun())) }
  }

  /// Checks what must hold after a change.
  func check() {
    let machine = outcome
    for case .tick in results where machine.isPaused { fault = "gives a tick while it is paused" }
    if let reason = end {
      if !waiting.isEmpty { fault = "lets a task wait at the end" }
      if machine.filing != nil || machine.remaining != nil { fault = "has a deadline at the end" }
      if reason != .completed, machine.canTake.contains(true) { fault = "has a tick after the end" }
      if hasJustEnded, reason == .completed, machine.canTake.contains(true),
        !shared.machine.ledger.isNewestTaken
      {
        fault = "completes before its last tick is taken"
      }
      return
    }
    if machine.isPaused != (isPausedByCall || isInScope) { fault = "is paused without a reason, or isn't" }
    if machine.isPaused, machine.filing != nil || machine.canTake.contains(true) {
      fault = "goes on in a pause"
    }
    if waiting.values.contains(where: { !shared.mustWait($0) && !awake.contains(ObjectIdentifier($0)) }) {
      fault = "lets a task wait though there is a tick"
    }
    if hasAction, !machine.isRunning, machine.mayRun { fault = "doesn't run its action" }
    // A timer that is dormant has a deadline ahead, and one that asks a rule may have one.
    let isOver = machine.remaining == nil && !shared.machine.isByRule
    if isOver, !machine.isPaused, !machine.isRunning, !machine.canTake.contains(true) {
      fault = "doesn't end"
    }
  }

  /// The result of an event, and the parts of the timer's state that can be observed.
  struct Outcome: Equatable {
    var results: [Result]
    var isPaused: Bool
    var end: TimerFinishReason?
    var filing: Filing?
    var remaining: Interval?
    var nextDate: Date?
    var mustWait: [Bool]
    var canTake: [Bool]
    var mayRun: Bool
    var isRunning: Bool
    var taken: Int64
    var missed: Int64
    var lateness: Interval?
  }

  var outcome: Outcome {
    // A timer that has ended tells no counts.
    let ledger = shared.machine.isFinished ? TickLedger() : shared.machine.ledger
    let listeners = [first, other].compactMap(\.self)
    return Outcome(
      results: results, isPaused: shared.machine.publicState == .paused, end: shared.machine.finishReason,
      filing: shared.machine.filing, remaining: shared.machine.remainingTime(at: now),
      nextDate: shared.machine.nextDate(at: now), mustWait: listeners.map { shared.mustWait($0) },
      canTake: listeners.map { shared.canTake($0) },
      mayRun: shared.actionCursor.map { shared.machine.canTake($0) } ?? false, isRunning: shared.isRunning,
      taken: ledger.takenCount, missed: ledger.totalMissedCount,
      lateness: ledger.newestLateness)
  }
}
