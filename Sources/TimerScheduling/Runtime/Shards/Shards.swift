/// The place of an entry, from its addition to its end: its shard and its index there.
///
/// It takes half a word, as each timer has one: three bits for the shard, the rest for the index.
struct ShardPlace: Sendable {
  private static var indexBits: UInt32 { 29 }
  let bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  fileprivate init(shard: Int, index: UInt32) {
    precondition(index >> Self.indexBits == 0, "A shard has room for 2²⁹ timers.")
    bits = UInt32(shard) << Self.indexBits | index
  }

  fileprivate var shard: Int { Int(bits >> Self.indexBits) }
  var index: UInt32 { bits & (1 << Self.indexBits - 1) }
}

/// The shards of a driver: one until a thread finds its lock taken, then eight.
///
/// With eight shards, each of up to eight threads has its own. So threads that make and end their own timers neither
/// wait for each other's locks nor contend for a cache line.
struct Shards<Entry: ShardEntry>: ~Copyable, Sendable {
  private final class Others: Sendable {
    let all: [Shard<Entry>]

    init(now: @escaping @Sendable (Timeline) -> Deadline) { all = (1..<8).map { _ in Shard(now: now) } }
  }

  private let now: @Sendable (Timeline) -> Deadline
  private let first: Shard<Entry>
  private let others = LazyObject<Others>()

  /// Creates the shards. `now` reads a clock.
  init(now: @escaping @Sendable (Timeline) -> Deadline) {
    self.now = now
    first = Shard(now: now)
  }

  private subscript(index: Int) -> Shard<Entry> {
    // The place in an identifier of another scheduler may name a shard that isn't made here.
    index == 0 ? first : others.withMade { $0.all[index - 1] } ?? first
  }

  subscript(place: ShardPlace) -> Shard<Entry> { self[place.shard] }

  /// Returns the entry in a place, or nil if there is none.
  func entry(in place: ShardPlace) -> Entry? { self[place].entry(place.index) }

  /// Calls `body` with each shard.
  func forEach(_ body: (Shard<Entry>) -> Void) {
    body(first)
    others.withMade { $0.all.forEach(body) }
  }

  /// Closes the shards to new entries and deadlines, and calls `body` with their entries, which now have no deadlines.
  ///
  /// If there is only one shard, the others are made and closed, too, so that no thread makes open ones later.
  func close(_ body: (Entry) -> Void) {
    for shard in [first] + others.get({ Others(now: now) }).all { shard.close().forEach(body) }
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
  func add(_ entry: Entry, _ filing: Filing?, number: UInt64) -> (ShardPlace, Shard<Entry>.Addition)? {
    func result(_ addition: Shard<Entry>.Addition?, _ index: Int) -> (ShardPlace, Shard<Entry>.Addition)? {
      addition.map { (ShardPlace(shard: index, index: $0.index), $0) }
    }

    if !others.isMade {
      if let addition = first.addIfFree(entry, filing, number: number) { return result(addition, 0) }
      _ = others.get { Others(now: now) }
    }
    let own = CurrentThread.number(below: 8)
    for step in 0..<8 {
      let index = (own + step) % 8
      if let addition = self[index].addIfFree(entry, filing, number: number) {
        return result(addition, index)
      }
    }
    return result(self[own].add(entry, filing, number: number), own)
  }
}
