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

  /// Looks at the timers that queries ask for.
  @concurrent func look(for queries: [TimerQuery], at time: Duration) async -> TimerLook {
    var timers: [[TimerSnapshot]?] = []
    for shown in schedulers {
      let isAskedFor = queries.contains { $0.asksFor(shown) }
      await timers.append(isAskedFor ? shown.scheduler.snapshots : nil)
    }
    return TimerLook(time: time, timers: timers, summaries: await summaries())
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
    let selection = RowSelection(query, from: timers(for: query, from: look))
    let rows = selection.rows.map { source, snapshot in
      TimerRow(snapshot, in: schedulers[source].name, at: look.time)
    }
    return TimerReport(
      time: look.time, summaries: look.summaries, rows: rows,
      position: PagePosition(
        page: selection.page, pageCount: selection.pageCount, matchCount: selection.matchCount))
  }

  /// The keys of all timers that meet a query.
  @concurrent func matches(_ query: TimerQuery, in look: TimerLook) async -> [TimerKey] {
    RowSelection.matches(query, in: timers(for: query, from: look)).map { source, id in
      TimerKey(schedulers[source].name, id)
    }
  }

  /// The timers of the schedulers that a query asks for.
  func timers(for query: TimerQuery, from look: TimerLook) -> [[TimerSnapshot]?] {
    zip(schedulers, look.timers).map { shown, timers in query.asksFor(shown) ? timers : nil }
  }
}
