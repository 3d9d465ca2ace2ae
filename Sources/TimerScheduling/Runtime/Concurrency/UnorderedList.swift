/// Elements in no particular order, each removable in constant time. A single element takes no heap memory.
///
/// A walk visits the elements in chunks, and the list may change between chunks. So a lock that guards the list is
/// held only for one chunk.
package struct UnorderedList<Element> {
  /// The progress of a visit to all elements. The elements still to be visited lie before `position`.
  package struct Walk {
    fileprivate var position = Int.max

    package init() {}

    package var isOver: Bool { position == 0 }
  }

  package static var chunkSize: Int { 256 }

  private var first: Element?
  private var others: [Element] = []

  package init() {}

  package var count: Int { first == nil ? 0 : others.count + 1 }
  package var isEmpty: Bool { first == nil }

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

  /// Removes the element at a position. Returns the element that has moved there, if any.
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

  package mutating func takeAll() -> [Element] {
    defer { self = UnorderedList() }
    return first.map { [$0] + others } ?? []
  }

  /// Returns the next elements of a walk, which goes from the end to the start.
  ///
  /// A walk visits every element that is in the list from the walk's beginning to its end. A removal moves only the
  /// last element, towards the start: one that wasn't visited yet still lies before the walk's position, and one that
  /// was may be visited again. Elements added after the walk has begun may be left out.
  package func nextChunk(of walk: inout Walk) -> [Element] {
    let end = min(walk.position, count)
    walk.position = max(end - Self.chunkSize, 0)
    // Copied, because with a slice the next change of the list would copy the whole list.
    return (walk.position..<end).compactMap { self[$0] }
  }
}

extension UnorderedList: Sendable where Element: Sendable {}
