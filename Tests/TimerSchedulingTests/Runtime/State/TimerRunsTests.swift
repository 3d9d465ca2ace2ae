import Testing
import TimerScheduling

/// The runs of an action, as its timer keeps them: a first run without memory of its own, later ones with it.
@Suite struct TimerRunsTests {
  private enum Event: CaseIterable {
    case beginOrEnd, keepTask, keepTaskOfEarlierRun, cancel
    /// Has the timer take memory for more.
    case fail
  }

  private struct Model {
    var runCount: UInt64 = 0
    var isRunning = false
    var hasTask = false
    var isCancelled = false
  }

  private static let task = Task {}

  @Test(arguments: [0, 1])
  func `After an earlier run or none, every sequence of calls gives what a model gives`(earlierRuns: Int) {
    let events = Event.allCases
    var fault: [Event]?
    // The seventh power of five.
    for number in 0..<78_125 where fault == nil {
      var rest = number
      let sequence = (0..<7).map { _ in
        defer { rest /= events.count }
        return events[rest % events.count]
      }
      let earlier = Array(repeating: Event.beginOrEnd, count: 2 * earlierRuns)
      if !agrees(after: earlier + sequence) { fault = sequence }
    }
    #expect(fault == nil)
  }

  private func agrees(after events: [Event]) -> Bool {
    let now = Workbench.origin
    let recurrence = Recurrence(
      .every(1), defaultTolerance: .zero, jitterSeed: 1, at: now.monotonic
    ) { now }
    var timer = TimerStateMachine(recurrence, action: TimerAction { _ in }, at: now)
    var model = Model()
    for event in events {
      if !perform(event, on: &timer, &model) { return false }
      if timer.run != (model.isRunning ? model.runCount : nil) { return false }
    }
    return true
  }

  /// Returns whether the timer answers as the model does.
  private func perform(_ event: Event, on timer: inout TimerStateMachine, _ model: inout Model) -> Bool {
    switch event {
    case .beginOrEnd where model.isRunning:
      defer { model = Model(runCount: model.runCount) }
      return timer.endRun() == model.isCancelled
    case .beginOrEnd:
      model = Model(runCount: model.runCount + 1, isRunning: true)
      return timer.beginRun() == model.runCount
    case .keepTask:
      model.hasTask = model.isRunning
      return timer.keep(Self.task, ofRun: model.runCount) == model.isCancelled
    case .keepTaskOfEarlierRun:
      return !timer.keep(Self.task, ofRun: model.runCount &- 1)
    case .cancel:
      model.isCancelled = model.isRunning
      return (timer.cancelRun() != nil) == model.hasTask
    case .fail:
      _ = timer.fail(ActionFailure(CancellationError()) { _ in })
      return true
    }
  }
}
