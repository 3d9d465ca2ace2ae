import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks schedulers what their timers are like.
///
/// Its work is done on Swift's threads, neither on a scheduler's queue nor on the feed's actor.
struct TimerInspector: Sendable {
  let schedulers: [ShownScheduler]
  let trail: AuditTrail

  /// Looks at the timers that queries ask for, after a look that has seen `runs` going on.
  @concurrent func look(for queries: [TimerQuery], at time: Duration, after runs: RunWatch) async -> TimerLook
  {
    var runs = runs
    var timers: [[TimerSnapshot]?] = []
    for shown in schedulers {
      let isAskedFor = queries.contains { $0.asksFor(shown) }
      await timers.append(isAskedFor ? shown.scheduler.snapshots : nil)
    }
    let now = Date()
    runs.note(timers, at: now)
    var (troubles, healths): ([TimerTroubles], [Health]) = ([], [])
    for (source, snapshots) in timers.enumerated() {
      let (own, health) = self.troubles(of: snapshots ?? [], source, seen: runs, at: now)
      troubles.append(own)
      healths.append(health)
    }
    return TimerLook(
      time: time, timers: timers, summaries: await summaries(), runs: runs, troubles: troubles,
      healths: healths)
  }

  /// Returns the troubles of a scheduler's timers, and the number of timers with each.
  ///
  /// All named timers may be paused, so a pause is only counted.
  private func troubles(
    of snapshots: [TimerSnapshot], _ source: Int, seen runs: RunWatch, at now: Date
  ) -> (TimerTroubles, Health) {
    let history = schedulers[source].history
    var (troubles, health) = (TimerTroubles(), Health())
    for snapshot in snapshots {
      let seen = snapshot.isRunning ? runs.since(snapshot.id, in: source).map { (since: $0, now: now) } : nil
      var own = Health.troubles(of: snapshot, runs: history?.runs(of: snapshot.id), seen: seen)
      guard !own.isEmpty else { continue }
      health.note(own)
      own.remove(.paused)
      if !own.isEmpty { troubles[snapshot.id] = own }
    }
    return (troubles, health)
  }

  func summaries() async -> [SchedulerSummary] {
    let minute = MinuteSeries.minute(of: Date())
    var summaries: [SchedulerSummary] = []
    for shown in schedulers {
      let chart = shown.history.map { LatenessChart($0.series, upTo: minute) }
      summaries.append(SchedulerSummary(shown.name, await shown.scheduler.statistics, chart: chart))
    }
    return summaries
  }

  /// Returns the part of a look that a query asks for.
  @concurrent func report(for query: TimerQuery, from look: TimerLook) async -> TimerReport {
    let selection = RowSelection(query, from: timers(for: query, from: look), troubles: look.troubles)
    let healths = zip(schedulers, look.healths).filter { query.asksFor($0.0) }.map(\.1)
    let rows = selection.rows.map { source, snapshot in
      row(of: snapshot, source, from: look)
    }
    return TimerReport(
      time: look.time, summaries: look.summaries, rows: rows,
      position: PagePosition(
        page: selection.page, pageCount: selection.pageCount, matchCount: selection.matchCount),
      health: healths.reduce(Health()) { $0.adding($1) })
  }

  private func row(of snapshot: TimerSnapshot, _ source: Int, from look: TimerLook) -> TimerRow {
    let scheduler = schedulers[source]
    let seen = look.runs.since(snapshot.id, in: source).map { (since: $0, now: Date()) }
    let runs = scheduler.history?.runs(of: snapshot.id)
    let note = RowNote(
      snapshot, runs: runs, seen: seen,
      pause: snapshot.state == .paused ? trail.pause(of: TimerKey(scheduler.name, snapshot.id)) : nil)
    return TimerRow(snapshot, in: scheduler.name, at: look.time, last: runs?.last, note: note)
  }

  /// The keys of all timers that meet a query.
  @concurrent func matches(_ query: TimerQuery, in look: TimerLook) async -> [TimerKey] {
    await RowSelection.matches(
      query, in: timers(for: query, from: look), troubles: look.troubles
    ).map { source, snapshot in
      TimerKey(schedulers[source].name, snapshot.id)
    }
  }

  /// The timers of the schedulers that a query asks for.
  func timers(for query: TimerQuery, from look: TimerLook) -> [[TimerSnapshot]?] {
    zip(schedulers, look.timers).map { shown, timers in query.asksFor(shown) ? timers : nil }
  }
}
