import TimerScheduling

/// Does what operators ask to be done to many timers, or to many jobs.
///
/// Work is done in slices of some milliseconds, between which other requests are answered. It belongs to no
/// connection, so it goes on when its page is closed. What can't be taken back is held back for ten seconds,
/// and any other work can be undone for ten seconds after its end, if its action has a reverse.
package actor BulkDesk<Action: BulkAction> {
  /// Does the work to one after the other, calls the closure between slices, and shows pages what has come.
  typealias Performer =
    @Sendable (
      _ work: BulkWork<Action>, _ order: BulkOrder<Action>?,
      _ sliceEnded: @escaping @Sendable (BulkWork<Action>) async -> Void
    ) async -> Void

  /// The number of works that are under way, held back or can be undone.
  private static var workLimit: Int { 100 }

  private let pacer: TimerScheduler
  private let performer: Performer
  private var works: [Int: BulkWork<Action>] = [:]
  private var orders: [Int: BulkOrder<Action>] = [:]
  private var holds: [Int: ScheduledTimer] = [:]
  private var lastNumber = 0
  private var sliceEnded: @Sendable (BulkWork<Action>) async -> Void = { _ in await Task.yield() }

  init(pacer: TimerScheduler, performer: @escaping Performer) {
    self.pacer = pacer
    self.performer = performer
  }

  /// Has something done between any two slices of work.
  package func betweenSlices(_ body: @escaping @Sendable (BulkWork<Action>) async -> Void) {
    sliceEnded = body
  }

  /// The works under way, and those that can be undone, the oldest first.
  var current: [BulkWork<Action>] {
    works.values.filter { $0.phase != .ended || $0.canBeUndone }.sorted { $0.number < $1.number }
  }

  // MARK: Orders

  /// Begins to do an action to timers or jobs. Returns nil if too much is being done already.
  ///
  /// `order` is told what is done, and says who wants it.
  func begin(
    _ action: Action, on keys: [Action.Key], order: @Sendable (Action, [Action.Key]) -> BulkOrder<Action>
  ) -> BulkWork<Action>? {
    guard works.count < Self.workLimit else { return nil }
    lastNumber += 1
    let isHeldBack = action.isHeldBack && !keys.isEmpty
    let work = BulkWork(lastNumber, action, on: keys, phase: isHeldBack ? .heldBack : .underWay)
    works[work.number] = work
    orders[work.number] = order(action, keys)
    if isHeldBack {
      holds[work.number] = pacer.schedule(.after(undoTime)) { [weak self] _ in
        await self?.release(work)
      }
    } else {
      Task(priority: .utility) { await perform(work) }
    }
    return work
  }

  /// Ends work before its next timer or job. Returns nil if there is no such work, or if it has ended.
  func stop(_ number: Int) -> BulkWork<Action>? {
    guard let work = works[number], work.phase != .ended else { return nil }
    work.stop()
    if let hold = holds.removeValue(forKey: number) {
      hold.cancel()
      end(work)
    }
    return work
  }

  /// Undoes work: ends it while it is held back, or else does the reverse to those that it has changed.
  ///
  /// Returns nil if there is no such work any more, or if it can't be undone.
  func undo(
    _ number: Int, order: @Sendable (Action, [Action.Key]) -> BulkOrder<Action>
  ) -> BulkWork<Action>? {
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

  private func release(_ work: BulkWork<Action>) async {
    guard holds.removeValue(forKey: work.number) != nil else { return }
    work.begin()
    await perform(work)
  }

  private func perform(_ work: BulkWork<Action>) async {
    await performer(work, orders[work.number], sliceEnded)
    end(work)
  }

  private func end(_ work: BulkWork<Action>) {
    work.end()
    orders.removeValue(forKey: work.number)?.onEnd(work)
    work.tell()
    work.endLines()
    guard work.canBeUndone else {
      works[work.number] = nil
      return
    }
    pacer.schedule(.after(undoTime)) { [weak self] _ in await self?.forget(work.number) }
  }

  private func forget(_ number: Int) { works[number] = nil }
}

/// Who has ordered work, and what to do at its end.
struct BulkOrder<Action: BulkAction>: Sendable {
  let operatorName: String?
  /// The query that has chosen the jobs. Nil if they were chosen one by one, and for timers.
  var query: JobQuery?
  /// Whether it undoes other work.
  var isUndo = false
  let onEnd: @Sendable (BulkWork<Action>) -> Void
}
