package protocol QueueEntry: Sendable {
  /// Reading this reads both ends of the object, so that the processor fetches it to its cache.
  var ends: UInt64 { get }
  /// Whether the entry may be added after the queue is closed.
  var isLimit: Bool { get }
}

/// The live entries of a driver, each filed for a deadline on one of the clocks, or for none.
///
/// There is one shard, until a thread that adds an entry finds its lock taken, then eight. Each thread
/// prefers one, so threads that make and end their own timers seldom wait for each other's locks or contend
/// for a cache line.
package struct DeadlineQueue<Entry: QueueEntry>: ~Copyable, Sendable {
  private final class Others: Sendable {
    let all: [Shard<Entry>]

    init(now: @escaping @Sendable (Timeline) -> Deadline) {
      all = (1..<8).map { Shard(number: $0, now: now) }
    }
  }

  private let now: @Sendable (Timeline) -> Deadline
  package let firstShard: Shard<Entry>
  private let others = LazyObject<Others>()

  package init(now: @escaping @Sendable (Timeline) -> Deadline) {
    self.now = now
    firstShard = Shard(number: 0, now: now)
  }

  private subscript(index: Int) -> Shard<Entry> {
    // The place in an identifier of another scheduler may name a shard that isn't made here.
    index == 0 ? firstShard : others.withMade { $0.all[index - 1] } ?? firstShard
  }

  private func forEachShard(_ body: (Shard<Entry>) -> Void) {
    body(firstShard)
    others.withMade { $0.all.forEach(body) }
  }

  /// Says whether the shard was empty before.
  package typealias Addition = (place: Filing.Place, wakeup: Filing.Wakeup)

  /// Adds an entry to a shard whose lock is free, if possible to the thread's own. Returns nil if the queue
  /// is closed to entries of its kind.
  package func add(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Addition? {
    func addIfFree(to shard: Shard<Entry>) -> Addition?? {
      shard.contents.withLockIfFree { shard.add(entry, filing, number, to: &$0) }
    }
    if !others.isMade {
      if let addition = addIfFree(to: firstShard) { return addition }
      _ = others.get { Others(now: now) }
    }
    let own = CurrentThread.number(below: 8)
    for step in 0..<8 {
      if let addition = addIfFree(to: self[(own + step) % 8]) { return addition }
    }
    let shard = self[own]
    return shard.contents.withLock { shard.add(entry, filing, number, to: &$0) }
  }

  /// Gives an entry another deadline, or none. Returns nil if the queue is closed to deadlines.
  package func file(
    _ place: Filing.Place, _ filing: Filing?, number: @autoclosure () -> UInt64
  ) -> Filing.Wakeup? {
    self[place.shard].file(place.index, filing, number())
  }

  /// The caller holds the entry, so that the lock's holder doesn't release it.
  package func remove(_ place: Filing.Place) -> Filing.Wakeup { self[place.shard].remove(place.index) }

  /// Closes the queue to new entries and to timers' deadlines, and calls `body` with its entries. All shards
  /// are made and closed, so that no thread makes open ones later.
  package func close(_ body: (Entry) -> Void) {
    let others = others.get { Others(now: now) }
    for shard in [firstShard] + others.all { shard.close().forEach(body) }
  }

  /// Returns the entries whose deadlines on a clock have come. A deadline at ``Deadline/never`` never comes.
  package func takeDue(on timeline: Timeline, at now: Deadline) -> DueEntries {
    DueEntries(in: [firstShard] + (others.withMade(\.all) ?? []), on: timeline, at: min(now, .last))
  }

  /// Returns the moment by which the first entry on a clock must be taken, or an earlier one.
  package func first(on timeline: Timeline) -> Deadline {
    var first = Deadline.never
    forEachShard { first = min(first, $0.first[timeline]) }
    return first
  }

  /// Ends a look.
  package func publishFirst() { forEachShard { $0.publishFirst() } }

  package var counts: (entries: Int, filed: Int) {
    var counts = (entries: 0, filed: 0)
    forEachShard { shard in
      let (live, filed) = shard.counts
      counts = (counts.entries + live, counts.filed + filed)
    }
    return counts
  }

  /// Returns nil if the entry was removed, or another one that is in its place.
  package func entry(in place: Filing.Place) -> Entry? { self[place.shard].entry(place.index) }

  /// Returns the entries, or all but those that are filed on the other clock, in no particular order. Those
  /// without a deadline are included: a thread that has read the clock may be about to file one. No entry
  /// that is in the queue all the time is left out, as no index changes.
  package func entries(on timeline: Timeline? = nil) -> [Entry] {
    var entries: [Entry] = []
    forEachShard { entries += $0.entries(on: timeline) }
    return entries
  }
}

extension DeadlineQueue {
  /// The entries whose deadlines have come, in the order of the moments by which they must be taken, and then
  /// of filing.
  package struct DueEntries {
    /// The number of entries taken out of a shard while its lock is held.
    private static var batchSize: Int { 64 }

    private struct Source {
      let shard: Shard<Entry>
      var batch: [TimingWheel<Entry>.Expired] = []
      var position = 0
      var isExhausted = false
    }

    private let timeline: Timeline
    private let now: Deadline
    private var sources: [Source]

    fileprivate init(in shards: [Shard<Entry>], on timeline: Timeline, at now: Deadline) {
      (self.timeline, self.now) = (timeline, now)
      sources = shards.map { Source(shard: $0) }
    }

    /// The entry stays in its place, without a deadline.
    package mutating func next() -> Entry? {
      var first: (source: Int, latest: Deadline, number: UInt64)?
      for index in sources.indices
      where sources[index].position < sources[index].batch.count || refill(index) {
        let position = sources[index].position
        // Read field by field, as a copy would retain the entry.
        let (latest, number) = (sources[index].batch[position].latest, sources[index].batch[position].number)
        if let other = first, (other.latest, other.number) < (latest, number) { continue }
        first = (index, latest, number)
      }
      guard let source = first?.source else { return nil }
      defer { sources[source].position += 1 }
      return sources[source].batch[sources[source].position].element
    }

    /// Takes a new batch. Returns false if the source has no other entry.
    private mutating func refill(_ index: Int) -> Bool {
      guard !sources[index].isExhausted else { return false }
      let batch = sources[index].shard.takeExpired(on: timeline, at: now, most: Self.batchSize)
      sources[index] = Source(
        shard: sources[index].shard, batch: batch, isExhausted: batch.count < Self.batchSize)
      return !batch.isEmpty
    }
  }
}
