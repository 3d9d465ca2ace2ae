import TestSupport

/// A task that loops over a sequence, and reports each element to the test.
final class Consumer<Element: Sendable>: Sendable {
  private let task: Task<Void, Never>
  private let elements = Journal<Element>()

  init<Elements: AsyncSequence & Sendable>(_ sequence: Elements)
  where Elements.Element == Element, Elements.Failure == Never {
    task = Task { [elements] in
      for await element in sequence { elements.note(element) }
      elements.close()
    }
  }

  /// Waits for the next element that the consumer gets. Returns nil when its loop has ended.
  func next() async -> Element? { await elements.next() }

  func cancel() { task.cancel() }

  /// Waits until the loop has ended.
  func waitUntilDone() async { await task.value }
}
