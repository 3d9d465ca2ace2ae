import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The timers that an operator has paused or resumed together.
struct PauseNote: Sendable {
  let operatorName: String?
  /// When they were paused. Nil if they were resumed.
  let date: Date?
  /// The numbers of the timers of each scheduler, sorted: a million take 8 MB.
  private let numbers: [String: [UInt64]]
  let count: Int

  init(_ timers: [TimerKey], by operatorName: String?, at date: Date?) {
    self.operatorName = operatorName
    self.date = date
    numbers = Dictionary(grouping: timers, by: \.scheduler).mapValues { $0.map(\.number).sorted() }
    count = timers.count
  }

  func contains(_ timer: TimerKey) -> Bool {
    guard let numbers = numbers[timer.scheduler] else { return false }
    let number = timer.number
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number
  }
}

/// The newest pauses and resumes: a thousand, or fewer that have two million timers in all.
struct PauseNotes: Sendable {
  private static let (limit, timerLimit) = (1_000, 2_000_000)
  private var notes: [PauseNote] = []
  private var count = 0

  mutating func add(_ note: PauseNote) {
    notes.append(note)
    count += note.count
    while notes.count > Self.limit || count > Self.timerLimit {
      count -= notes.removeFirst().count
    }
  }

  func newest(of timer: TimerKey) -> PauseNote? { notes.last { $0.contains(timer) } }
}

extension TimerKey {
  fileprivate var number: UInt64 { UInt64(id.description) ?? .max }
}
