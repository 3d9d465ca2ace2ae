/// An object that is kept in a shard.
protocol ShardEntry: AnyObject, Sendable {
  /// A value read from both ends of the object, so that the object is fetched from memory.
  var ends: UInt64 { get }
}

/// A part of a driver's live entries, with the deadlines for which they are filed.
///
/// An entry is added by the thread that makes it and removed by the thread that ends it. In between, it keeps its
/// index, and is filed for a deadline on one of the clocks, or for none.
final class Shard<Entry: ShardEntry>: Sendable {
  typealias Expired = DeadlineQueue<Entry>.Expired

  struct Contents: ~Copyable, Sendable {
    var queue = DeadlineQueue<Entry>()
    /// Whether the driver has shut down or was abandoned. Then no entry is added and no deadline is filed.
    var isClosed = false
  }

  private let now: @Sendable (Timeline) -> Deadline
  /// Guards the entries. This lock is taken last: the lock of an entry may be held. While it is held, the clock is
  /// read, and no lock but the clock's is taken.
  private let contents = Lock(Contents())
  /// The moments by which the first entries of the two clocks must be taken, or earlier ones. They are lowered under
  /// the lock.
  let earliest = AtomicMoments()

  /// Creates a shard. `now` reads a clock.
  init(now: @escaping @Sendable (Timeline) -> Deadline) { self.now = now }

  @inline(__always)
  func withContents<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
    contents.withLock { body(&$0) }
  }

  // MARK: Adding and removing

  struct Addition: Sendable {
    let index: UInt32
    let outcome: FilingOutcome
    /// Whether the shard was empty before.
    let isFirst: Bool
  }

  /// Adds an entry with its deadline, if it has one. Returns nil if the shard is closed.
  func add(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Addition? {
    withContents { add(entry, filing, number, to: &$0) }
  }

  /// Adds an entry if no other thread holds the lock. Otherwise returns nil and does nothing.
  func addIfFree(_ entry: Entry, _ filing: Filing?, number: UInt64) -> Addition?? {
    contents.withLockIfFree { add(entry, filing, number, to: &$0) }
  }

  private func add(
    _ entry: Entry, _ filing: Filing?, _ number: UInt64, to contents: inout Contents
  ) -> Addition? {
    guard !contents.isClosed else { return nil }
    let isFirst = contents.queue.isEmpty
    let index = contents.queue.add(entry)
    var outcome = FilingOutcome.done
    if let filing { outcome = file(index, filing, number, in: &contents.queue) }
    return Addition(index: index, outcome: outcome, isFirst: isFirst)
  }

  /// Gives an entry another deadline. An entry that is filed for an earlier moment of the same clock stays there: the
  /// pass that takes it finds its new deadline. So a timeout that is restarted repeatedly is filed only once in its
  /// time.
  func file(_ index: UInt32, _ filing: Filing, number: @autoclosure () -> UInt64) -> FilingOutcome {
    withContents { contents in
      guard !contents.isClosed else { return .closed }
      if contents.queue.isFiled(index, on: filing.timeline, by: filing.latest) { return .done }
      return file(index, filing, number(), in: &contents.queue)
    }
  }

  private func file(
    _ index: UInt32, _ filing: Filing, _ number: UInt64, in queue: inout DeadlineQueue<Entry>
  ) -> FilingOutcome {
    queue.startIfUnused(filing.timeline) { now(filing.timeline) }
    queue.file(index, filing, number: number)
    guard filing.latest < earliest[filing.timeline] else { return .done }
    earliest.store(filing.latest, on: filing.timeline)
    return .earliest
  }

  /// Removes an entry's deadline, if it has one.
  func unfile(_ index: UInt32) -> FilingOutcome {
    withContents { contents in
      contents.queue.unfile(index)
      return contents.queue.filedCount == 0 ? .emptied : .done
    }
  }

  /// Removes an entry, which the caller holds.
  func remove(_ index: UInt32) -> FilingOutcome {
    withContents { contents in
      contents.queue.remove(index)
      return contents.queue.hasRetired ? .retired : contents.queue.filedCount == 0 ? .emptied : .done
    }
  }

  /// Closes the shard to new entries and deadlines, and returns its entries, which now have no deadlines.
  func close() -> [Entry] {
    withContents { contents in
      contents.isClosed = true
      return contents.queue.unfileAll()
    }
  }

  // MARK: The pass

  /// Removes and returns the entries whose deadlines have come, in order, at most `most` of them.
  ///
  /// A deadline filed at ``Deadline/never`` never comes.
  func takeExpired(on timeline: Timeline, at now: Deadline, most: Int) -> [Expired] {
    let now = min(now, .last)
    return withContents { contents in
      contents.queue.fetch(most, on: timeline) { $0.ends }
      var expired: [Expired] = []
      expired.reserveCapacity(most)
      while expired.count < most, let next = contents.queue.takeExpired(on: timeline, at: now) {
        expired.append(next)
      }
      return expired
    }
  }

  /// Publishes the moments by which the first entries must be taken.
  func publishEarliest() {
    withContents { contents in
      earliest.store(contents.queue.nextWakeup(on: .monotonic) ?? .never, on: .monotonic)
      earliest.store(contents.queue.nextWakeup(on: .wall) ?? .never, on: .wall)
    }
  }

  /// Frees the memory of removed entries.
  func freeRetired() { withContents { $0.queue.takeRetired() }.free() }
}
