import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store's answer on one job.
struct JobLook: Sendable {
  let name: String
  /// Nil if the job isn't in the store any more.
  let job: ClusterJob?
  /// Its newest runs, the newest first.
  let runs: [ClusterRunRecord]
  let pauses: [ClusterPause]
  /// The time of the server.
  let now: Date

  static let runLimit = 100
  static let dateCount = 10

  init(of cluster: TimerCluster, _ name: String, now: Date) async throws {
    (self.name, self.now) = (name, now)
    job = try await cluster.job(name)
    runs = try await cluster.history(of: name, limit: Self.runLimit)
    pauses = try await cluster.pauses()
  }

  /// The schedule. Nil if there is no job, or if its text can't be read.
  private var schedule: TimerSchedule? {
    guard let text = job?.schedule else { return nil }
    return text.hasPrefix("cron ") ? try? TimerSchedule(parsingCron: text) : try? TimerSchedule(parsing: text)
  }

  /// The next dates of the schedule. The first one is the store's.
  var nextDates: [Date] {
    guard let next = job?.nextDate else { return [] }
    let later = schedule.map { Array($0.dates(after: max(next, now)).prefix(Self.dateCount)) } ?? []
    return Array(([next] + later.filter { $0 > next }).prefix(Self.dateCount))
  }

  /// The dates that have passed: those of the schedule, the newest first, and those of runs.
  var pastDates: [Date] {
    var dates = Set(runs.compactMap(\.scheduledDate).map { Microseconds($0) })
    if let schedule {
      let coming = Array(schedule.dates(after: now).prefix(2))
      let gap = coming.count == 2 ? coming[1].timeIntervalSince(coming[0]) : 0
      if gap > 0 {
        let start = now - gap * Double(Self.pastCount + 1)
        // A rule may have many dates beside few.
        for date in schedule.dates(after: start).prefix(10 * Self.pastCount) where date <= now {
          dates.insert(Microseconds(date))
        }
      }
    }
    return dates.map(\.date).sorted(by: >).filter { $0 <= now }
  }

  private static let pastCount = 30
}

/// A date as an address and a store have it, in whole microseconds since 1970.
struct Microseconds: Hashable, LosslessStringConvertible {
  private let count: Int64

  /// The beginning of 2001, from which a date counts. Seconds since 1970 would be rounded twice.
  private static let reference: Int64 = 978_307_200_000_000

  init(_ date: Date) {
    // The limits of what a date of a schedule may be.
    let seconds = max(-1e11, min(date.timeIntervalSinceReferenceDate, 1e11))
    count = Int64((seconds * 1e6).rounded()) + Self.reference
  }

  init?(_ description: String) {
    guard let count = Int64(description), abs(count) < 100_000_000_000_000_000 else { return nil }
    self.count = count
  }

  var date: Date { Date(timeIntervalSinceReferenceDate: Double(count - Self.reference) / 1e6) }

  var description: String { String(count) }
}
