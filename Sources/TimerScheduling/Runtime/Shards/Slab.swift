/// Elements with indices that never change, added and removed in constant time. They are stored in chunks
/// that never move, each with twice the room of the previous one:
///
///     chunk      0         1              2
///     indices    0 … 31    32 … 95        96 … 223
///
/// The chunks are freed when the slab becomes empty, which takes 3 ms after a million elements. A slab is
/// `Sendable`, as its slots belong to it alone, and it isn't copied.
@safe package struct Slab<Element: Sendable>: ~Copyable, @unchecked Sendable {
  package struct Slot: Sendable {
    /// Nil while the slot is free; `next` then links the free slots.
    package var element: Element?
    /// Tells which timing wheel lists the element. The rest is its deadline and its neighbors there.
    package var filing = Filing.Number.none
    package var deadline = Deadline.never
    package var latest = Deadline.never
    package var previous = UInt32.max
    package var next = UInt32.max
  }

  package static var none: UInt32 { .max }
  private static var firstCapacity: UInt32 { 32 }

  private var chunks: [UnsafeMutablePointer<Slot>] = unsafe []
  private var firstFree = Self.none
  package private(set) var count = 0
  /// The first index whose slot was never used.
  package private(set) var endIndex: UInt32 = 0

  deinit {
    for index in 0..<endIndex { unsafe pointer(to: index).deinitialize(count: 1) }
    unsafe chunks.forEach { unsafe $0.deallocate() }
  }

  package subscript(index: UInt32) -> Slot {
    _read { yield unsafe pointer(to: index).pointee }
    nonmutating _modify { yield unsafe &pointer(to: index).pointee }
  }

  /// Changes several parts of a slot by one access. The subscript looks the slot up for each.
  @inline(__always)
  func update(_ index: UInt32, _ body: (inout Slot) -> Void) {
    unsafe body(&pointer(to: index).pointee)
  }

  /// Reads an element without retaining it, as the subscript's copy would.
  @inline(__always)
  func withElement(_ index: UInt32, _ body: (borrowing Element) -> Void) {
    switch unsafe pointer(to: index).pointee.element {
    case .some(let element): body(element)
    case .none: break
    }
  }

  private func pointer(to index: UInt32) -> UnsafeMutablePointer<Slot> {
    let (chunk, offset) = Self.position(of: index)
    return unsafe chunks[chunk] + offset
  }

  private static func position(of index: UInt32) -> (chunk: Int, offset: Int) {
    let shifted = index &+ firstCapacity
    let chunk = firstCapacity.leadingZeroBitCount &- shifted.leadingZeroBitCount
    return (chunk, Int(shifted &- firstCapacity &<< UInt32(truncatingIfNeeded: chunk)))
  }

  mutating func add(_ element: Element) -> UInt32 {
    count += 1
    if firstFree != Self.none {
      let index = firstFree
      firstFree = self[index].next
      self[index] = Slot(element: element)
      return index
    }
    let index = endIndex
    let chunk = Self.position(of: index).chunk
    if unsafe chunks.count == chunk {
      unsafe chunks.append(.allocate(capacity: Int(Self.firstCapacity) << chunk))
    }
    unsafe pointer(to: index).initialize(to: Slot(element: element))
    endIndex += 1
    return index
  }

  /// Frees a slot that isn't filed, and returns its element.
  mutating func remove(_ index: UInt32) -> Element {
    guard let element = self[index].element.take() else {
      preconditionFailure("The index is that of an element that was removed before.")
    }
    self[index].next = firstFree
    firstFree = index
    count -= 1
    if count == 0, unsafe chunks.count > 1 {
      // None of the slots holds an element by now.
      unsafe chunks.forEach { unsafe $0.deallocate() }
      unsafe chunks = []
      endIndex = 0
      firstFree = Self.none
    }
    return element
  }
}
