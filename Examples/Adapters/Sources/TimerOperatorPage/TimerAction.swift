import HTTPTypes
import TimerScheduling

/// An operator's action on a timer.
enum TimerAction: String, CaseIterable {
  case pause, resume, fire, cancel

  /// The actions for many timers at a time.
  static let ofMany: [TimerAction] = [.pause, .resume, .cancel]

  /// Does the action. Returns whether the timer was in another state before.
  @discardableResult
  func perform(on timer: ScheduledTimer) throws(Refusal) -> Bool {
    switch (self, timer.state) {
    case (.pause, .scheduled): timer.pause()
    case (.resume, .paused): timer.resume()
    case (.fire, .scheduled): timer.fire()
    case (.cancel, .scheduled), (.cancel, .paused): timer.cancel()
    case (.pause, .paused), (.resume, .scheduled): return false
    case (.fire, .paused): throw Refusal(.conflict, "A paused timer can't fire.")
    default: throw Refusal(.conflict, "The timer has finished.")
    }
    return true
  }

  /// The action that undoes this one. Nil if none does.
  var reverse: TimerAction? {
    switch self {
    case .pause: .resume
    case .resume: .pause
    case .fire, .cancel: nil
    }
  }

  var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .fire: "Fire"
    case .cancel: "Cancel"
    }
  }

  /// The action as it is told of once it is done.
  var participle: String {
    switch self {
    case .pause: "paused"
    case .resume: "resumed"
    case .fire: "fired"
    case .cancel: "cancelled"
    }
  }
}
