import Foundation
import Testing
import TimerSchedulingCalendar

@Suite struct LocalClockTests {
  /// The changes of a zone's clocks since 1906, and those that are known of the future.
  private func changes(in zone: TimeZone) -> [LocalClock.Change] {
    let first = Date(timeIntervalSince1970: -2_000_000_000)
    let last = Date(timeIntervalSince1970: 2_500_000_000)
    let dates = sequence(first: first) { date in
      zone.nextDaylightSavingTimeTransition(after: date).flatMap { $0 > date && $0 < last ? $0 : nil }
    }
    return dates.dropFirst().compactMap { date in
      let moment = Int(date.timeIntervalSinceReferenceDate)
      let (before, after) = (zone.secondsFromGMT(for: date - 1), zone.secondsFromGMT(for: date))
      guard before != after else { return nil }
      return LocalClock.Change(moment: moment, timeBefore: moment + before, timeAfter: moment + after)
    }
  }

  @Test func `In no zone are there two changes in a span, or one by a span`() {
    var count = 0
    for zone in TimeZone.knownTimeZoneIdentifiers.compactMap({ TimeZone(identifier: $0) }) {
      let changes = changes(in: zone)
      count += changes.count
      let isApart = zip(changes, changes.dropFirst()).allSatisfy { $1.moment - $0.moment > LocalClock.span }
      #expect(isApart, "\(zone.identifier)")
      let isSmall = changes.allSatisfy { abs($0.timeAfter - $0.timeBefore) < LocalClock.span }
      #expect(isSmall, "\(zone.identifier)")
    }
    #expect(count > 10_000)
  }

  @Test(arguments: ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"])
  func `A change is found to the second, wherever it lies in the span`(identifier: String) throws {
    let zone = try #require(TimeZone(identifier: identifier))
    let clock = LocalClock(timeZone: zone)
    let changes = changes(in: zone)
    #expect(changes.count > 20)
    for change in changes {
      for start in [1, 2, 3599, 86_400, LocalClock.span].map({ change.moment - $0 }) {
        #expect(clock.change(after: start, through: start + LocalClock.span) == change)
        #expect(clock.change(after: start, through: change.moment) == change)
        #expect(clock.change(after: start, through: change.moment - 1) == nil)
      }
      #expect(clock.change(after: change.moment, through: change.moment + LocalClock.span) == nil)
    }
  }
}
