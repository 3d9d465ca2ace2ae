/// Elements in no particular order, each of which is removed in constant time. One alone takes no memory of its own.
///
/// All are visited in chunks, between which the list may change. So a lock that guards it is held for a chunk only.
package struct UnorderedList<Element> {
  /// The progress of a visit to all elements: those that are yet to be visited lie before `position`.
  package struct Walk {
    fileprivate var position = Int.max

    package init() {}

    package var isOver: Bool { position == 0 }
  }

  /// The greatest number of elements that are visited at once.
  package static var chunkSize: Int { 256 }

  private var first: Element?
  private var others: [Element] = []

  package init() {}

  package var count: Int { first == nil ? 0 : others.count + 1 }
  package var isEmpty: Bool { first == nil }

  /// Adds an element, and returns its position.
  package mutating func append(_ element: Element) -> Int {
    if first == nil {
      first = element
      return 0
    }
    others.append(element)
    return others.count
  }

  package subscript(position: Int) -> Element? {
    if position == 0 { return first }
    return others.indices.contains(position - 1) ? others[position - 1] : nil
  }

  /// Removes the element at a position. Returns the one that has moved there, if any.
  package mutating func remove(at position: Int) -> Element? {
    guard let last = others.popLast() else {
      first = nil
      return nil
    }
    if position == 0 {
      first = last
    } else if position <= others.count {
      others[position - 1] = last
    } else {
      return nil
    }
    return last
  }

  /// Takes all elements out.
  package mutating func takeAll() -> [Element] {
    defer { self = UnorderedList() }
    return first.map { [$0] + others } ?? []
  }

  /// Returns the next elements of a walk, which goes from the end to the start.
  ///
  /// A walk visits every element that is there from its beginning to its end. A removal moves none but the last
  /// element, and moves it towards the start. If that one wasn't visited yet, it lay before the walk's position, and it
  /// lies before it after the move. If it was visited and now lies before the position, it is visited again. Elements that are
  /// added after the walk has begun may be left out.
  package func nextChunk(of walk: inout Walk) -> [Element] {
    let end = min(walk.position, count)
    walk.position = max(end - Self.chunkSize, 0)
    // Copied, as a slice would have the next change of the list copy all of it.
    return (walk.position..<end).compactMap { self[$0] }
  }
}

extension UnorderedList: Sendable where Element: Sendable {}
