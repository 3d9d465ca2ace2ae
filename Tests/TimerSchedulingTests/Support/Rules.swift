import Foundation
import TimerScheduling

/// Ticks at multiples of a number of seconds from the reference date.
struct EverySeconds: TickRule {
  let seconds: Double

  init(_ seconds: Double) { self.seconds = seconds }

  func nextTick(after date: Date) -> Date? {
    let multiple = (date.timeIntervalSinceReferenceDate / seconds).rounded(.down) + 1
    return Date(timeIntervalSinceReferenceDate: multiple * seconds)
  }
}

/// Ticks at the dates that a closure returns.
struct Answering: TickRule {
  let answer: @Sendable (Date) -> Date?

  init(_ answer: @escaping @Sendable (Date) -> Date?) { self.answer = answer }

  func nextTick(after date: Date) -> Date? { answer(date) }
}

extension TimerSchedule {
  /// A countdown of so many seconds, in steps of ten.
  static func counting(_ seconds: Int) -> TimerSchedule {
    TimerSchedule(
      cadence: .countdown(CountdownScale(from: .seconds(seconds), to: .zero, every: .seconds(10))))
  }
}
