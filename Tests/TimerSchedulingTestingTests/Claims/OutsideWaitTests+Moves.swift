import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Waits for something outside while a test moves a bare clock.
extension OutsideWaitTests {
  /// The code that waits for something outside.
  enum Waiter: CaseIterable, Sendable {
    case action, addedTask

    /// The time at which it begins to wait.
    var beginning: Duration { self == .action ? .seconds(1) : .zero }

    func begin(on clock: VirtualClock, _ ends: Journal<Void>) {
      switch self {
      case .action:
        TimerScheduler(clock: clock).schedule(after: 1, name: "loader") { _ in
          await waitOutside(by: clock)
          ends.note()
        }
      case .addedTask:
        clock.addTask(name: "loader") {
          await waitOutside(by: clock)
          ends.note()
        }
      }
    }
  }

  // MARK: K3

  @Test(arguments: Waiter.allCases)
  func `If time has moved while an action or an added task waited outside, a move fails at its line`(
    waiter: Waiter
  ) async {
    let (clock, ends, lines) = (VirtualClock(), Journal<Void>(), Journal<String>())
    waiter.begin(on: clock, ends)
    let line = #line + 4
    await withKnownIssue {
      for seconds in [1, 1, 0] {
        if seconds == 0 { await ends.next() }
        await clock.advance(by: .seconds(seconds))
      }
    } matching: { issue in
      lines.note("\(issue.sourceLocation?.line ?? 0): \(issue.comments)")
      return true
    }
    #expect(lines.entries.count == 1)
    let text = lines.entries.first ?? ""
    #expect(text.hasPrefix("\(line): "))
    #expect(text.contains("loader"))
    #expect(text.contains("has waited since \(waiter.beginning) for something outside"))
    #expect(text.contains("holdTime"))
  }
}

/// Waits for a thread that belongs to no test, until the clock shows another time.
private func waitOutside(by clock: VirtualClock) async {
  let began = clock.now.offset
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    startThread {
      while clock.now.offset == began { usleep(1_000) }
      done.resume()
    }
  }
}
