import Foundation
import Testing
import TimerScheduling

/// A schedule with its first deadline after ten seconds, and the facts that a test of its control needs.
struct ControlledSchedule: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let description: String
  let schedule: TimerSchedule
  var isOnce = false

  var testDescription: String { description }

  func makeBench() -> Workbench { Workbench(schedule) }

  // MARK: Which a pause moves

  static let grids = [
    ControlledSchedule(description: "every", schedule: .every(10)),
    ControlledSchedule(
      description: "every, from a date", schedule: .every(10, starting: .at(Workbench.date(10)))),
    ControlledSchedule(
      description: "every, with all options",
      schedule: .every(10).tolerance(.seconds(3)).limit(1_000).until(.distantFuture)),
  ]

  static let jittered = [
    ControlledSchedule(description: "every, jittered", schedule: .every(10).jitter(upTo: .seconds(4))),
    ControlledSchedule(
      description: "every, from a date, jittered",
      schedule: .every(10, starting: .at(Workbench.date(10))).jitter(upTo: .seconds(4))),
  ]

  static let countdown = ControlledSchedule(description: "countdown", schedule: .counting(100_000))

  static let once = ControlledSchedule(description: "after", schedule: .after(10), isOnce: true)

  static let movable = grids + jittered + [countdown, once]

  // MARK: Which are dates

  static let cadencesOfDates = [
    ControlledSchedule(description: "aligned", schedule: .every(10, starting: .aligned)),
    ControlledSchedule(description: "rule", schedule: .rule(EverySeconds(10))),
  ]

  static let repeating = grids + jittered + [countdown] + cadencesOfDates
}

extension TimerSchedule {
  /// A countdown of so many seconds, in steps of ten.
  static func counting(_ seconds: Int) -> TimerSchedule {
    TimerSchedule(
      cadence: .countdown(CountdownScale(from: .seconds(seconds), to: .zero, every: .seconds(10))))
  }
}
