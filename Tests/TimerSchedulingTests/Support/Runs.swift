import Foundation
import TimerScheduling

/// The runs of an action, in the order in which the test learns of them.
final class Runs: Sendable {
  private let ticks: AsyncStream<TimerTick>
  private let report: AsyncStream<TimerTick>.Continuation

  init() {
    (ticks, report) = AsyncStream.makeStream(of: TimerTick.self)
  }

  /// Reports that the action runs.
  func note(_ tick: TimerTick) { report.yield(tick) }

  /// Waits for the next run.
  func next() async -> TimerTick {
    // The stream is never finished.
    await ticks.first { _ in true } ?? TimerTick.none
  }

  /// Ends the reports, and returns those that weren't taken.
  func finish() async -> [TimerTick] {
    report.finish()
    return await ticks.reduce(into: []) { $0.append($1) }
  }
}

/// Lets tasks wait until it is opened, for good.
final class Latch: Sendable {
  private let opened: AsyncStream<Never>
  private let opener: AsyncStream<Never>.Continuation

  init() {
    (opened, opener) = AsyncStream.makeStream(of: Never.self)
  }

  func open() { opener.finish() }

  /// Waits, whether or not the task is cancelled.
  func wait() async {
    await Task.detached { [opened] in for await _ in opened {} }.value
  }
}

extension TimerTick {
  fileprivate static var none: TimerTick {
    TimerTick(date: .distantPast, scheduledDate: .distantPast, index: -1, missedCount: 0, lateness: .zero)
  }
}
