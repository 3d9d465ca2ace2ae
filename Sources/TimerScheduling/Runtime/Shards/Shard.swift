/// An object that is kept in a shard.
protocol ShardEntry: Sendable {
  /// A value read from both ends of the object, so that the object is fetched from memory.
  var ends: UInt64 { get }
  /// Whether the entry may be added after a shutdown.
  var isLimit: Bool { get }
}

/// The entries that shards refuse once they are closed.
enum ShardClosure: Sendable { case none, allButLimits, all }

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

  var shard: Int { Int(bits >> Self.indexBits) }
  var index: UInt32 { bits & (1 << Self.indexBits - 1) }
}

/// A part of a driver's live entries, with the deadlines for which they are filed.
///
/// An entry keeps its place from its addition to its removal, and is filed for a deadline on one of the clocks, or for
/// none.
final class Shard<Entry: ShardEntry>: Sendable {
  typealias Expired = DeadlineQueue<Entry>.Expired

  private struct Contents: ~Copyable, Sendable {
    var queue = DeadlineQueue<Entry>()
    var closure = ShardClosure.none

    /// Whether the driver has shut down or was abandoned. Then no deadline of a timer is filed.
    var isClosed: Bool { closure != .none }

    func takes(_ entry: Entry) -> Bool {
      switch closure {
      case .none: true
      case .allButLimits: entry.isLimit
      case .all: false
      }
    }
  }

  /// Removals that threads leave to a pass.
  private struct Removals {
    /// Whether a pass has begun to take entries out, and hasn't published the next deadlines yet.
    var isPassUnderWay = false
    var indices: [UInt32] = []
  }

  private let number: Int
  private let now: @Sendable (Timeline) -> Deadline
  /// Guards the entries. The lock of an entry may be held. While this lock is held, the clock is read, and no lock but
  /// the clock's and that of the removals is taken.
  private let contents = Lock(Contents())
  /// Guards the removals that are left to a pass. This lock is taken last.
  private let removals = Lock(Removals())
  /// The moments by which the first entries of the two clocks must be taken, or earlier ones. They are lowered under
  /// the lock.
  let earliest = AtomicMoments()

  /// Creates the shard with a number below eight. `now` reads a clock.
  init(number: Int, now: @escaping @Sendable (Timeline) -> Deadline) {
    self.number = number
    self.now = now
  }

