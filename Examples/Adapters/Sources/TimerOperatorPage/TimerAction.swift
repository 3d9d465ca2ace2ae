import HTTPTypes
import TimerScheduling

/// What an operator can do to a timer.
enum TimerAction: String, CaseIterable {
  case pause, resume, fire, cancel

  func perform(on timer: ScheduledTimer) throws(Refusal) {
    switch (self, timer.state) {
    case (.pause, .scheduled): timer.pause()
    case (.resume, .paused): timer.resume()
    case (.fire, .scheduled): timer.fire()
    case (.cancel, .scheduled), (.cancel, .paused): timer.cancel()
    case (.pause, .paused), (.resume, .scheduled): break
    case (.fire, .paused): throw Refusal(.conflict, "A paused timer can't fire.")
    default: throw Refusal(.conflict, "The timer has finished.")
    }
  }
}
