/// An event that may happen to a timer in a sequence.
enum ControlEvent {
  case advance, fireAwaited, fireUnawaited, take
  case pause, resume, resumeInPhase, resumeAtOnce, beginScope, endScope
  case fireByHand, reschedule, finish, setBack
  case runActionOrReturn, takeByOther, otherComesOrGoes, firstGoes

  static let ofOneListener: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .beginScope,
    .endScope, .fireByHand, .reschedule, .finish, .setBack,
  ]
  static let ofTwoListeners: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .fireByHand,
    .reschedule, .finish, .runActionOrReturn, .takeByOther, .otherComesOrGoes, .firstGoes,
  ]
}
