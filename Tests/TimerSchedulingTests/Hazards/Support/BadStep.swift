import TimerScheduling

/// An invalid step of a countdown.
enum BadStep: String, Codable, CaseIterable {
  case zero, zeroSeconds, negative, notANumber

  func countDown() {
    switch self {
    case .zero: _ = TimerScheduler().countdown(from: .seconds(3), every: .zero)
    case .zeroSeconds: _ = TimerScheduler().countdown(from: 3, every: 0)
    case .negative: _ = TimerScheduler().countdown(from: 0, to: 3, every: -1)
    case .notANumber: _ = TimerScheduler().countdown(from: 3, every: .nan)
    }
  }
}
