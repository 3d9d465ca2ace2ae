/// Elements in no particular order, each removable in constant time. A single element takes no heap memory.
package struct UnorderedList<Element> {
  package static var chunkSize: Int { 256 }

  private var first: Element?
  private var others: [Element] = []

  package init() {}

  package var count: Int { first == nil ? 0 : others.count + 1 }
  package var isEmpty: Bool { first == nil }

  /// Returns the position of the new element.
  package mutating func append(_ element: Element) -> Int {
    if first == nil { first = element } else { others.append(element) }
    return others.count
  }

  package subscript(position: Int) -> Element? {
    if position == 0 { return first }
    return position < count ? others[position - 1] : nil
  }

  /// Removes the element at a position. Returns the element that has moved there, if any.
  package mutating func remove(at position: Int) -> Element? {
    guard let last = others.popLast() else {
      first = nil
      return nil
    }
    if position > others.count { return nil }
    if position == 0 { first = last } else { others[position - 1] = last }
    return last
  }

  package mutating func takeAll() -> [Element] {
    defer { self = UnorderedList() }
    return first.map { [$0] + others } ?? []
  }

  /// Returns the next elements of a walk from the end to the start, which has come to `position`. The list may change
  /// between two calls, so a lock that guards it is held only for one chunk.
  ///
  /// A walk visits every element that is in the list from the walk's beginning to its end. A removal moves only the
  /// last element, towards the start: one that wasn't visited yet still lies before the walk's position, and one that
  /// was may be visited again. Elements added after the walk has begun may be left out.
  package func nextChunk(before position: inout Int) -> [Element] {
    let end = min(position, count)
    position = max(end - Self.chunkSize, 0)
    // Copied, because with a slice the next change of the list would copy the whole list.
    return (position..<end).compactMap { self[$0] }
  }
}

extension UnorderedList: Sendable where Element: Sendable {}
