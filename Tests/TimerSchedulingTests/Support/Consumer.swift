import Foundation

/// A task that loops over a stream, and tells the test of each tick it has got.
final class Consumer: Sendable {
  private let task: Task<Void, Never>
  private let ticks: AsyncStream<Date>

  init(_ stream: sending AsyncStream<Date>) {
    let (ticks, report) = AsyncStream.makeStream(of: Date.self)
    self.ticks = ticks
    task = Task {
      for await date in stream { report.yield(date) }
      report.finish()
    }
  }

  /// Waits for the next tick the consumer gets. Returns nil when its loop has ended.
  func next() async -> Date? {
    await ticks.first { _ in true }
  }

  func cancel() { task.cancel() }

  /// Waits until the loop has ended.
  func waitUntilDone() async { await task.value }
}
