/// A first-in, first-out queue of runs or jobs.
///
/// Elements come into one array, and leave another that holds older ones in reverse order. When that is empty, the two
/// change places, and the older ones are reversed.
///
/// - Complexity: O(1) on average for adding and removing. The reversal is O(*n*).
package struct RunQueue<Element: Sendable>: Sendable {
  private var incoming: [Element] = []
  private var outgoing: [Element] = []
  /// The numbers of elements added and removed so far.
  private(set) var addedCount = 0
  private(set) var removedCount = 0

  package init() {}

  package var count: Int { addedCount &- removedCount }
  package var isEmpty: Bool { addedCount == removedCount }

  package mutating func append(_ element: Element) {
    incoming.append(element)
    addedCount &+= 1
  }

  package mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      if incoming.isEmpty { return nil }
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    removedCount &+= 1
    return outgoing.removeLast()
  }

  /// Calls `body` with the next elements, at most `count`, as far as they are in the order of their leaving.
  package func forEachNext(_ count: Int, _ body: (Element) -> Void) {
    for index in outgoing.indices.suffix(count).reversed() { body(outgoing[index]) }
  }

  package mutating func releaseMemory() {
    if isEmpty { (incoming, outgoing) = ([], []) }
  }
}
