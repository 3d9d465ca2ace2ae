/// The number of listeners at each cursor ahead of the taken ticks. It gives the slowest listener in O(1).
///
/// A listener that joins is at the newest deadline that has passed, which may be ahead of every taken tick. Cursors
/// of new listeners never decrease, so they arrive in order. A listener that takes a tick is no longer ahead, as that
/// tick then counts as taken. So a cursor is entered once and removed once.
package struct CursorTally: Sendable {
  private struct Count {
    let cursor: TickCursor
    var listeners: Int
  }

  /// The counts by cursor in ascending order, beginning at `start`.
  private var counts: [Count] = []
  private var start = 0
  private var total = 0
  /// The cursor of the taken ticks. Cursors up to this one aren't counted.
  private var taken = TickCursor.start

  package init() {}

  /// Adds a listener at `cursor`, while ticks up to `taken` are taken.
  package mutating func enter(_ cursor: TickCursor, taken: TickCursor) {
    settle(taken)
    guard cursor > self.taken else { return }
    total += 1
    if let last = counts.indices.last, last >= start, counts[last].cursor == cursor {
      counts[last].listeners += 1
    } else {
      counts.append(Count(cursor: cursor, listeners: 1))
    }
  }

  /// Removes a listener that leaves or moves on from `cursor`.
  package mutating func remove(_ cursor: TickCursor) {
    guard cursor > taken else { return }
    // Binary search: listeners may leave in any order.
    var (low, high) = (start, counts.count)
    while low < high {
      let middle = (low + high) / 2
      if counts[middle].cursor < cursor { low = middle + 1 } else { high = middle }
    }
    counts[low].listeners -= 1
    total -= 1
    dropEmpty()
  }

  /// Moves a listener at `cursor` that has taken a tick. Ticks up to `taken` are now taken, including its new
  /// cursor's.
  package mutating func move(from cursor: TickCursor, taken: TickCursor) {
    remove(cursor)
    settle(taken)
  }

  /// Returns the cursor of the slowest of `count` listeners, where cursors up to `taken` count as `taken`.
  package mutating func slowest(of count: Int, taken: TickCursor) -> TickCursor {
    settle(taken)
    return total < count ? self.taken : counts[start].cursor
  }

  /// Removes the cursors that aren't ahead any more.
  private mutating func settle(_ newlyTaken: TickCursor) {
    guard newlyTaken > taken else { return }
    taken = newlyTaken
    while start < counts.count, counts[start].cursor <= taken {
      total -= counts[start].listeners
      start += 1
    }
    dropEmpty()
  }

  private mutating func dropEmpty() {
    while start < counts.count, counts[start].listeners == 0 { start += 1 }
    if start == counts.count {
      counts.removeAll(keepingCapacity: true)
      start = 0
    } else if start > counts.count / 2 {
      counts.removeFirst(start)
      start = 0
    }
  }
}
