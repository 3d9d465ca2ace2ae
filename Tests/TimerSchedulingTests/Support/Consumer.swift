import Foundation

/// A task that loops over a sequence, and reports each element to the test.
final class Consumer<Element: Sendable>: Sendable {
  private let task: Task<Void, Never>
  private let elements: AsyncStream<Element>

  init<Elements: AsyncSequence & Sendable>(_ sequence: Elements)
  where Elements.Element == Element, Elements.Failure == Never {
    let (elements, report) = AsyncStream.makeStream(of: Element.self)
    self.elements = elements
    task = Task {
      for await element in sequence { report.yield(element) }
      report.finish()
    }
  }

  /// Waits for the next element the consumer gets. Returns nil when its loop has ended.
  func next() async -> Element? {
    await elements.first { _ in true }
  }

  func cancel() { task.cancel() }

  /// Waits until the loop has ended.
  func waitUntilDone() async { await task.value }
}
