/// A part of a queue's entries: a slab, and a timing wheel for each clock.
package final class Shard<Entry: QueueEntry>: Sendable {
  package struct Contents: ~Copyable, Sendable {
    package var slab = Slab<Entry>()
    package var monotonic = TimingWheel<Entry>()
    package var wall = TimingWheel<Entry>()
    var isClosed = false
    /// The sum of all ends that passes have read. Without it the compiler would remove the reads.
    var fetched: UInt64 = 0

    @inline(__always)
    mutating func withWheel<Result>(
      on timeline: Timeline, _ body: (inout TimingWheel<Entry>, borrowing Slab<Entry>) -> Result
    ) -> Result {
      switch timeline {
      case .monotonic: body(&monotonic, slab)
      case .wall: body(&wall, slab)
      }
    }

    var filedCount: Int { monotonic.filedCount + wall.filedCount }
    var wakeupIfUnused: Filing.Wakeup { filedCount == 0 ? .disarm : .none }

    mutating func unfile(_ index: UInt32) {
      let filing = slab[index].filing
      guard filing.isFiled else { return }
      withWheel(on: filing.timeline) { wheel, slab in wheel.unfile(index, in: slab) }
    }

    mutating func remove(_ index: UInt32) -> Entry {
      unfile(index)
      return slab.remove(index)
    }

    /// Returns the entries of the next part of the slab, or nil at its end.
    func entries(from position: inout UInt32, on timeline: Timeline?) -> [Entry]? {
      guard position < slab.endIndex else { return nil }
      let part = position..<min(position + 256, slab.endIndex)
      position = part.upperBound
      return part.compactMap { index in
        let filing = slab[index].filing
        return timeline.map { filing.isFiled && filing.timeline != $0 } ?? false ? nil : slab[index].element
      }
    }
  }

  private let number: Int
  private let now: @Sendable (Timeline) -> Deadline
  /// Guards the entries. The lock of an entry may be held. While this one is, only the clock's and that of
  /// the removals are taken.
  package let contents = Lock(Contents())
  /// Guards the indices of entries whose removal threads leave to a pass, from its first look into this shard
  /// until it publishes the next deadlines. Nil without a pass. This lock is taken last.
  private let removals = Lock<[UInt32]?>(nil)
  /// The moments by which the first entries of the two clocks must be taken, or earlier ones. They are
  /// lowered under the lock of the entries.
  let first = AtomicMoments()

  init(number: Int, now: @escaping @Sendable (Timeline) -> Deadline) {
    (self.number, self.now) = (number, now)
  }

  /// Makes the removals that were left to a pass, and calls `body`. A pass says whether it goes on.
  private func afterRemovals<R: Sendable>(isPassUnderWay: Bool? = nil, _ body: (inout Contents) -> R) -> R {
    let (result, removed) = contents.withLock { contents in
      let indices = removals.withLock { indices in
        let goesOn = isPassUnderWay ?? (indices != nil)
        defer { indices = goesOn ? [] : nil }
        return indices ?? []
      }
      let removed = indices.map { contents.remove($0) }
      return (body(&contents), removed)
    }
    // Released without the lock.
    withExtendedLifetime(removed) {}
    return result
  }

  func add(
    _ entry: Entry, _ filing: Filing?, _ number: UInt64, to contents: inout Contents
  ) -> DeadlineQueue<Entry>.Addition? {
    guard !contents.isClosed || entry.isLimit else { return nil }
    let index = contents.slab.add(entry)
    let wakeup = filing.map { file(index, $0, number, in: &contents) } ?? .none
    return (Filing.Place(shard: self.number, index: index), wakeup)
  }

  /// An entry that is filed for an earlier moment of the same clock stays there: the pass that takes it finds
  /// its new deadline.
  func file(_ index: UInt32, _ filing: Filing?, _ number: @autoclosure () -> UInt64) -> Filing.Wakeup? {
    contents.withLock { contents in
      guard let filing else {
        contents.unfile(index)
        return contents.wakeupIfUnused
      }
      if contents.isClosed { return nil }
      let old = contents.slab[index].filing
      if old.isFiled, old.timeline == filing.timeline, contents.slab[index].latest <= filing.latest {
        return Filing.Wakeup.none
      }
      contents.unfile(index)
      return file(index, filing, number(), in: &contents)
    }
  }

  private func file(
    _ index: UInt32, _ filing: Filing, _ number: UInt64, in contents: inout Contents
  ) -> Filing.Wakeup {
    assert(filing.deadline <= filing.latest)
    contents.slab.update(index) { slot in
      slot.filing = Filing.Number(number, on: filing.timeline)
      slot.deadline = filing.deadline
      slot.latest = filing.latest
    }
    contents.withWheel(on: filing.timeline) { wheel, slab in
      if wheel.filedCount == 0 { wheel.start(at: now(filing.timeline)) }
      wheel.file(index, in: slab)
    }
    guard filing.latest < first[filing.timeline] else { return .none }
    first.store(filing.latest, on: filing.timeline)
    return .before(filing.latest, on: filing.timeline)
  }

  /// A pass holds the lock while it takes 64 entries out. Threads whose actions end meanwhile leave their
  /// removals to it. If they waited, a million actions due within 200 ms would take a fifth more time.
  func remove(_ index: UInt32) -> Filing.Wakeup {
    if let wakeup = contents.withLockIfFree({ remove(index, from: &$0) }) { return wakeup }
    let isLeft = removals.withLock { $0?.append(index) != nil }
    return isLeft ? .none : contents.withLock { remove(index, from: &$0) }
  }

  private func remove(_ index: UInt32, from contents: inout Contents) -> Filing.Wakeup {
    _ = contents.remove(index)
    return contents.wakeupIfUnused
  }

  func close() -> [Entry] {
    contents.withLock { $0.isClosed = true }
    return entries()
  }

  /// Removes the deadlines of at most `most` entries whose deadlines have come, and returns these entries in
  /// order.
  ///
  /// Reads all before it retains the first, so that the processor fetches them to its cache in parallel. When
  /// they are fetched one after the other, no read begins before a change of a reference count or of a lock
  /// has ended.
  func takeExpired(on timeline: Timeline, at now: Deadline, most: Int) -> [TimingWheel<Entry>.Expired] {
    afterRemovals(isPassUnderWay: true) { contents in
      var sum = contents.fetched
      var (taken, expired): ([TimingWheel<Entry>.NearQueue.Entry], [TimingWheel<Entry>.Expired]) = ([], [])
      taken.reserveCapacity(most)
      contents.withWheel(on: timeline) { wheel, slab in
        while taken.count < most, let next = wheel.takeExpired(at: now, in: slab) {
          taken.append(next)
          slab.withElement(next.index) { sum &+= $0.ends }
        }
      }
      contents.fetched = sum
      expired.reserveCapacity(taken.count)
      for next in taken {
        guard let element = contents.slab[next.index].element else { continue }
        expired.append(TimingWheel.Expired(latest: next.latest, number: next.number, element: element))
      }
      return expired
    }
  }

  /// Ends a look.
  func publishFirst() {
    afterRemovals(isPassUnderWay: false) { contents in
      first.store(contents.monotonic.nextWakeup(in: contents.slab), on: .monotonic)
      first.store(contents.wall.nextWakeup(in: contents.slab), on: .wall)
    }
  }

  var counts: (live: Int, filed: Int) { afterRemovals { ($0.slab.count, $0.filedCount) } }

  func entry(_ index: UInt32) -> Entry? {
    afterRemovals { index < $0.slab.endIndex ? $0.slab[index].element : nil }
  }

  /// The lock is held for 256 entries at a time.
  func entries(on timeline: Timeline? = nil) -> [Entry] {
    var entries: [Entry] = []
    var position: UInt32 = 0
    while let part = contents.withLock({ $0.entries(from: &position, on: timeline) }) { entries += part }
    return entries
  }
}
