import TimerScheduling

/// A call on a timer, and the state that follows.
enum Control: CaseIterable {
  case pause, resume, cancel

  static func sequences(upTo length: Int) -> [[Control]] {
    guard length > 0 else { return [[]] }
    let shorter = sequences(upTo: length - 1)
    let longest = shorter.filter { $0.count == length - 1 }
    return shorter + longest.flatMap { sequence in allCases.map { sequence + [$0] } }
  }

  func apply(to timer: ScheduledTimer) {
    switch self {
    case .pause: timer.pause()
    case .resume: timer.resume()
    case .cancel: timer.cancel()
    }
  }

  func state(after state: ScheduledTimer.State) -> ScheduledTimer.State {
    guard state != .finished(.cancelled) else { return state }
    return switch self {
    case .pause: .paused
    case .resume: .scheduled
    case .cancel: .finished(.cancelled)
    }
  }
}
