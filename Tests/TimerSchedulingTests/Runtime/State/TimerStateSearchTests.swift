import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Every sequence of a few events, on the state of a timer. A timer that has its extras from the start and one that
/// makes them at first need do the same.
@Suite(.guarantee("G1", "G25", "G115")) struct TimerStateSearchTests {
  struct Start: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schedule: TimerSchedule
    var hasAction = false
    /// The events that come before every sequence.
    var before: [SearchedTimer.Event] = []
    /// The number of events of a sequence.
    #if DEBUG
    var length = 3
    #else
    var length = 4
    #endif

    static let all = [
      Start(testDescription: "a sleep", schedule: .after(4)),
      Start(testDescription: "a date with an action", schedule: .at(Workbench.date(4)), hasAction: true),
      Start(testDescription: "a loop", schedule: .every(4)),
      Start(
        testDescription: "two loops", schedule: .every(4), before: [.comeOrGo, .ask, .askAsOther], length: 4),
      Start(testDescription: "an action", schedule: .every(4), hasAction: true, length: 4),
      Start(testDescription: "a loop that delays", schedule: .every(4).missedTicks(.delay)),
      Start(testDescription: "bursts of an action", schedule: .every(4).missedTicks(.burst), hasAction: true),
    ]
  }

  @Test(arguments: Start.all) func `Every sequence of events leaves the state in order`(start: Start) async {
    await withWaitingTasks(3) { tasks in
      var search = Search(start, tasks)
      // Shorter sequences come first, so the first that fails is the shortest.
      for _ in 0..<start.length where search.fault == nil { search.extend() }
      #expect(search.fault == nil, "\(search.fault ?? "")")
      #expect(search.count > 1_000)
    }
  }

  private struct Search {
    private let start: Start
    private let tasks: [WaitingTask]
    /// The longest sequences so far, without those that end with an event that wasn't possible.
    private var sequences: [[SearchedTimer.Event]]
    private(set) var fault: String?
    private(set) var count = 0

    init(_ start: Start, _ tasks: [WaitingTask]) {
      (self.start, self.tasks, sequences) = (start, tasks, [start.before])
    }

    /// Performs all sequences that are longer by an event.
    mutating func extend() {
      var extended: [[SearchedTimer.Event]] = []
      for sequence in sequences {
        for event in SearchedTimer.Event.allCases where fault == nil {
          if perform(event, after: sequence) { extended.append(sequence + [event]) }
        }
      }
      sequences = extended
    }

    /// Returns whether the event was possible.
    private mutating func perform(
      _ event: SearchedTimer.Event, after sequence: [SearchedTimer.Event]
    ) -> Bool {
      count += 1
      let timers = [false, true].map {
        SearchedTimer(start.schedule, hasAction: start.hasAction, hasExtras: $0, tasks: tasks)
      }
      for timer in timers { sequence.forEach { timer.perform($0) } }
      let isPossible = timers[0].isPossible(event)
      for timer in timers {
        timer.perform(event)
        timer.check()
      }
      let (one, other) = (timers[0].outcome, timers[1].outcome)
      let mismatch = one == other ? nil : "does \(one), but with its extras \(other)"
      if let mismatch = timers[0].fault ?? timers[1].fault ?? mismatch {
        fault = "After \((sequence + [event]).map { "\($0)" }.joined(separator: ", ")) the timer \(mismatch)"
      }
      return isPossible
    }
  }
}

/// Calls `body` with a number of tasks that wait until it returns.
private func withWaitingTasks(_ count: Int, _ body: ([WaitingTask]) -> Void) async {
  let waiting = Journal<WaitingTask>()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count {
      group.addTask {
        await WaitingTask.suspend(noting: nil) { task in
          waiting.note(task)
          return true
        }
      }
    }
    await waiting.next(count)
    body(waiting.entries)
    for task in waiting.entries { task.resume(noting: nil) }
  }
}
