/// Sorts numbered elements by their numbers, without gaps.
package struct Resequencer<Element> {
  private var nextNumber: Int
  /// The elements by their distance from the next number; nil for an element that hasn't come yet.
  private var elements: [Element?] = []

  /// Creates a resequencer whose first element has the number `nextNumber`.
  package init(from nextNumber: Int) {
    self.nextNumber = nextNumber
  }

  /// Adds the element with a number. Each number is used once.
  package mutating func insert(_ element: Element, number: Int) {
    let position = number - nextNumber
    while elements.count <= position { elements.append(nil) }
    elements[position] = element
  }

  /// Removes and returns the next elements, up to the first that hasn't come yet.
  package mutating func takeNext() -> [Element] {
    let next = elements.prefix { $0 != nil }.compactMap(\.self)
    elements.removeFirst(next.count)
    nextNumber += next.count
    return next
  }
}

extension Resequencer: Sendable where Element: Sendable {}
