import TimerScheduling

/// Does what operators ask to be done to many timers.
///
/// Work is done in slices of some milliseconds, between which other requests are answered. It belongs to no
/// connection, so it goes on when its page is closed. A cancellation is held back for ten seconds, and for
/// ten seconds after the end of any other work that can be undone.
package actor BulkDesk {
  /// The time for which work is held back, and for which it can be undone.
  static let undoTime = Duration.seconds(10)
  /// The number of works that are under way, held back or can be undone.
  private static let workLimit = 100

  private let feed: TimerFeed
  private let trail: AuditTrail
  private var works: [Int: BulkWork] = [:]
  private var orders: [Int: BulkOrder] = [:]
  private var holds: [Int: ScheduledTimer] = [:]
  private var lastNumber = 0
  private var sliceEnded: @Sendable (BulkWork) async -> Void = { _ in await Task.yield() }

  init(of feed: TimerFeed, trail: AuditTrail) {
    self.feed = feed
    self.trail = trail
  }

  /// Has something done between any two slices of work.
  package func betweenSlices(_ body: @escaping @Sendable (BulkWork) async -> Void) { sliceEnded = body }

  /// The works under way, and those that can be undone, the oldest first.
  var current: [BulkWork] {
    works.values.filter { $0.phase != .ended || $0.canBeUndone }.sorted { $0.number < $1.number }
  }

  // MARK: Orders

  /// Begins to do an action to timers. Returns nil if too much is being done already.
  ///
  /// `order` is told what is done, and says who wants it.
  func begin(
    _ action: TimerAction, on keys: [TimerKey], order: @Sendable (TimerAction, [TimerKey]) -> BulkOrder
  ) -> BulkWork? {
    guard works.count < Self.workLimit else { return nil }
    lastNumber += 1
    let isHeldBack = action.reverse == nil && !keys.isEmpty
    let work = BulkWork(lastNumber, action, on: keys, phase: isHeldBack ? .heldBack : .underWay)
    works[work.number] = work
    orders[work.number] = order(action, keys)
    if isHeldBack {
      holds[work.number] = feed.pacer.schedule(.after(Self.undoTime)) { [weak self] _ in
        await self?.release(work)
      }
    } else {
      Task(priority: .utility) { await perform(work) }
    }
    return work
  }

  /// Ends work before its next timer. Returns nil if there is no such work, or if it has ended.
  func stop(_ number: Int) -> BulkWork? {
    guard let work = works[number], work.phase != .ended else { return nil }
    work.stop()
    if let hold = holds.removeValue(forKey: number) {
      hold.cancel()
      end(work)
    }
    return work
  }

  /// Undoes work: ends it while it is held back, or else does the reverse to the timers that it has changed.
  ///
  /// Returns nil if there is no such work any more, or if it can't be undone.
  func undo(_ number: Int, order: @Sendable (TimerAction, [TimerKey]) -> BulkOrder) -> BulkWork? {
    guard let work = works[number] else { return nil }
    switch work.phase {
    case .heldBack: return stop(number)
    case .underWay: return nil
    case .ended:
      guard let reverse = work.action.reverse, let changed = work.takeChanged() else { return nil }
      // Its place is free for the work that undoes it.
      forget(number)
      return begin(reverse, on: changed, order: order)
    }
  }

  // MARK: Work

  private func release(_ work: BulkWork) async {
    guard holds.removeValue(forKey: work.number) != nil else { return }
    work.begin()
    await perform(work)
  }

  private func perform(_ work: BulkWork) async {
    let run = BulkRun(work: work, operatorName: orders[work.number]?.operatorName, feed: feed, trail: trail)
    await run.perform(sliceEnded: sliceEnded)
    await feed.refresh()
    end(work)
  }

  private func end(_ work: BulkWork) {
    work.end()
    orders.removeValue(forKey: work.number)?.onEnd(work)
    work.tell()
    work.endLines()
    guard work.canBeUndone else {
      works[work.number] = nil
      return
    }
    feed.pacer.schedule(.after(Self.undoTime)) { [weak self] _ in await self?.forget(work.number) }
  }

  private func forget(_ number: Int) { works[number] = nil }
}

/// Who has ordered work, and what to do at its end.
struct BulkOrder: Sendable {
  let operatorName: String?
  let onEnd: @Sendable (BulkWork) -> Void
}
