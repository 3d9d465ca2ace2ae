/// A first-in, first-out queue in chunks of memory that never move.
///
/// Adding and removing take constant time at any length, as elements are never copied to a larger buffer. An empty
/// queue keeps one chunk until ``releaseMemory()``.
@safe package struct ChunkedQueue<Element>: ~Copyable {
  private typealias Chunk = UnsafeMutableRawPointer

  private static var chunkCapacity: Int { 128 }

  /// The offset of a chunk's elements. Before them is the address of the next chunk.
  private static var offset: Int { unsafe max(MemoryLayout<Chunk?>.stride, MemoryLayout<Element>.alignment) }

  /// The chunk of the first element, and that element's index in it.
  private var first: Chunk?
  private var firstIndex = 0
  /// The chunk of the last element, and the number of its slots filled so far.
  private var last: Chunk?
  private var lastCount = 0
  /// The numbers of elements added and removed so far.
  private(set) var addedCount = 0
  private(set) var removedCount = 0

  package init() {}

  deinit {
    var chunk = unsafe first
    var start = firstIndex
    while let current = unsafe chunk {
      let next = unsafe Self.next(of: current)
      let end = unsafe next == nil ? lastCount : Self.chunkCapacity
      unsafe (Self.elements(of: current) + start).deinitialize(count: end - start)
      unsafe current.deallocate()
      unsafe chunk = next
      start = 0
    }
  }

  package var count: Int { addedCount &- removedCount }
  package var isEmpty: Bool { addedCount == removedCount }

  package mutating func append(_ element: consuming Element) {
    let chunk = unsafe chunkWithRoom()
    unsafe (Self.elements(of: chunk) + lastCount).initialize(to: element)
    lastCount &+= 1
    addedCount &+= 1
  }

  package mutating func popFirst() -> Element? {
    guard let chunk = unsafe first, !isEmpty else { return nil }
    let element = unsafe (Self.elements(of: chunk) + firstIndex).move()
    firstIndex &+= 1
    removedCount &+= 1
    if isEmpty {
      // The only chunk is reused from its start.
      firstIndex = 0
      lastCount = 0
    } else if firstIndex == Self.chunkCapacity {
      unsafe first = Self.next(of: chunk)
      firstIndex = 0
      unsafe chunk.deallocate()
    }
    return element
  }

  /// Calls `body` with the next elements, at most `count` and only those of the first chunk.
  @inline(__always)
  package func forEachNext(_ count: Int, _ body: (borrowing Element) -> Void) {
    guard let chunk = unsafe first else { return }
    let end = min(firstIndex + count, firstIndex + self.count, Self.chunkCapacity)
    for index in firstIndex..<end { unsafe body(Self.elements(of: chunk)[index]) }
  }

  /// Frees the memory of an empty queue.
  package mutating func releaseMemory() {
    guard isEmpty, let chunk = unsafe first else { return }
    unsafe chunk.deallocate()
    unsafe first = nil
    unsafe last = nil
  }

  // MARK: Chunks

  /// Returns the last chunk, or a new one if that is full.
  private mutating func chunkWithRoom() -> Chunk {
    if let last = unsafe last, lastCount < Self.chunkCapacity { return unsafe last }
    return unsafe addChunk()
  }

  @inline(never)
  private mutating func addChunk() -> Chunk {
    let chunk = unsafe Chunk.allocate(
      byteCount: Self.offset + Self.chunkCapacity * MemoryLayout<Element>.stride,
      alignment: max(MemoryLayout<Chunk?>.alignment, MemoryLayout<Element>.alignment))
    unsafe chunk.initializeMemory(as: Chunk?.self, to: nil)
    if let last = unsafe last {
      unsafe last.assumingMemoryBound(to: Chunk?.self).pointee = chunk
    } else {
      unsafe first = chunk
    }
    unsafe last = chunk
    lastCount = 0
    return unsafe chunk
  }

  private static func next(of chunk: Chunk) -> Chunk? {
    unsafe chunk.assumingMemoryBound(to: Chunk?.self).pointee
  }

  private static func elements(of chunk: Chunk) -> UnsafeMutablePointer<Element> {
    unsafe (chunk + offset).assumingMemoryBound(to: Element.self)
  }
}

// The memory belongs to one queue, which owns its elements like an array.
extension ChunkedQueue: @unchecked Sendable where Element: Sendable {}
