/// Elements with indices, each of which is added and removed in constant time.
///
/// Elements lie in chunks that never move, so that to add one never copies the others. A chunk is made when the ones
/// before it are full, and all are freed when a slab of several is empty.
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
  private static var chunkBits: UInt32 { 5 }
  private static var chunkSize: Int { 1 << chunkBits }

  private var chunks: [UnsafeMutablePointer<Slot>] = unsafe []
  private var firstFree = Self.none
  private(set) var count = 0
  /// The slots from this index on were never used.
  private(set) var endIndex: UInt32 = 0

  deinit {
    for unsafe(position, chunk) in unsafe chunks.enumerated() { unsafe free(chunk, at: position) }
  }

  /// The slot with an index below ``endIndex``.
  subscript(index: UInt32) -> Slot {
    _read { yield unsafe pointer(to: index).pointee }
    nonmutating _modify { yield unsafe &pointer(to: index).pointee }
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
    unsafe chunks[Int(index >> Self.chunkBits)] + Int(index) % Self.chunkSize
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
    if Int(index) == (unsafe chunks.count) * Self.chunkSize {
      unsafe chunks.append(.allocate(capacity: Self.chunkSize))
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
    if count == 0 { freeChunks() }
    return element
  }

  /// Frees the chunks of an empty slab that has several.
  private mutating func freeChunks() {
    guard unsafe chunks.count > 1 else { return }
    for unsafe(position, chunk) in unsafe chunks.enumerated() { unsafe free(chunk, at: position) }
    unsafe chunks = []
    endIndex = 0
    firstFree = Self.none
  }

  private func free(_ chunk: UnsafeMutablePointer<Slot>, at position: Int) {
    unsafe chunk.deinitialize(count: min(Int(endIndex) - position * Self.chunkSize, Self.chunkSize))
    unsafe chunk.deallocate()
  }
}

// The slots belong to the slab alone, which isn't copied.
extension Slab: @unchecked Sendable where Element: Sendable {}
