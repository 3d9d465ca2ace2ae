import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite struct TimerControlSequenceTests {
  private static let length = size(3, full: 5)

  struct Case: Sendable, CustomTestStringConvertible {
    let schedule: TimerSchedule
    /// The greatest number of ticks.
    var mostTicks = Int.max
    /// Whether a deadline may be filed that has come.
    var mayFilePast = false
    /// Whether there is a second listener.
    var hasOther = false

    var testDescription: String { "\(schedule)\(hasOther ? ", for two" : "")" }

    private static let start = Workbench.date(-3)

    static let all = [
      Case(schedule: .every(10).limit(2), mostTicks: 2),
      Case(schedule: .every(10).missedTicks(.burst).limit(3), mostTicks: 3),
      Case(schedule: .every(10).missedTicks(.delay).until(Workbench.date(25))),
      Case(schedule: .every(10, starting: .at(start)).jitter(upTo: .seconds(4)).missedTicks(.burst)),
      Case(schedule: .every(10, starting: .aligned)),
      Case(schedule: .every(10, starting: .aligned(offset: .seconds(-7))).missedTicks(.burst)),
      Case(schedule: .rule(EverySeconds(10))),
      Case(
        schedule: .rule(Answering { $0 < Workbench.date(15) ? $0 + 7 : nil }).missedTicks(.burst),
        mayFilePast: true),
      Case(schedule: .after(10), mostTicks: 1, mayFilePast: true),
      Case(schedule: .at(Workbench.date(10)), mostTicks: 1, mayFilePast: true),
      Case(schedule: .counting(30), mayFilePast: true),
      Case(schedule: .every(10).limit(2), mostTicks: 2, hasOther: true),
      Case(schedule: .every(10).missedTicks(.burst).limit(3), mostTicks: 3, hasOther: true),
    ]

    /// Returns what is wrong after the last of the events.
    func fault(after events: [ControlEvent]) -> String? {
      var inspector = TimerInspector(Workbench(schedule), mostTicks: mostTicks, mayFilePast: mayFilePast)
      if hasOther { inspector.join() }
      var mismatch: String?
      for (place, event) in events.enumerated() {
        mismatch = inspector.mismatch(isNew: place == events.count - 1) { $0.perform(event) }
      }
      if mismatch == nil, hasOther, !inspector.bench.present.isEmpty {
        mismatch = inspector.mismatchInTheLongRun()
      }
      return mismatch.map { "After \(events.map { "\($0)" }.joined(separator: ", ")) the timer \($0)" }
    }
  }

  @Test(arguments: Case.all) func `Every sequence of events leaves a timer in order`(each: Case) {
    let events = each.hasOther ? ControlEvent.ofTwoListeners : ControlEvent.ofOneListener
    var fault: String?
    var count = 1
    // Shorter sequences come first, so the first that fails is the shortest.
    for length in 1...Self.length where fault == nil {
      count *= events.count
      for number in 0..<count where fault == nil {
        var rest = number
        let sequence = (0..<length).map { _ in
          defer { rest /= events.count }
          return events[rest % events.count]
        }
        fault = each.fault(after: sequence)
      }
    }
    #expect(fault == nil, "\(fault ?? "")")
  }
}