  @inline(__always)
  private func withContents<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
    contents.withLock { body(&$0) }
  }

  /// Makes the removals that were left to a pass, and then calls `body`. A pass says whether it goes on.
  private func afterRemovals<Result: Sendable>(
    isPassUnderWay: Bool? = nil, _ body: (inout Contents) -> Result
  ) -> Result {
    let (result, removed) = withContents { contents in
      let indices = removals.withLock { removals in
        if let isPassUnderWay { removals.isPassUnderWay = isPassUnderWay }
        defer { removals.indices = [] }
        return removals.indices
      }
      let removed = indices.map { contents.queue.remove($0) }
      return (body(&contents), removed)
    }
    // Released without the lock.
    withExtendedLifetime(removed) {}
    return result
  }

  // MARK: Adding and removing

  struct Addition: Sendable {
    let place: ShardPlace
    let wakeup: ShardWakeup
    /// Whether the shard was empty before.
    let isFirst: Bool
  }

  /// Adds an entry with its deadline, if it has one. Returns nil if the shard is closed to entries of its kind.
  func add(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Addition? {
    withContents { add(entry, filing, number, to: &$0) }
  }

  /// Adds an entry if no other thread holds the lock.
  ///
  /// Returns `.none` if another thread holds the lock, and `.some(nil)` if the shard is closed to entries of its kind.
  func addIfFree(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Addition?? {
    contents.withLockIfFree { add(entry, filing, number, to: &$0) }
  }

  private func add(
    _ entry: Entry, _ filing: Filing?, _ number: UInt64, to contents: inout Contents
  ) -> Addition? {
    guard contents.takes(entry) else { return nil }
    let isFirst = contents.queue.isEmpty
    let index = contents.queue.add(entry)
    var wakeup = ShardWakeup.none
    if let filing { wakeup = file(index, filing, number, in: &contents.queue) }
    return Addition(place: ShardPlace(shard: self.number, index: index), wakeup: wakeup, isFirst: isFirst)
  }

  /// Gives an entry another deadline. Returns nil if the shard is closed.
  ///
  /// An entry that is filed for an earlier moment of the same clock stays there: the pass that takes it finds its new
  /// deadline. So a timeout that is restarted repeatedly is filed only once in its time.
  func file(_ index: UInt32, _ filing: Filing, number: @autoclosure () -> UInt64) -> ShardWakeup? {
    withContents { contents in
      if contents.isClosed { return nil }
      if contents.queue.isFiled(index, on: filing.timeline, by: filing.latest) { return ShardWakeup.none }
      return file(index, filing, number(), in: &contents.queue)
    }
  }

  private func file(
    _ index: UInt32, _ filing: Filing, _ number: UInt64, in queue: inout DeadlineQueue<Entry>
  ) -> ShardWakeup {
    queue.startIfUnused(filing.timeline) { now(filing.timeline) }
    queue.file(index, filing, number: number)
    guard filing.latest < earliest[filing.timeline] else { return .none }
    earliest.store(filing.latest, on: filing.timeline)
    return .before(filing.latest, on: filing.timeline)
  }

  func unfile(_ index: UInt32) -> ShardWakeup {
    withContents { contents in
      contents.queue.unfile(index)
      return contents.queue.filedCount == 0 ? .disarm : .none
    }
  }

  /// Removes an entry, which the caller holds.
  ///
  /// A pass holds the lock while it takes 64 entries out. Threads whose actions end meanwhile don't wait: the pass
  /// removes their entries with its next ones, or when it publishes the next deadlines. If they waited, a million
  /// actions due within 200 ms would take a fifth more time.
  func remove(_ index: UInt32) -> ShardWakeup {
    if let wakeup = contents.withLockIfFree({ remove(index, from: &$0.queue) }) { return wakeup }
    let isLeft = removals.withLock { removals in
      if removals.isPassUnderWay { removals.indices.append(index) }
      return removals.isPassUnderWay
    }
    return isLeft ? .none : withContents { remove(index, from: &$0.queue) }
  }

  private func remove(_ index: UInt32, from queue: inout DeadlineQueue<Entry>) -> ShardWakeup {
    queue.remove(index)
    return queue.hasRetired ? .free : queue.filedCount == 0 ? .disarm : .none
  }

  /// Closes the shard to new entries and to timers' deadlines, and returns its entries.
  func close(to closure: ShardClosure) -> [Entry] {
    withContents { $0.closure = closure }
    return entries()
  }

  // MARK: The pass

  /// Removes and returns the entries whose deadlines have come, in order, at most `most` of them.
  ///
  /// A deadline filed at ``Deadline/never`` never comes.
  func takeExpired(on timeline: Timeline, at now: Deadline, most: Int) -> [Expired] {
    let now = min(now, .last)
    return afterRemovals(isPassUnderWay: true) { contents in
      contents.queue.fetch(most, on: timeline) { $0.ends }
      var expired: [Expired] = []
      expired.reserveCapacity(most)
      while expired.count < most, let next = contents.queue.takeExpired(on: timeline, at: now) {
        expired.append(next)
      }
      return expired
    }
  }

  func publishEarliest() {
    afterRemovals(isPassUnderWay: false) { contents in
      earliest.store(contents.queue.nextWakeup(on: .monotonic) ?? .never, on: .monotonic)
      earliest.store(contents.queue.nextWakeup(on: .wall) ?? .never, on: .wall)
      return contents.queue.takeRetired()
    }.free()
  }

  func freeRetired() { withContents { $0.queue.takeRetired() }.free() }

  // MARK: Looking

  /// The number of entries, and of those that have a deadline.
  var counts: (live: Int, filed: Int) { afterRemovals { ($0.queue.count, $0.queue.filedCount) } }

  /// Returns the entry with an index, which may be the index of a removed entry.
  func entry(_ index: UInt32) -> Entry? { afterRemovals { $0.queue.element(index) } }

  /// Returns the entries, or all but those that are filed on the other clock, in no particular order. The lock is held
  /// for a part of them at a time.
  ///
  /// Every entry that is in the shard during the whole walk is found, as its index never changes. Those without a
  /// deadline are included: a thread that has read the clock may be about to file one.
  func entries(on timeline: Timeline? = nil) -> [Entry] {
    var entries: [Entry] = []
    var position: UInt32 = 0
    while let next = withContents({ $0.queue.nextElements(from: &position, on: timeline) }) {
      entries += next
    }
    return entries
  }
}
