/// The shards of a driver: one until a thread finds its lock taken, then eight.
///
/// With eight shards, each of up to eight threads has its own. So threads that make and end their own timers neither
/// wait for each other's locks nor contend for a cache line.
struct Shards: ~Copyable, Sendable {
  /// The place of a timer, from its addition to its end.
  ///
  /// It takes half a word, as each timer has one: four bits for the shard and the clock, the rest for the index.
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
    let all: [Shard]

    init(on clock: any SchedulerClock) { all = (1..<8).map { _ in Shard(on: clock) } }
  }

  private let clock: any SchedulerClock
  private let first: Shard
  private let others = LazyObject<Others>()

  init(on clock: any SchedulerClock) {
    self.clock = clock
    first = Shard(on: clock)
  }

  private subscript(index: Int) -> Shard {
    // The place in an identifier of another scheduler may name a shard that isn't made here.
    index == 0 ? first : others.withMade { $0.all[index - 1] } ?? first
  }

  subscript(place: Place) -> Shard { self[place.shard] }

  /// Returns the timer in a place, or nil if there is none.
  func entry(in place: Place) -> TimerEntry? {
    self[place].entry(place.handle, on: place.timeline)
  }

  /// Calls `body` with each shard.
  func forEach(_ body: (Shard) -> Void) {
    body(first)
    others.withMade { $0.all.forEach(body) }
  }

  /// Closes the shards to new timers and deadlines, and calls `body` with their timers, which now have no deadlines.
  ///
  /// If there is only one shard, the others are made and closed, too, so that no thread makes open ones later.
  func close(_ body: (TimerEntry) -> Void) {
    for shard in [first] + others.get({ Others(on: clock) }).all { shard.close().forEach(body) }
  }

  /// Returns the earliest of the moments by which timers on a clock must fire.
  func earliest(on timeline: Timeline) -> Deadline {
    var earliest = Deadline.never
    forEach { earliest = min(earliest, $0.earliest[timeline]) }
    return earliest
  }

  /// All shards made so far.
  var all: [Shard] { [first] + (others.withMade(\.all) ?? []) }

  /// Adds a timer to a shard whose lock is free, if possible to the thread's own. Returns nil if the shards are
  /// closed.
  func add(
    _ entry: TimerEntry, on timeline: Timeline, _ filing: Shard.Filing?, number: UInt64
  ) -> (Place, Shard.Addition)? {
    func result(_ addition: Shard.Addition?, _ index: Int) -> (Place, Shard.Addition)? {
      addition.map { (Place(shard: index, timeline: timeline, handle: $0.handle), $0) }
    }

    if !others.isMade {
      if let addition = first.addIfFree(entry, on: timeline, filing, number: number) {
        return result(addition, 0)
      }
      _ = others.get { Others(on: clock) }
    }
    let own = CurrentThread.number(below: 8)
    for step in 0..<8 {
      let index = (own + step) % 8
      if let addition = self[index].addIfFree(entry, on: timeline, filing, number: number) {
        return result(addition, index)
      }
    }
    return result(self[own].add(entry, on: timeline, filing, number: number), own)
  }
}
