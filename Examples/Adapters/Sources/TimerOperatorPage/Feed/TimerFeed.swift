import TimerScheduling

/// Looks at the timers for all pages that are open.
///
/// While a page is open, a timer ticks once a second; at each tick the feed looks once, and sends each page
/// what it shows of that. The timer is one of a scheduler of the feed's own, the *pacer*, so nothing that is
/// done to the timers shown stops it. It ends with the last watch.
package actor TimerFeed {
  let inspector: TimerInspector
  let elapsed: @Sendable () -> Duration
  nonisolated let pacer: TimerScheduler
  private var budget = LookBudget()
  private var newest: TimerLook?
  private var runs = RunWatch()
  /// The number of looks that were made.
  private var lookCount = 0
  /// The reports of the newest look that were sent.
  private var reports: [TimerQuery: TimerReport] = [:]
  private var look: Task<TimerLook, Never>?
  private var watches: [Int: (query: TimerQuery, continuation: AsyncStream<TimerReport>.Continuation)] = [:]
  private var slots = WatchSlots()
  private var lastWatchNumber = 0
  private var pump: Task<Void, Never>?

  init(
    of schedulers: [ShownScheduler], trail: AuditTrail, pacer: TimerScheduler,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    inspector = TimerInspector(schedulers: schedulers, trail: trail)
    self.pacer = pacer
    self.elapsed = elapsed
  }

  nonisolated var schedulers: [ShownScheduler] { inspector.schedulers }

  /// The scheduler of a timer.
  nonisolated func scheduler(_ key: TimerKey) -> TimerScheduler? {
    schedulers.first { $0.name == key.scheduler }?.scheduler
  }

  /// Returns the timers that meet a query.
  package func report(for query: TimerQuery) async -> TimerReport {
    await inspector.report(for: query, from: look(for: query))
  }

  /// Returns the newest look, or a new one if there is time for it.
  func look(for query: TimerQuery) async -> TimerLook {
    if let newest, newest.covers(query, schedulers), !budget.allowsLook(at: elapsed()) { return newest }
    // Together with what was seen before, so that requests for one scheduler and for another, in turn, don't
    // each lead to a look of their own.
    return await lookAtTimers(for: [query] + (newest?.queries(schedulers) ?? []))
  }

  /// The identifier as the newest look has found it, which a scheduler finds at once. Nil if the look hasn't
  /// found it.
  func known(_ key: TimerKey) -> ScheduledTimer.ID? {
    guard let source = schedulers.firstIndex(where: { $0.name == key.scheduler }) else { return nil }
    return newest?.timers[source]?.first { $0.id == key.id }?.id
  }

  /// The timers that meet a query now.
  package func matches(_ query: TimerQuery) async -> [TimerKey] {
    await inspector.matches(query, in: await lookAtTimers(for: [query]))
  }

  /// Looks at the timers after a change, and sends each page what they are like.
  func refresh() async {
    // A look that is under way may have seen them before it.
    _ = await look?.value
    await publish(isForced: true)
  }

  // MARK: Watching

  /// Begins to send reports, unless too many pages get them already.
  ///
  /// - Parameters:
  ///   - query: The query that the reports answer.
  ///   - viewer: The client that gets them.
  package func watch(_ query: TimerQuery = TimerQuery(), for viewer: WatchSlots.Viewer = .unknown)
    -> EventWatch?
  {
    guard slots.take(for: viewer) else { return nil }
    lastWatchNumber += 1
    let number = lastWatchNumber
    let watch = EventWatch(query) { [weak self] in
      Task { await self?.removeWatch(number, of: viewer) }
    }
    watches[number] = (query, watch.continuation)
    if pump == nil {
      startPump()
    } else {
      // The first report of a further page doesn't wait for the next second.
      Task { [weak self] in
        guard let report = await self?.report(for: query) else { return }
        watch.continuation.yield(report)
      }
    }
    return watch
  }

  private func removeWatch(_ number: Int, of viewer: WatchSlots.Viewer) {
    watches[number] = nil
    slots.leave(viewer)
    guard watches.isEmpty else { return }
    pump?.cancel()
    pump = nil
  }

  private func startPump() {
    let ticks = pacer.ticks(every: 1)
    pump = Task { [weak self] in
      await self?.publish(isForced: false)
      for await _ in ticks { await self?.publish(isForced: false) }
    }
  }

  /// Sends each page its report. Looks before that, unless looks have taken too much time of late.
  private func publish(isForced: Bool) async {
    let start = elapsed()
    let queries = watches.values.map(\.query)
    let isCovered = newest.map { look in queries.allSatisfy { look.covers($0, schedulers) } } ?? false
    guard !isCovered || isForced || budget.allowsLook(at: start) else {
      // Nothing new, but a sign that the server is there.
      return await send(await newest?.refreshed(inspector))
    }
    _ = await lookAtTimers(for: queries)
    await send(newest)
    budget.noteLook(from: start, to: elapsed())
  }

  private func send(_ look: TimerLook?) async {
    guard let look else { return }
    // Pages with the same query share a report. To sort all timers takes long, so it is done once for each
    // look.
    let number = lookCount
    var sent: [TimerQuery: TimerReport] = [:]
    for (query, watches) in Dictionary(grouping: watches.values, by: \.query) {
      let report =
        if let known = reports[query] {
          known.with(look.summaries)
        } else {
          await inspector.report(for: query, from: look)
        }
      sent[query] = report
      for watch in watches { watch.continuation.yield(report) }
    }
    if number == lookCount { reports = sent }
  }

  // MARK: Looking

  /// Looks at the timers that queries ask for, or joins in when that is under way.
  private func lookAtTimers(for queries: [TimerQuery]) async -> TimerLook {
    if let look {
      let result = await look.value
      if queries.allSatisfy({ result.covers($0, schedulers) }) { return result }
    }
    let all = queries + watches.values.map(\.query)
    let look = Task {
      let start = elapsed()
      let result = await inspector.look(for: all, at: start, after: runs)
      budget.noteLook(from: start, to: elapsed())
      newest = result
      runs = result.runs
      lookCount += 1
      reports = [:]
      self.look = nil
      return result
    }
    self.look = look
    return await look.value
  }
}
