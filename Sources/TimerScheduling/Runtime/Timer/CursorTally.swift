/// The number of listeners at each cursor beyond the ticks that were taken, from which the slowest is known in O(1).
///
/// A listener that joins is at the newest deadline that has passed, which may be ahead of every tick that was taken.
/// Cursors of new listeners never fall, so they are in order as they come. A listener that takes a tick isn't ahead
/// any more, as that tick then counts as taken. So a cursor is entered once and removed once.
package struct CursorTally: Sendable {
  private struct Count {
    let cursor: TickCursor
    var listeners: Int
  }

  /// By cursor, in ascending order, from `start` on.
  private var counts: [Count] = []
  private var start = 0
  private var total = 0
  /// Cursors up to this one aren't counted.
  private var taken = TickCursor.start

  package init() {}

  /// A listener joins at `cursor`, while ticks up to `taken` are taken.
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

  /// A listener leaves, or moves on, from `cursor`.
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

  /// A listener at `cursor` has taken a tick. Ticks up to `taken` are taken now, and its new cursor is among them.
  package mutating func move(from cursor: TickCursor, taken: TickCursor) {
    remove(cursor)
    settle(taken)
  }

  /// The cursor of the slowest of `count` listeners, where cursors up to `taken` count as `taken`.
  package mutating func slowest(of count: Int, taken: TickCursor) -> TickCursor {
    settle(taken)
    return total < count ? self.taken : counts[start].cursor
  }

  /// Forgets the cursors that aren't ahead any more.
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
