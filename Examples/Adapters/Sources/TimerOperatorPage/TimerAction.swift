import HTTPTypes
import TimerScheduling

/// An operator's action on a timer.
package enum TimerAction: String, CaseIterable, BulkAction {
  package typealias Key = TimerKey

  case pause, resume, fire, cancel

  package static let noun = "timer"

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

  package var reverse: TimerAction? {
    switch self {
    case .pause: .resume
    case .resume: .pause
    case .fire, .cancel: nil
    }
  }

  package var isHeldBack: Bool { reverse == nil }

  package var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .fire: "Fire"
    case .cancel: "Cancel"
    }
  }

  package var participle: String {
    switch self {
    case .pause: "paused"
    case .resume: "resumed"
    case .fire: "fired"
    case .cancel: "cancelled"
    }
  }
}
