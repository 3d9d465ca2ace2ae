/// The shards of a driver: one until a thread finds its lock taken, then eight.
struct Shards: ~Copyable, Sendable {
  /// Where a timer is, from its addition to its end.
  struct Place: Sendable {
    fileprivate let shard: UInt8
    let timeline: Timeline
    let handle: Shard.Handle
  }

  private final class Others: Sendable {
    let all = (1..<8).map { _ in Shard() }
  }

  private let first = Shard()
  private let others = LazyObject<Others>()

  subscript(place: Place) -> Shard {
    place.shard == 0 ? first : others.made?.all[Int(place.shard) - 1] ?? first
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
    var shard: UInt8 = 0
    if result == nil {
      let others = others.get(Others.init)
      while result == nil, shard < 7 {
        result = others.all[Int(shard)].addIfFree(entry, on: timeline, filing, number: number, at: now)
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
