extension TimingWheel {
  /// Identifies an element from its addition to its removal.
  package struct Handle: Sendable, Hashable {
    package let index: UInt32

    package init(index: UInt32) { self.index = index }
  }

  /// An element whose deadline has come. It stays in the slab, without a deadline.
  package struct Expired {
    package let handle: Handle
    package let latest: Deadline
    package let number: UInt64
    package let element: Element
  }

  /// The number of elements, with or without a deadline.
  package var count: Int { slab.count }

  package var isEmpty: Bool { count == 0 }

  /// Whether there is memory of removed elements to free.
  var hasRetired: Bool { !slab.retired.isEmpty }

  /// Removes and returns the memory of removed elements, to be freed.
  mutating func takeRetired() -> Slab<Element>.Retired { slab.takeRetired() }

  /// Returns the element with a handle, or nil if there is none. If the handle was reused, this is another element.
  package func element(_ handle: Handle) -> Element? {
    handle.index < slab.endIndex ? slab[handle.index].element : nil
  }

  /// Returns the elements of the next part of the slab, which begins at `position`, and advances the position.
  /// Returns nil at the end.
  package func nextElements(from position: inout UInt32) -> [Element]? {
    guard position < slab.endIndex else { return nil }
    let part = position..<min(position + 256, slab.endIndex)
    position = part.upperBound
    return part.compactMap { slab[$0].element }
  }

  /// Returns the latest moment of an element, or nil if it has no deadline.
  package func latest(of handle: Handle) -> Deadline? {
    slab[handle.index].number == Slab<Element>.notFiled ? nil : slab[handle.index].latest
  }

  // MARK: Elements with deadlines

  /// Adds an element to be popped at `deadline` or, at the latest, at `latest`.
  package mutating func insert(_ element: Element, deadline: Deadline, latest: Deadline) -> Handle {
    let handle = add(element)
    lastNumber += 1
    file(handle, deadline: deadline, latest: latest, number: lastNumber)
    return handle
  }

  /// Removes and returns the first entry, unless its deadline lies after `now`.
  package mutating func popExpired(at now: Deadline) -> Element? {
    takeExpired(at: now).map { remove($0.handle) }
  }
}

extension TimingWheel.Expired: Sendable where Element: Sendable {}
