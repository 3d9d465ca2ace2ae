import Foundation
import Testing
import TimerScheduling

/// A schedule that is put through every sequence of events.
struct EnumeratedSchedule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let schedule: TimerSchedule
  /// The greatest number of ticks.
  var mostTicks = Int.max
  /// Whether a deadline may be filed that has come.
  var mayFilePast = false
  /// Whether there is a second listener.
  var hasOther = false

  func makeInspector() -> TimerInspector {
    var inspector = TimerInspector(Workbench(schedule), mostTicks: mostTicks, mayFilePast: mayFilePast)
    if hasOther { inspector.join() }
    return inspector
  }

  static let all = [
    EnumeratedSchedule(testDescription: "skip", schedule: .every(10).limit(2), mostTicks: 2),
    EnumeratedSchedule(
      testDescription: "burst", schedule: .every(10).missedTicks(.burst).limit(3), mostTicks: 3),
    EnumeratedSchedule(
      testDescription: "delay, until", schedule: .every(10).missedTicks(.delay).until(Workbench.date(25))),
    EnumeratedSchedule(
      testDescription: "from a date, jittered",
      schedule: .every(10, starting: .at(Workbench.date(-3))).jitter(upTo: .seconds(4)).missedTicks(.burst)),
    EnumeratedSchedule(testDescription: "aligned", schedule: .every(10, starting: .aligned)),
    EnumeratedSchedule(
      testDescription: "aligned, with an offset",
      schedule: .every(10, starting: .aligned(offset: .seconds(-7))).missedTicks(.burst)),
    EnumeratedSchedule(testDescription: "rule", schedule: .rule(EverySeconds(10))),
    EnumeratedSchedule(
      testDescription: "rule with an end, burst",
      schedule: .rule(Answering { $0 < Workbench.date(15) ? $0 + 7 : nil }).missedTicks(.burst),
      mayFilePast: true),
    EnumeratedSchedule(testDescription: "after", schedule: .after(10), mostTicks: 1, mayFilePast: true),
    EnumeratedSchedule(
      testDescription: "at", schedule: .at(Workbench.date(10)), mostTicks: 1, mayFilePast: true),
    EnumeratedSchedule(testDescription: "countdown", schedule: .counting(30), mayFilePast: true),
    EnumeratedSchedule(
      testDescription: "skip, for two", schedule: .every(10).limit(2), mostTicks: 2, hasOther: true),
    EnumeratedSchedule(
      testDescription: "burst, for two", schedule: .every(10).missedTicks(.burst).limit(3), mostTicks: 3,
      hasOther: true),
  ]
}
