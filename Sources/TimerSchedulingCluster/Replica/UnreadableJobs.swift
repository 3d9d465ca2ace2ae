/// The put jobs that this replica can't run, as it can't read their schedules. It leaves them to other replicas.
package struct UnreadableJobs: Hashable {
  private struct Entry: Hashable {
    var schedule: String
    /// When the job is claimed again, as it may have been put with another schedule.
    var retry: Duration
  }

  /// The time for which a job isn't claimed.
  private static let pause = Duration.seconds(60)
  private var entries: [String: Entry] = [:]

  package init() {}

  /// Notes that a job can't be read. Returns whether that is news.
  package mutating func note(_ job: String, _ schedule: String, at elapsed: Duration) -> Bool {
    // What wasn't claimed again is another replica's, or was removed.
    entries = entries.filter { elapsed < $0.value.retry + .seconds(3_600) }
    let entry = Entry(schedule: schedule, retry: elapsed + Self.pause)
    return entries.updateValue(entry, forKey: job)?.schedule != schedule
  }

  /// Notes that a job can be read.
  package mutating func remove(_ job: String) { entries[job] = nil }

  /// Returns the jobs that aren't to be claimed now.
  package func left(at elapsed: Duration) -> [String] {
    entries.filter { elapsed < $0.value.retry }.map(\.key)
  }
}
