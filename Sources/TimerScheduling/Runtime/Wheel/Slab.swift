/// Elements with indices, each of which is added and removed in constant time.
///
/// Elements lie in chunks that never move, so that to add one never copies the others. Each chunk has twice the room of
/// the one before:
///
///     chunk      0         1              2
///     indices    0 … 31    32 … 95        96 … 223
///
/// A large chunk takes memory only as far as it was used, as the system provides it page by page. The chunks of a slab
/// that has become empty are kept for ``takeRetired()``, as to free many takes long.
@safe struct Slab<Element>: ~Copyable {
  struct Slot {
    /// Nil while the slot is free; `next` then links the free slots.
    var element: Element?
    /// Where the element stands in a timing wheel. The number is ``notFiled`` while it stands nowhere.
    var deadline = Deadline.never
    var latest = Deadline.never
    var number = Slab.notFiled
    var previous = UInt32.max
    var next = UInt32.max
  }

  static var none: UInt32 { .max }
  static var notFiled: UInt64 { .max }
  private static var firstCapacity: UInt32 { 32 }

  /// The memory of elements that were removed.
  @safe struct Retired: @unchecked Sendable {
    fileprivate var chunks: [UnsafeMutablePointer<Slot>] = unsafe []

    var isEmpty: Bool { unsafe chunks.isEmpty }

    /// Called once.
    func free() {
      unsafe chunks.forEach { unsafe $0.deallocate() }
    }
  }

  private var chunks: [UnsafeMutablePointer<Slot>] = unsafe []
  private(set) var retired = Retired()
  private var firstFree = Self.none
  private(set) var count = 0
  /// The slots from this index on were never used.
  private(set) var endIndex: UInt32 = 0

  deinit {
    for index in 0..<endIndex { unsafe pointer(to: index).deinitialize(count: 1) }
    unsafe chunks.forEach { unsafe $0.deallocate() }
    retired.free()
  }

  /// The slot with an index below ``endIndex``.
  subscript(index: UInt32) -> Slot {
    _read { yield unsafe pointer(to: index).pointee }
    nonmutating _modify { yield unsafe &pointer(to: index).pointee }
  }

  /// Changes several fields of a slot, which is then looked up once.
  @inline(__always)
  func update(_ index: UInt32, _ body: (inout Slot) -> Void) {
    unsafe body(&pointer(to: index).pointee)
  }

  /// Calls `body` with an element, if the slot isn't free.
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

  /// The chunk of a slot, and the slot's offset in it.
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
      self[index].element = element
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
      preconditionFailure("The handle names an element that was removed before.")
    }
    self[index].next = firstFree
    firstFree = index
    count -= 1
    if count == 0 { retireChunks() }
    return element
  }

  /// Begins an empty slab of several chunks anew. Its slots hold nothing by now.
  private mutating func retireChunks() {
    guard unsafe chunks.count > 1 else { return }
    unsafe retired.chunks += chunks
    unsafe chunks = []
    endIndex = 0
    firstFree = Self.none
  }

  /// Takes out the memory of elements that were removed, to be freed.
  mutating func takeRetired() -> Retired {
    defer { retired = Retired() }
    return retired
  }
}

// The slots belong to the slab alone, which isn't copied.
extension Slab: @unchecked Sendable where Element: Sendable {}
