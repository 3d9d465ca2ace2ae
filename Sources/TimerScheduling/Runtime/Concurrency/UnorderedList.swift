/// Elements in no particular order, each of which is removed in constant time.
///
/// All are visited in chunks, between which the list may change. So a lock that guards it is held for a chunk only.
package struct UnorderedList<Element> {
  /// The progress of a visit to all elements: those that are yet to be visited lie before `position`.
  package struct Walk {
    fileprivate var position = Int.max

    package init() {}

    package var isOver: Bool { position == 0 }

    package mutating func end() { position = 0 }
  }

  /// The greatest number of elements that are visited at once.
  package static var chunkSize: Int { 256 }

  package private(set) var elements: [Element] = []

  package init() {}

  package var count: Int { elements.count }
  package var isEmpty: Bool { elements.isEmpty }

  /// Adds an element, and returns its position.
  package mutating func append(_ element: Element) -> Int {
    elements.append(element)
    return elements.count - 1
  }

  package subscript(position: Int) -> Element? {
    elements.indices.contains(position) ? elements[position] : nil
  }

  /// Removes the element at a position. Returns the one that has moved there, if any.
  package mutating func remove(at position: Int) -> Element? {
    guard position < elements.count - 1 else {
      elements.removeLast()
      return nil
    }
    elements.swapAt(position, elements.count - 1)
    elements.removeLast()
    return elements[position]
  }

  /// Returns the next elements of a walk, which goes from the end to the start.
  ///
  /// A walk visits every element that is there from its beginning to its end. A removal moves none but the last
  /// element, and moves it towards the start. If that one wasn't visited yet, it lay before the walk's position, and it
  /// lies before it after the move. If it was visited and now lies before the position, it is visited again. Elements that are
  /// added after the walk has begun may be left out.
  package func nextChunk(of walk: inout Walk) -> [Element] {
    let end = min(walk.position, elements.count)
    walk.position = max(end - Self.chunkSize, 0)
    // Copied, as a slice would have the next change of the list copy all of it.
    return Array(elements[walk.position..<end])
  }
}

extension UnorderedList: Sendable where Element: Sendable {}
