import TimerScheduling

/// All that a look at the schedulers has found.
struct TimerLook: Sendable {
  /// When the look began, on the clock of the page.
  let time: Duration
  /// The timers of each scheduler. Nil where no page asks for them.
  let timers: [[TimerSnapshot]?]
  var summaries: [SchedulerSummary]
  /// Since when looks have seen the runs that go on.
  let runs: RunWatch
  /// The troubles of the timers that were looked at, by scheduler, and their numbers.
  let troubles: [TimerTroubles]
  let healths: [Health]

  /// Whether the look has found all that a query asks for.
  func covers(_ query: TimerQuery, _ schedulers: [ShownScheduler]) -> Bool {
    zip(schedulers, timers).allSatisfy { scheduler, timers in
      timers != nil || !query.asksFor(scheduler)
    }
  }

  /// Queries for the schedulers whose timers the look has found.
  func queries(_ schedulers: [ShownScheduler]) -> [TimerQuery] {
    zip(schedulers, timers).filter { $0.1 != nil }.map { shown, _ in
      var query = TimerQuery()
      query.scheduler = shown.name
      return query
    }
  }

  /// The same timers with statistics of now, which cost little.
  func refreshed(_ inspector: TimerInspector) async -> TimerLook {
    var look = self
    look.summaries = await inspector.summaries()
    return look
  }
}

extension TimerQuery {
  func asksFor(_ shown: ShownScheduler) -> Bool { scheduler == nil || scheduler == shown.name }
}
