import Foundation
import Testing
import TimerScheduling

@Suite struct TimerControlSequenceTests {
  #if DEBUG
  private static let length = 4
  #else
  private static let length = 5
  #endif

  @Test(arguments: EnumeratedSchedule.all)
  func `Every sequence of events leaves a timer in order`(timer: EnumeratedSchedule) {
    let events = timer.hasOther ? ControlEvent.ofTwoListeners : ControlEvent.ofOneListener
    var checkedCount = 0
    var mismatchCount = 0
    var shortest: (length: Int, mismatch: String)?
    var sequence = Array(repeating: 0, count: Self.length)
    // Up to here a sequence is like the one before, and was looked at.
    var position = 0
    repeat {
      var inspector = TimerInspector(timer)
      for (place, number) in sequence.enumerated() {
        var mismatch = inspector.mismatch(after: events[number], isNew: place >= position)
        if place == sequence.count - 1, mismatch == nil { mismatch = inspector.mismatchInTheLongRun() }
        if place >= position { checkedCount += 1 }
        guard let mismatch else { continue }
        mismatchCount += 1
        if place < shortest?.length ?? .max {
          let names = sequence[...place].map { "\(events[$0])" }.joined(separator: ", ")
          shortest = (place, "after \(names): \(mismatch)")
        }
        break
      }
      position = Self.length - 1
      while position >= 0, sequence[position] == events.count - 1 {
        sequence[position] = 0
        position -= 1
      }
      if position >= 0 { sequence[position] += 1 }
    } while position >= 0

    #expect(mismatchCount == 0, "\(shortest?.mismatch ?? "")")
    let counts = (1...Self.length).map { Int(pow(Double(events.count), Double($0))) }
    #expect(checkedCount == counts.reduce(0, +))
  }
}

enum ControlEvent {
  case advance, fireAwaited, fireUnawaited, take
  case pause, resume, resumeInPhase, resumeAtOnce, beginScope, endScope
  case fireByHand, reschedule, finish, setBack
  case runActionOrReturn, takeByOther, otherComesOrGoes, firstGoes

  static let ofOneListener: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .beginScope,
    .endScope, .fireByHand, .reschedule, .finish, .setBack,
  ]
  static let ofTwoListeners: [ControlEvent] = [
    .advance, .fireAwaited, .fireUnawaited, .take, .pause, .resume, .resumeInPhase, .resumeAtOnce,
    .fireByHand,
    .reschedule, .finish, .runActionOrReturn, .takeByOther, .otherComesOrGoes, .firstGoes,
  ]
}

struct EnumeratedSchedule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let schedule: TimerSchedule
  /// How many ticks there may be.
  var mostTicks = Int.max
  /// Whether a deadline may be filed that has come.
  var mayFilePast = false
  /// Whether there is a second listener.
  var hasOther = false

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
