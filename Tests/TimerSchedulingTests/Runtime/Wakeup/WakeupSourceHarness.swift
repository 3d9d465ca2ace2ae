import Dispatch
import Foundation
import Testing
import TimerScheduling

enum SourceEvent: Sendable {
  case arm(Deadline)
  /// Arms a deadline an hour after the last one.
  case armAnHourLater
  case disarm, cancel

  /// One deadline comes at once, the other never.
  static let alphabet = [
    arm(Deadline(nanoseconds: 1_000)), arm(Deadline(nanoseconds: 1 << 61)), disarm, cancel,
  ]

  /// Three deadlines at one distance, from the last of which on a source repeats.
  static let steady = [arm(Deadline(nanoseconds: 1_000)), armAnHourLater, armAnHourLater]

  static func sequences(
    upTo length: Int, of alphabet: [SourceEvent] = Self.alphabet
  ) -> [[SourceEvent]] {
    var longest: [[SourceEvent]] = [[]]
    var sequences: [[SourceEvent]] = []
    for _ in 0..<length {
      longest = longest.flatMap { events in alphabet.map { events + [$0] } }
      sequences += longest
    }
    return sequences
  }
}

/// Drives a source through each sequence, releases it, and exits with the outcome of the cancel handlers.
func exitAfter(driving sequences: [[SourceEvent]]) {
  let queue = DispatchQueue(label: "sources")
  let tally = Tally(sourceCount: sequences.count)
  for (number, events) in sequences.enumerated() {
    let source = DispatchWakeupSource(
      on: number.isMultiple(of: 2) ? .monotonic : .wall, queue: queue,
      onWakeup: { tally.wakeupDelivered(of: number) }, onCancel: { tally.noteCancellation(of: number) })
    var last = Deadline.past
    for event in events {
      switch event {
      case .arm(let deadline):
        last = deadline
        source.arm(at: last)
      case .armAnHourLater:
        last = last + Interval(.seconds(3600))
        source.arm(at: last)
      case .disarm: source.disarm()
      case .cancel: source.cancel()
      }
    }
  }
  let isComplete = tally.cancellations.wait(timeout: .now() + 30) == .success
  // By then a handler that was called twice has finished its second run.
  queue.sync {}
  if let mismatch = tally.mismatch {
    Issue.record("\(mismatch.calls): \(sequences[mismatch.source])")
    exit(EXIT_FAILURE)
  }
  exit(isComplete ? EXIT_SUCCESS : EXIT_FAILURE)
}

final class Tally: Sendable {
  private struct Counts {
    var cancellations = 0
    var lateWakeups = 0
  }

  /// Left once for each source.
  let cancellations = DispatchGroup()
  /// Guards the notes of the handlers on each source.
  private let counts: Lock<[Counts]>

  init(sourceCount: Int) {
    counts = Lock(Array(repeating: Counts(), count: sourceCount))
    for _ in 0..<sourceCount { cancellations.enter() }
  }

  func wakeupDelivered(of source: Int) {
    counts.withLock { if $0[source].cancellations > 0 { $0[source].lateWakeups += 1 } }
  }

  func noteCancellation(of source: Int) {
    let isFirst = counts.withLock { counts in
      counts[source].cancellations += 1
      return counts[source].cancellations == 1
    }
    if isFirst { cancellations.leave() }
  }

  /// The first source whose cancel handler wasn't called once and last, and the calls.
  var mismatch: (source: Int, calls: String)? {
    let counts = counts.withLock { $0 }
    let first = counts.firstIndex { $0.cancellations != 1 || $0.lateWakeups > 0 }
    return first.map { source in
      let (cancellations, wakeups) = (counts[source].cancellations, counts[source].lateWakeups)
      return (source: source, calls: "\(cancellations) cancel handlers, \(wakeups) wakeups after them")
    }
  }
}
