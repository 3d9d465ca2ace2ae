#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TimerFeed {
  /// Finds the dates of the timers that meet a query, within the hour after the newest look.
  package func hour(for query: TimerQuery) async -> NextHour {
    await inspector.hour(for: query, from: look(for: query))
  }
}

extension TimerInspector {
  /// Asks up to 200 timers for their dates, on one of Swift's threads.
  @concurrent func hour(for query: TimerQuery, from look: TimerLook) async -> NextHour {
    await NextHour(
      query, from: timers(for: query, from: look), troubles: look.troubles, of: schedulers, or: Date())
  }
}
