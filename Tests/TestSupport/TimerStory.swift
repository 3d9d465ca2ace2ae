package import TimerScheduling

/// One timer's life according to its events, and the contradictions between them.
package struct TimerStory {
  private enum Phase { case new, scheduled, paused, finished }

  private var phase = Phase.new
  package private(set) var contradictions: [String] = []
  package private(set) var ticks = 0
  package private(set) var missed = 0
  package private(set) var failures = 0

  package init() {}

  package var isFinished: Bool { phase == .finished }
  package var isPaused: Bool { phase == .paused }

  package mutating func tell(_ kind: TimerEvent.Kind) {
    switch kind {
    case .scheduled: move(from: [.new], to: .scheduled, kind)
    case .paused: move(from: [.scheduled], to: .paused, kind)
    case .resumed: move(from: [.paused], to: .scheduled, kind)
    case .finished: move(from: [.scheduled, .paused], to: .finished, kind)
    case .rescheduled: expect([.scheduled, .paused], kind)
    case .ticked(let tick):
      expect([.scheduled], kind)
      ticks += 1
      missed += tick.missedCount
    case .actionFailed:
      // The action may have been running when its timer was paused.
      expect([.scheduled, .paused], kind)
      failures += 1
    @unknown default: break
    }
  }

  private mutating func move(from expected: [Phase], to next: Phase, _ kind: TimerEvent.Kind) {
    expect(expected, kind)
    phase = next
  }

  private mutating func expect(_ expected: [Phase], _ kind: TimerEvent.Kind) {
    if !expected.contains(phase) { contradictions.append("\(kind) while \(phase)") }
  }
}
