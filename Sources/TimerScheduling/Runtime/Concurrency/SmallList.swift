/// A list of elements, of which a single one takes no heap memory.
package struct SmallList<Element: Sendable>: Sendable {
  private var first: Element?
  private var others: [Element] = []

  package init() {}

  package var count: Int { first == nil ? 0 : others.count + 1 }
  package var isEmpty: Bool { first == nil }

  /// Returns the position of the new element, which is the last.
  @discardableResult
  package mutating func append(_ element: Element) -> Int {
    if first == nil { first = element } else { others.append(element) }
    return others.count
  }

  package subscript(position: Int) -> Element? {
    if position == 0 { return first }
    return position < count ? others[position - 1] : nil
  }

  /// Removes the element at a position, in constant time. Returns the last element if it has moved there.
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
    defer { self = SmallList() }
    return first.map { [$0] + others } ?? []
  }

  /// Moves the first element, or all, to the end of another list.
  package mutating func move(all: Bool, to other: inout SmallList) {
    if all, other.isEmpty {
      swap(&self, &other)
    } else if all {
      takeAll().forEach { other.append($0) }
    } else if let first {
      other.append(first)
      self.first = others.isEmpty ? nil : others.removeFirst()
    }
  }

  /// Returns the next elements of a walk from the end to the start, which has come to `position`. The list
  /// may change between two calls, so a lock that guards it is held only for one chunk.
  ///
  /// A walk visits every element that is in the list all the time. A removal moves only the last element,
  /// towards the start: if the walk hasn't visited it yet, it still lies before `position`, otherwise it may
  /// be visited again.
  package func nextChunk(before position: inout Int) -> [Element] {
    let end = min(position, count)
    position = max(end - 256, 0)
    // Copied, because with a slice the next change of the list would copy the whole list.
    return (position..<end).compactMap { self[$0] }
  }
}

extension SmallList<WaitingTask> {
  consuming func resumeAll() {
    first?.resume()
    for task in others { task.resume() }
  }
}
