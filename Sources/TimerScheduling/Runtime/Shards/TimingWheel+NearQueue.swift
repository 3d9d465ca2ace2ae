extension TimingWheel {
  /// The entries up to the wheel's cursor, in exact order.
  ///
  /// The entries of a slot come all at once, and are sorted when the first is requested, which takes half the time of a
  /// heap. Entries added while they are popped go to a separate binary heap. An entry whose element was unfiled isn't
  /// live. The wheel recognizes it by its number and drops it when it comes first, or when most entries aren't live.
  package struct NearQueue: Sendable {
    struct Entry {
      var latest: Deadline
      var number: UInt64
      var index: UInt32

      fileprivate func comes(before other: Entry) -> Bool {
        latest != other.latest ? latest < other.latest : number < other.number
      }
    }

    /// The largest capacity kept for later entries.
    private static var mostKept: Int { 4096 }

    /// In reverse order once `isSorted`, so that the first is removed from the end.
    private var sorted: [Entry] = []
    private var isSorted = false
    private var heap: [Entry] = []
    package internal(set) var liveCount = 0

    mutating func insert(_ entry: Entry) {
      liveCount += 1
      if sorted.isEmpty, heap.isEmpty {
        isSorted = false
        if sorted.capacity > Self.mostKept { sorted = [] }
      }
      if !isSorted { return sorted.append(entry) }
      heap.append(entry)
      siftUp(from: heap.count - 1)
    }

    /// Returns the first entry, live or not.
    mutating func first() -> Entry? {
      if !isSorted {
        // Entries that are due together come in order or in reverse order, and both are sorted quickly.
        sorted.sort { $1.comes(before: $0) }
        isSorted = true
      }
      guard let other = heap.first else { return sorted.last }
      return sorted.last.map { $0.comes(before: other) ? $0 : other } ?? other
    }

    /// Leaves out the entries in the heap.
    func forEachNext(_ count: Int, _ body: (UInt32) -> Void) {
      for position in max(0, sorted.count - count)..<sorted.count { body(sorted[position].index) }
    }

    /// Removes the first entry. The caller changes ``liveCount``.
    mutating func dropFirst() {
      if let last = sorted.last, heap.first.map({ last.comes(before: $0) }) ?? true {
        sorted.removeLast()
        return
      }
      let last = heap.removeLast()
      guard !heap.isEmpty else { return }
      heap[0] = last
      siftDown(from: 0)
    }

    /// All entries, live or not.
    var entries: [Entry] { sorted + heap }
    package var count: Int { sorted.count + heap.count }

    /// Rebuilds the queue without the entries that aren't live, if these are most.
    mutating func compactIfNeeded(_ isLive: (Entry) -> Bool) {
      guard count > 2 * liveCount + 64 else { return }
      sorted.removeAll { !isLive($0) }
      heap.removeAll { !isLive($0) }
      for position in (0..<heap.count / 2).reversed() { siftDown(from: position) }
    }

    mutating func removeAll() {
      sorted.removeAll(keepingCapacity: sorted.capacity <= Self.mostKept)
      heap.removeAll(keepingCapacity: heap.capacity <= Self.mostKept)
      liveCount = 0
    }

    private mutating func siftUp(from start: Int) {
      let entry = heap[start]
      var position = start
      while position > 0 {
        let parent = (position - 1) / 2
        guard entry.comes(before: heap[parent]) else { break }
        heap[position] = heap[parent]
        position = parent
      }
      heap[position] = entry
    }

    private mutating func siftDown(from start: Int) {
      let entry = heap[start]
      var position = start
      while true {
        var child = 2 * position + 1
        guard child < heap.count else { break }
        if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
        guard heap[child].comes(before: entry) else { break }
        heap[position] = heap[child]
        position = child
      }
      heap[position] = entry
    }
  }
}
