/// The effect of a change on a timer's state.
enum TimerTransition: Sendable {
  case none
  case scheduled
  case rescheduled
  case paused
  case resumed
  case finished(TimerFinishReason, whilePaused: Bool)

  /// Creates the transition from one state to another.
  init(from old: TimerState, to new: TimerState) {
    self =
      switch (old, new) {
      case (.scheduled, .paused): .paused
      case (.paused, .scheduled): .resumed
      case (.scheduled, .finished(let reason)): .finished(reason, whilePaused: false)
      case (.paused, .finished(let reason)): .finished(reason, whilePaused: true)
      case (.scheduled, .scheduled), (.paused, .paused), (.finished, _): .none
      }
  }

  /// Whether the state has changed.
  var isChange: Bool {
    switch self {
    case .none: false
    case .scheduled, .rescheduled, .paused, .resumed, .finished: true
    }
  }

  /// Whether the timer has ended.
  var isEnd: Bool {
    switch self {
    case .finished: true
    case .none, .scheduled, .rescheduled, .paused, .resumed: false
    }
  }
}
