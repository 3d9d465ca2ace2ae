/// What the timing wheel has yet to pop up to its cursor, in exact order: a binary heap.
///
/// Removing an entry leaves it in place, for the wheel to recognize by its sequence and drop when it
/// comes first. Once the removed outnumber the live, the heap is rebuilt without them.
struct NearQueue {
  struct Entry {
    var latest: Deadline
    var sequence: UInt64
    var index: UInt32

    fileprivate func comes(before other: Entry) -> Bool {
      latest != other.latest ? latest < other.latest : sequence < other.sequence
    }
  }

  private var heap: [Entry] = []
  private(set) var liveCount = 0

  var first: Entry? { heap.first }

  mutating func insert(_ entry: Entry) {
    liveCount += 1
    heap.append(entry)
    siftUp(from: heap.count - 1)
  }

  /// Removes the first entry, which is live.
  mutating func removeFirst() {
    liveCount -= 1
    dropRemoved()
  }

  // MARK: Removed entries

  /// An entry somewhere in the heap is no longer live.
  mutating func noteRemoval() {
    liveCount -= 1
  }

  /// Removes the first entry, whose removal was noted.
  mutating func dropRemoved() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    siftDown(from: 0)
  }

  var shouldCompact: Bool { heap.count > 2 * liveCount + 64 }

  mutating func compact(_ isLive: (Entry) -> Bool) {
    heap.removeAll { !isLive($0) }
    for position in (0..<heap.count / 2).reversed() { siftDown(from: position) }
  }

  mutating func removeAll() {
    self = NearQueue()
  }

  // MARK: The heap

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
