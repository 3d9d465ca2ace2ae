import Synchronization

/// The shards of a driver: one until a thread finds its lock taken, then eight.
@safe struct Shards: ~Copyable, Sendable {
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
  /// The other shards, of which there is one reference from the moment they are made to the end.
  private let others = unsafe Atomic<Unmanaged<Others>?>(nil)

  deinit {
    if let others = unsafe others.load(ordering: .acquiring) { unsafe others.release() }
  }

  private var madeOthers: Others? { unsafe others.load(ordering: .acquiring)?.takeUnretainedValue() }

  @inline(never)
  private func makeOthers() -> Others {
    let new = unsafe Unmanaged.passRetained(Others())
    let (isFirst, current) = unsafe others.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let current = unsafe current else { return unsafe new.takeUnretainedValue() }
    // Another thread was faster.
    unsafe new.release()
    return unsafe current.takeUnretainedValue()
  }

  subscript(place: Place) -> Shard {
    place.shard == 0 ? first : madeOthers?.all[Int(place.shard) - 1] ?? first
  }

  /// Calls `body` with each shard.
  func forEach(_ body: (Shard) -> Void) {
    body(first)
    if let others = madeOthers { others.all.forEach(body) }
  }

  /// All of them.
  var all: [Shard] { [first] + (madeOthers?.all ?? []) }

  /// Adds a timer to a shard whose lock is free. Returns nil if the shards are closed.
  func add(
    _ entry: TimerEntry, on timeline: Timeline, _ filing: Shard.Filing?, number: UInt64,
    at now: () -> Deadline
  ) -> (Place, Shard.Addition)? {
    var result = first.addIfFree(entry, on: timeline, filing, number: number, at: now)
    var shard: UInt8 = 0
    if result == nil {
      let others = madeOthers ?? makeOthers()
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
