package import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Whether all is well or, if not, how many timers and jobs an operator should look at.
package struct Health: Sendable, Hashable {
  /// A reason to look at a timer or at a job.
  package enum Trouble: String, Sendable, CaseIterable {
    /// The timer's last run failed or, where no history has its runs, any run.
    case failing
    /// The timer's run takes too long, or its last tick came more than a second later than its schedule
    /// allows.
    case late
    /// Deadlines passed without a tick before the timer's last one or, without a history, before any.
    case missed
    /// The timer has a name and is paused.
    case paused
    /// An attempt of the job failed, and another one waits.
    case retrying
    /// The job has failed for good or was abandoned.
    case failed
    /// The job waits for its next date, and its newest run failed or was abandoned.
    case lastFailed
    /// The date of the job passed more than a minute ago, and no replica has taken it.
    case overdue
    /// The job is paused. Each pause of a handler or of the cluster counts, too.
    case held
  }

  /// The number of timers or jobs with each trouble.
  package private(set) var counts: [Trouble: Int] = [:]
  /// Whether a cluster's store doesn't answer.
  package var isStoreSilent = false
  /// Whether there are more jobs than were counted.
  package var hasMoreJobs = false

  package init() {}

  package var isWell: Bool { counts.isEmpty && !isStoreSilent }

  /// Counts a trouble of several jobs.
  package mutating func note(_ trouble: Trouble, _ count: Int) {
    if count > 0 { counts[trouble, default: 0] += count }
  }

  /// Counts the troubles of one timer.
  package mutating func note(_ troubles: some Sequence<Trouble>) {
    for trouble in troubles { counts[trouble, default: 0] += 1 }
  }

  /// The numbers of both.
  package func adding(_ other: Health) -> Health {
    var sum = self
    sum.counts.merge(other.counts, uniquingKeysWith: +)
    sum.isStoreSilent = isStoreSilent || other.isStoreSilent
    sum.hasMoreJobs = hasMoreJobs || other.hasMoreJobs
    return sum
  }

  // MARK: Timers

  /// The lateness beyond a schedule's tolerance that counts.
  private static let leastLateness = Duration.seconds(1)

  /// Returns the troubles of a timer.
  ///
  /// - Parameters:
  ///   - snapshot: The timer.
  ///   - runs: A history's summary of its runs. Nil without one. It is read only if the snapshot leaves a
  ///     doubt.
  ///   - seen: Since when looks have seen the run under way.
  package static func troubles(
    of snapshot: TimerSnapshot, runs: @autoclosure () -> RunSummary?, seen: (since: Date, now: Date)?
  ) -> Set<Trouble> {
    var troubles: Set<Trouble> = []
    if snapshot.state == .paused, snapshot.name != nil { troubles.insert(.paused) }
    if isTickLate(snapshot) { troubles.insert(.late) }
    // A million timers are looked at, and a history is locked for each one that is read.
    guard snapshot.isRunning || snapshot.failureCount > 0 || snapshot.missedCount > 0 else { return troubles }
    let runs = runs()
    if snapshot.hasFailed(by: runs) { troubles.insert(.failing) }
    if runs?.lastMissedCount.map({ $0 > 0 }) ?? (snapshot.missedCount > 0) { troubles.insert(.missed) }
    if RunTime(of: snapshot, runs: runs, seen: seen)?.isTooLong == true { troubles.insert(.late) }
    return troubles
  }

  private static func isTickLate(_ snapshot: TimerSnapshot) -> Bool {
    guard let lateness = snapshot.lastLateness, lateness > leastLateness else { return false }
    return lateness > leastLateness + (snapshot.schedule.flatMap { ScheduleGap.tolerance(of: $0) } ?? .zero)
  }
}

extension Health.Trouble {
  /// Whether it is one of jobs.
  package var isOfJobs: Bool {
    switch self {
    case .failing, .late, .missed, .paused: false
    case .retrying, .failed, .lastFailed, .overdue, .held: true
    }
  }

  /// The number of timers or jobs with the trouble, in words.
  package func text(_ count: Int) -> String {
    let number = count.grouped
    let isOne = count == 1
    return switch self {
    case .failing: isOne ? "1 timer fails" : "\(number) timers fail"
    case .late: isOne ? "1 timer is late" : "\(number) timers are late"
    case .missed: isOne ? "1 timer misses ticks" : "\(number) timers miss ticks"
    case .paused: isOne ? "1 timer is paused" : "\(number) timers are paused"
    case .retrying: isOne ? "1 job waits for a retry" : "\(number) jobs wait for a retry"
    case .failed: isOne ? "1 job has failed for good" : "\(number) jobs have failed for good"
    case .lastFailed: isOne ? "the last run of 1 job failed" : "the last runs of \(number) jobs failed"
    case .overdue: isOne ? "1 job is overdue" : "\(number) jobs are overdue"
    case .held: isOne ? "1 pause of jobs" : "\(number) pauses of jobs"
    }
  }
}
