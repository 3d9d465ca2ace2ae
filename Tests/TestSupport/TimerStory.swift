package import TimerScheduling

/// One timer's life according to its events, and the contradictions between them.
package struct TimerStory {
  private enum Chapter { case untold, scheduled, paused, over }

  private var chapter = Chapter.untold
  package private(set) var contradictions: [String] = []
  package private(set) var ticks = 0
  package private(set) var missed = 0
  package private(set) var failures = 0

  package init() {}

  package var isOver: Bool { chapter == .over }
  package var isPaused: Bool { chapter == .paused }

  package mutating func tell(_ kind: TimerEvent.Kind) {
    switch kind {
    case .scheduled: turn(from: [.untold], to: .scheduled, kind)
    case .paused: turn(from: [.scheduled], to: .paused, kind)
    case .resumed: turn(from: [.paused], to: .scheduled, kind)
    case .finished: turn(from: [.scheduled, .paused], to: .over, kind)
    case .rescheduled: expect([.scheduled, .paused], kind)
    case .ticked(let tick):
      // After the timer has completed, listeners that were behind may take the ticks that they are owed.
      expect([.scheduled, .over], kind)
      ticks += 1
      missed += tick.missedCount
    case .actionFailed:
      // An action that was running when its timer ended or was paused.
      expect([.scheduled, .paused, .over], kind)
      failures += 1
    @unknown default: break
    }
  }

  private mutating func turn(from expected: [Chapter], to next: Chapter, _ kind: TimerEvent.Kind) {
    expect(expected, kind)
    chapter = next
  }

  private mutating func expect(_ expected: [Chapter], _ kind: TimerEvent.Kind) {
    if !expected.contains(chapter) { contradictions.append("\(kind) while \(chapter)") }
  }
}
