/// The shards of a driver: one until a thread finds its lock taken, then eight.
struct Shards: ~Copyable, Sendable {
  /// Where a timer is, from its addition to its end.
  ///
  /// In half a word, as each timer has one: four bits for the shard and the clock, and the others for the index.
  struct Place: Sendable {
    private static var indexBits: UInt32 { 28 }
    let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    fileprivate init(shard: Int, timeline: Timeline, handle: Shard.Handle) {
      precondition(handle.index >> Self.indexBits == 0, "A shard has room for 2²⁸ timers.")
      let high = UInt32(shard) << 1 | (timeline == .wall ? 1 : 0)
      bits = high << Self.indexBits | handle.index
    }

    fileprivate var shard: Int { Int(bits >> (Self.indexBits + 1)) }
    var timeline: Timeline { bits >> Self.indexBits & 1 == 1 ? .wall : .monotonic }
    var handle: Shard.Handle { Shard.Handle(index: bits & (1 << Self.indexBits - 1)) }
  }

  private final class Others: Sendable {
    let all = (1..<8).map { _ in Shard() }
  }

  private let first = Shard()
  private let others = LazyObject<Others>()

  subscript(place: Place) -> Shard {
    place.shard == 0 ? first : others.made?.all[place.shard - 1] ?? first
  }

  /// The timer in a place. Nil if there is none.
  func entry(in place: Place) -> TimerEntry? {
    self[place].entry(place.handle, on: place.timeline)
  }

  /// Calls `body` with each shard.
  func forEach(_ body: (Shard) -> Void) {
    body(first)
    if let others = others.made { others.all.forEach(body) }
  }

  /// The first of the moments by which timers on a clock have to be fired.
  func earliest(on timeline: Timeline) -> Deadline {
    var earliest = Deadline.never
    forEach { earliest = min(earliest, $0.earliest[timeline]) }
    return earliest
  }

  /// All of them.
  var all: [Shard] { [first] + (others.made?.all ?? []) }

  /// Adds a timer to a shard whose lock is free. Returns nil if the shards are closed.
  func add(
    _ entry: TimerEntry, on timeline: Timeline, _ filing: Shard.Filing?, number: UInt64,
    at now: () -> Deadline
  ) -> (Place, Shard.Addition)? {
    var result = first.addIfFree(entry, on: timeline, filing, number: number, at: now)
    var shard = 0
    if result == nil {
      let others = others.get(Others.init)
      while result == nil, shard < 7 {
        result = others.all[shard].addIfFree(entry, on: timeline, filing, number: number, at: now)
        shard += 1
      }
    }
    let addition: Shard.Addition?
    if let result {
      addition = result
    } else {
      shard = 0
      addition = first.add(entry, on: timeline, filing, number: number, at: now)
    }
    return addition.map { (Place(shard: shard, timeline: timeline, handle: $0.handle), $0) }
  }
}
