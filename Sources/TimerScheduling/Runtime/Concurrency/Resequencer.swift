/// Puts numbered elements in the order of their numbers, without gaps.
package struct Resequencer<Element> {
  private var nextNumber: Int
  /// By their distance from the next number; nil where an element is yet to come.
  private var elements: [Element?] = []

  /// Creates a resequencer whose first element has the number `nextNumber`.
  package init(from nextNumber: Int) {
    self.nextNumber = nextNumber
  }

  /// Adds the element that has a number. There is one for each number.
  package mutating func insert(_ element: Element, number: Int) {
    let position = number - nextNumber
    while elements.count <= position { elements.append(nil) }
    elements[position] = element
  }

  /// Takes out the elements that come next, up to the first that is yet to come.
  package mutating func takeNext() -> [Element] {
    let next = elements.prefix { $0 != nil }.compactMap(\.self)
    elements.removeFirst(next.count)
    nextNumber += next.count
    return next
  }
}

extension Resequencer: Sendable where Element: Sendable {}
