import Foundation
import TimerScheduling

/// The effects of a change of a searched timer, and the rules that hold after it.
extension SearchedTimer {
  func settle(since old: TimerState) {
    let effects = machine.takeEffects(since: old)
    var woken = effects.woken
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
    if let run = effects.nextRun { results.append(.began(run)) }
  }

  /// Checks what must hold after a change.
  func check() {
    let outcome = self.outcome
    for case .tick in results where outcome.isPaused { fault = "gives a tick while it is paused" }
    if let reason = end {
      if !waiting.isEmpty { fault = "lets a task wait at the end" }
      if outcome.filing != nil || outcome.remaining != nil { fault = "has a deadline at the end" }
      if reason != .completed, outcome.canTake.contains(true) { fault = "has a tick after the end" }
      if hasJustEnded, reason == .completed, outcome.canTake.contains(true),
        !machine.ledger.isNewestTaken
      {
        fault = "completes before its last tick is taken"
      }
      return
    }
    if outcome.isPaused != (isPausedByCall || isInScope) { fault = "is paused without a reason, or isn't" }
    if outcome.isPaused, outcome.filing != nil || outcome.canTake.contains(true) {
      fault = "goes on in a pause"
    }
    if waiting.values.contains(where: {
      !machine.mustWait(joined($0)) && !awake.contains(ObjectIdentifier($0))
    }) {
      fault = "lets a task wait though there is a tick"
    }
    if hasAction, !outcome.isRunning, outcome.mayRun { fault = "doesn't run its action" }
    // A timer that is dormant has a deadline ahead, and one that asks a rule may have one.
    let isOver = outcome.remaining == nil && !machine.isByRule
    if isOver, !outcome.isPaused, !outcome.isRunning, !outcome.canTake.contains(true) {
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
    let ledger = machine.isFinished ? TickLedger() : machine.ledger
    let listeners = [first, other].compactMap(\.self)
    return Outcome(
      results: results, isPaused: machine.publicState == .paused, end: machine.finishReason,
      filing: machine.filing, remaining: machine.remainingTime(at: now),
      nextDate: machine.nextDate(at: now), mustWait: listeners.map { machine.mustWait(joined($0)) },
      canTake: listeners.map { machine.canTake(joined($0)) },
      mayRun: machine.actionCursor.map { machine.canTake($0) } ?? false, isRunning: machine.isRunning,
      taken: ledger.takenCount, missed: ledger.totalMissedCount,
      lateness: ledger.newestLateness)
  }
}
