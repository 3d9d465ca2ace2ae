import TestSupport
import TimerScheduling

/// An event that may happen to a timer in a sequence.
enum ControlEvent {
  case advance, fireAwaited, fireUnawaited, take
  case pause, resume, resumeInPhase, resumeAtOnce, beginScope, endScope
  case fireByHand, reschedule, cancel, setBack
  case runActionOrReturn, takeByOther, otherComesOrGoes, firstGoes

  static let ofOneListener: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .beginScope, .endScope, .fireByHand, .reschedule, .cancel, .setBack,
  ]
  static let ofTwoListeners: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .fireByHand, .reschedule, .cancel, .runActionOrReturn, .takeByOther, .otherComesOrGoes, .firstGoes,
  ]
}

extension TimerInspector {
  mutating func perform(_ event: ControlEvent) {
    switch event {
    case .advance: bench.moveTime(by: .seconds(17.5))
    case .fireAwaited: fireAtDeadline(awaited: true)
    case .fireUnawaited: fireAtDeadline(awaited: false)
    case .take: if bench.present.contains(0) { take(by: 0) }
    case .takeByOther: if let other { take(by: other) }
    case .otherComesOrGoes: if let other { bench.leave(other) } else { join() }
    case .firstGoes: if bench.present.contains(0) { bench.leave(0) }
    case .pause: pause()
    case .resume: resume(.keepingRemainingTime)
    case .resumeInPhase: resume(.keepingPhase)
    case .resumeAtOnce: resume(.immediately)
    case .beginScope: beginScope()
    case .endScope: endScope()
    case .fireByHand: bench.fireByHand()
    case .reschedule: reschedule(.every(10).limit(2), mostTicks: 2)
    case .cancel: cancel()
    case .setBack:
      bench.setWallClock(by: -3600)
      noteSetBack()
      answer()
    case .runActionOrReturn: bench.isRunning.toggle()
    }
  }

  /// The listener that has come after the first.
  private var other: Int? { bench.present.max().flatMap { $0 > 0 ? $0 : nil } }

  /// Comes to the deadline, if there is one to come, and fires.
  private mutating func fireAtDeadline(awaited: Bool) {
    if let filing = bench.filing {
      let wait = filing.deadline - bench.now[filing.timeline]
      if wait > .zero { bench.moveTime(by: wait) }
    }
    fire(awaited: awaited)
  }

  /// Fires the timer and lets its listeners take their ticks, until it must have come to its end.
  ///
  /// Returns the fault if it hasn't.
  mutating func mismatchInTheLongRun() -> String? {
    while scopeCount > 0 { endScope() }
    resume(.keepingPhase)
    bench.isRunning = false
    for _ in 0..<4 where bench.finishReason == nil {
      fireAtDeadline(awaited: true)
      for listener in bench.present {
        while bench.take(by: listener) != nil {}
      }
    }
    return bench.finishReason == nil ? "doesn't come to its limit" : nil
  }
}
