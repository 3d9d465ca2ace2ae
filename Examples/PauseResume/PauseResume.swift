// Controls one timer of 200 ms in every way: pauses, the three ways to resume, a pausing scope, a tick by
// hand and another schedule. Each line begins with the time since the start, so that the ticks show the
// effect of each call. Then it exits.
//
//     swift run PauseResume

import Foundation
import TimerScheduling

// On the main actor, whose loop over `firings` sees no tick after the main actor has paused the timer.
@main @MainActor
struct PauseResume {
  static let start = ContinuousClock.now

  static func main() async throws {
    say("A timer of 200 ms starts.")
    let timer = TimerScheduler().timer(every: .milliseconds(200))
    let listener = Task {
      for await tick in timer.firings { say("tick \(tick.index)") }
    }

    // Each pause begins 80 ms after a tick, with 120 ms left, and the second passes over a deadline.
    try await sleep(until: 480)
    pause(timer)
    try await sleep(until: 600)
    say("resume(.keepingRemainingTime): the next tick comes after the 120 ms that were left.")
    timer.resume(.keepingRemainingTime)

    try await sleep(until: 1000)
    pause(timer)
    try await sleep(until: 1240)
    say("resume(.keepingPhase): the next tick comes where it would have without the pause.")
    timer.resume(.keepingPhase)

    try await sleep(until: 1400)
    pause(timer)
    try await sleep(until: 1480)
    say("resume(.immediately): the next tick comes at once, and others every 200 ms from there.")
    timer.resume(.immediately)

    try await sleep(until: 1760)
    say("withPaused: the timer is paused for as long as the braces last.")
    try await timer.withPaused {
      try await sleep(until: 1960)
      say("The braces end, and the timer goes on with what was left.")
    }

    try await sleep(until: 2160)
    say("fire(): one tick now, and the others as if nothing had happened.")
    timer.fire()

    try await sleep(until: 2360)
    say("reschedule(.every(.milliseconds(50))): another schedule from now, for the same listener.")
    timer.reschedule(.every(.milliseconds(50)).limit(4))

    await listener.value
    say("The four ticks that it was limited to were taken, so the timer has ended, and the loop with it.")
  }

  static func pause(_ timer: ScheduledTimer) {
    timer.pause()
    say("pause(): the timer is \(timer.state), with \(timer.remainingTime?.text ?? "nothing") left.")
  }

  static func sleep(until milliseconds: Int) async throws {
    try await Task.sleep(until: start + .milliseconds(milliseconds))
  }

  static func say(_ text: String) {
    print("\(start.duration(to: .now).text)  \(text)")
  }
}

extension Duration {
  fileprivate var text: String {
    "\((self / .seconds(1)).formatted(.number.precision(.fractionLength(3)))) s"
  }
}
