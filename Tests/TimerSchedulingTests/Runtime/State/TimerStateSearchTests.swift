import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Every sequence of a few events, on the state of a timer. A timer that has its extras from the start and
/// one that makes them at first need do the same.
@Suite(.guarantee("G1", "G26", "G122")) struct TimerStateSearchTests {
  struct Start: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schedule: TimerSchedule
    var hasAction = false
    /// The events that come before every sequence.
    var before: [SearchedTimer.Event] = []
    /// The number of events of a sequence.
    var length = size(3, full: 4)

    static let all = [
      Start(testDescription: "a sleep", schedule: .after(4)),
      Start(testDescription: "a date with an action", schedule: .at(Workbench.date(4)), hasAction: true),
      Start(testDescription: "a loop", schedule: .every(4)),
      Start(
        testDescription: "two loops", schedule: .every(4), before: [.comeOrGo, .ask, .askAsOther],
        length: size(3, full: 4)),
      Start(
        testDescription: "a loop that waits before another comes", schedule: .every(4),
        before: [.ask, .comeOrGo, .askAsOther], length: size(3, full: 4)),
      Start(testDescription: "an action", schedule: .every(4), hasAction: true, length: size(3, full: 4)),
      Start(testDescription: "a loop that delays", schedule: .every(4).missedTicks(.delay)),
      Start(testDescription: "bursts of an action", schedule: .every(4).missedTicks(.burst), hasAction: true),
    ]

    /// Returns what is wrong after the event, and whether the event was possible.
    func perform(
      _ event: SearchedTimer.Event, after sequence: [SearchedTimer.Event], _ tasks: [WaitingTask]
    ) -> (fault: String?, isPossible: Bool) {
      let timers = [false, true].map {
        SearchedTimer(schedule, hasAction: hasAction, hasExtras: $0, tasks: tasks)
      }
      for timer in timers { sequence.forEach { timer.perform($0) } }
      let isPossible = timers[0].isPossible(event)
      for timer in timers {
        timer.perform(event)
        timer.check()
      }
      let (one, other) = (timers[0].outcome, timers[1].outcome)
      let mismatch = one == other ? nil : "does \(one), but with its extras \(other)"
      return (timers[0].fault ?? timers[1].fault ?? mismatch, isPossible)
    }
  }

  @Test(arguments: Start.all) func `Every sequence of events leaves the state in order`(start: Start) async {
    await withWaitingTasks(3) { tasks in
      // The longest sequences so far, without those that end with an event that wasn't possible.
      var sequences = [start.before]
      var count = 0
      // Shorter sequences come first, so the first that fails is the shortest.
      for _ in 0..<start.length {
        var extended: [[SearchedTimer.Event]] = []
        for sequence in sequences {
          for event in SearchedTimer.Event.allCases {
            let (fault, isPossible) = start.perform(event, after: sequence, tasks)
            if let fault {
              let events = (sequence + [event]).map { "\($0)" }.joined(separator: ", ")
              Issue.record("After \(events) the timer \(fault)")
              return
            }
            count += 1
            if isPossible { extended.append(sequence + [event]) }
          }
        }
        sequences = extended
      }
      #expect(count > 1_000)
    }
  }
}

/// Calls `body` with a number of tasks that wait until it returns.
private func withWaitingTasks(_ count: Int, _ body: ([WaitingTask]) -> Void) async {
  let waiting = Journal<WaitingTask>()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count {
      group.addTask {
        await WaitingTask.suspend { task in
          waiting.note(task)
          return true
        }
      }
    }
    await waiting.next(count)
    body(waiting.entries)
    for task in waiting.entries { task.resume() }
  }
}
