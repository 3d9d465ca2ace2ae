import NIOCore
import TimerScheduling

/// Looks at the timers for all pages that are open.
///
/// While somebody watches, a timer of its own ticks once a second; at each tick the feed looks once, and sends everybody
/// the same event. It ends with the last watch. It has no row and isn't among the active timers, but its ticks are the
/// scheduler's as all others, and so they are in the totals.
package actor TimerFeed {
  package static let timerName = "operator page"
  package static let maximumWatchCount = 100

  private let scheduler: TimerScheduler
  private let elapsed: @Sendable () -> Duration
  private var budget = LookBudget()
  private var newest: TimerReport?
  private var look: Task<TimerReport, Never>?
  private var watches: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
  private var lastWatchNumber = 0
  private var pump: Task<Void, Never>?

  init(of scheduler: TimerScheduler, elapsed: @escaping @Sendable () -> Duration) {
    self.scheduler = scheduler
    self.elapsed = elapsed
  }

  /// What the timers are like, and how long ago they were looked at.
  func report() async -> (TimerReport, age: Duration) {
    let report =
      if let newest, !budget.allowsLook(at: elapsed()) { newest } else { await lookAtTimers() }
    return (report, elapsed() - report.time)
  }

  /// Looks at the timers after a change, and sends everybody what they are like.
  func refresh() async {
    // A look that is under way may have seen them before it.
    _ = await look?.value
    await publish()
  }

  // MARK: Watching

  /// Begins to send events, unless too many pages get them already.
  package func watch() -> EventWatch? {
    guard watches.count < Self.maximumWatchCount else { return nil }
    lastWatchNumber += 1
    let number = lastWatchNumber
    let watch = EventWatch { [weak self] in
      Task { await self?.removeWatch(number) }
    }
    watches[number] = watch.continuation
    let isFirst = pump == nil
    if isFirst { startPump() }
    // The first is shown the timers at once, unless that has to wait.
    if let newestEvent, !isFirst || !budget.allowsLook(at: elapsed()) {
      watch.continuation.yield(newestEvent)
    }
    return watch
  }

  private func removeWatch(_ number: Int) {
    watches[number] = nil
    guard watches.isEmpty else { return }
    pump?.cancel()
    pump = nil
  }

  private func startPump() {
    // A name among those of an owner can't be one that the program uses.
    let ticks = scheduler.ticks(
      every: .seconds(1), starting: .immediately, name: Self.timerName, owner: self)
    pump = Task {
      for await _ in ticks where budget.allowsLook(at: elapsed()) { await publish() }
      // Either nobody watches any more, or the scheduler was shut down.
      if !Task.isCancelled { endWatches() }
    }
  }

  private func endWatches() {
    pump = nil
    for watch in watches.values { watch.finish() }
  }

  /// Looks, and sends everybody what was seen last.
  private func publish() async {
    _ = await lookAtTimers()
    guard let event = newestEvent else { return }
    for watch in watches.values { watch.yield(event) }
  }

  private var newestEvent: ByteBuffer? {
    newest.map { $0.event(age: elapsed() - $0.time) }
  }

  // MARK: Looking

  /// Looks at the timers, or joins in when that is under way.
  private func lookAtTimers() async -> TimerReport {
    if let look { return await look.value }
    let look = Task {
      let start = elapsed()
      let report = TimerReport(
        of: await scheduler.snapshots, statistics: await scheduler.statistics, at: start,
        without: await scheduler.timer(named: Self.timerName, owner: self)?.id)
      budget.noteLook(from: start, to: elapsed())
      newest = report
      self.look = nil
      return report
    }
    self.look = look
    return await look.value
  }
}
