/// The shards of a driver: one until a thread finds its lock taken, then eight.
///
/// With eight shards, each of up to eight threads has its own. So threads that make and end their own timers neither
/// wait for each other's locks nor contend for a cache line.
struct Shards<Entry: ShardEntry>: ~Copyable, Sendable {
  private final class Others: Sendable {
    let all: [Shard<Entry>]

    init(now: @escaping @Sendable (Timeline) -> Deadline) {
      all = (1..<8).map { Shard(number: $0, now: now) }
    }
  }

  private let now: @Sendable (Timeline) -> Deadline
  private let first: Shard<Entry>
  private let others = LazyObject<Others>()

  /// Creates the shards. `now` reads a clock.
  init(now: @escaping @Sendable (Timeline) -> Deadline) {
    self.now = now
    first = Shard(number: 0, now: now)
  }

  private subscript(index: Int) -> Shard<Entry> {
    // The place in an identifier of another scheduler may name a shard that isn't made here.
    index == 0 ? first : others.withMade { $0.all[index - 1] } ?? first
  }

  subscript(place: ShardPlace) -> Shard<Entry> { self[place.shard] }

  /// Returns the entry in a place, or nil if there is none.
  func entry(in place: ShardPlace) -> Entry? { self[place].entry(place.index) }

  func forEach(_ body: (Shard<Entry>) -> Void) {
    body(first)
    others.withMade { $0.all.forEach(body) }
  }

  /// Closes the shards to new entries and to timers' deadlines, and calls `body` with their entries.
  ///
  /// If there is only one shard, the others are made and closed, too, so that no thread makes open ones later.
  func close(to closure: ShardClosure, _ body: (Entry) -> Void) {
    for shard in [first] + others.get({ Others(now: now) }).all { shard.close(to: closure).forEach(body) }
  }

  /// Returns the earliest of the moments by which entries on a clock must be taken.
  func earliest(on timeline: Timeline) -> Deadline {
    var earliest = Deadline.never
    forEach { earliest = min(earliest, $0.earliest[timeline]) }
    return earliest
  }

  /// Returns the entries whose deadlines on a clock have come.
  func expired(on timeline: Timeline, at now: Deadline) -> ExpiredEntries<Entry> {
    ExpiredEntries(in: [first] + (others.withMade(\.all) ?? []), on: timeline, at: now)
  }

  /// Adds an entry to a shard whose lock is free, if possible to the thread's own. Returns nil if the shards are
  /// closed.
  func add(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Shard<Entry>.Addition? {
    if !others.isMade {
      if let addition = first.addIfFree(entry, filing, number: number) { return addition }
      _ = others.get { Others(now: now) }
    }
    let own = CurrentThread.number(below: 8)
    for step in 0..<8 {
      if let addition = self[(own + step) % 8].addIfFree(entry, filing, number: number) { return addition }
    }
    return self[own].add(entry, filing, number: number)
  }
}

/// The entries of all shards whose deadlines have come. They are ordered by the moment by which they must be taken,
/// and those with the same moment by the order of filing.
struct ExpiredEntries<Entry: ShardEntry> {
  /// The number of entries taken out of a shard while its lock is held.
  private static var batchSize: Int { 64 }

  private struct Source {
    let shard: Shard<Entry>
    var batch: [Shard<Entry>.Expired] = []
    var position = 0
    var isExhausted = false
  }

  private let timeline: Timeline
  private let now: Deadline
  private var sources: [Source]

  fileprivate init(in shards: [Shard<Entry>], on timeline: Timeline, at now: Deadline) {
    self.timeline = timeline
    self.now = now
    sources = shards.map { Source(shard: $0) }
  }

  /// Takes the next entry. It stays in its shard, without a deadline.
  mutating func next() -> Entry? {
    var first: (source: Int, latest: Deadline, number: UInt64)?
    for index in sources.indices {
      if sources[index].position == sources[index].batch.count { refill(index) }
      guard sources[index].position < sources[index].batch.count else { continue }
      // Read field by field, as a copy would retain the entry.
      let latest = sources[index].batch[sources[index].position].latest
      let number = sources[index].batch[sources[index].position].number
      if let other = first, (other.latest, other.number) < (latest, number) { continue }
      first = (index, latest, number)
    }
    guard let first else { return nil }
    defer { sources[first.source].position += 1 }
    return sources[first.source].batch[sources[first.source].position].element
  }

  private mutating func refill(_ index: Int) {
    guard !sources[index].isExhausted else { return }
    sources[index].batch = sources[index].shard.takeExpired(on: timeline, at: now, most: Self.batchSize)
    sources[index].position = 0
    sources[index].isExhausted = sources[index].batch.count < Self.batchSize
  }
}
