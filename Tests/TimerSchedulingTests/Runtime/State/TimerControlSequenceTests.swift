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
    // Up to here the sequence equals the previous one, and was checked.
    var position = 0
    repeat {
      var inspector = timer.makeInspector()
      for (place, number) in sequence.enumerated() {
        var mismatch = inspector.mismatch(isNew: place >= position) { $0.perform(events[number]) }
        let isLast = place == sequence.count - 1
        if isLast, mismatch == nil, timer.hasOther, !inspector.bench.present.isEmpty {
          mismatch = inspector.mismatchInTheLongRun()
        }
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
