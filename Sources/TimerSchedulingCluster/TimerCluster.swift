public import TimerScheduling
import TimerSchedulingFoundation

/// Replicas of a program that share jobs, so that one of them runs each date.
///
/// Every replica makes a cluster with the same store, and schedules the same jobs by the same names. There is
/// no leader. For each date the store, by its clock, gives a claim to one replica, with a lease.
///
/// ```swift
/// let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
/// cluster.schedule(.every(.seconds(3600), starting: .aligned), name: "report") { run in
///   print(run.name, run.scheduledDate)
/// }
/// await clock.advance(by: .seconds(3600))
/// ```
/// ```text
/// report 2001-01-01 01:00:00 +0000
/// ```
///
/// A cluster has the time and the observer of its scheduler, and can be used until that shuts down.
public final class TimerCluster: Sendable {
  package let store: any TimerStore
  let lease: Duration
  let scheduler: TimerScheduler
  let replica: ClusterReplica

  /// Creates one replica's view of a cluster.
  ///
  /// - Parameters:
  ///   - store: The store through which the replicas agree.
  ///   - scheduler: The scheduler that runs the actions.
  ///   - lease: The time a claim lasts without renewal, the same on all replicas. It is renewed after each
  ///     third of that time, and when a replica dies, another takes over after it. The longest is a century.
  ///   - replica: The name shown to operators, by default that of the host and the process's number.
  ///   - historyAge: The age from which this replica deletes the records of runs. With nil it isn't limited.
  ///   - historyCount: The number of records that are kept once there are an eighth more. Nil for all.
  ///   - failedHistoryAge: The age from which records of failed and abandoned runs are deleted. Then the
  ///     other limits hold for the rest. With nil, they hold for all.
  /// - Precondition: `lease` is a second or more, and the limits of the history aren't negative. A scheduler
  ///   with a virtual clock has a store in memory or in SQLite, which take its time, or one of your own.
  public init(
    store: any TimerStore, scheduler: TimerScheduler = .shared, lease: Duration = .seconds(15),
    replica: String? = nil, historyAge: Duration? = .seconds(30 * 86_400), historyCount: Int? = nil,
    failedHistoryAge: Duration? = nil
  ) {
    precondition(lease >= .seconds(1), "A cluster's lease must be a second or more, but \(lease) was given.")
    let limits = [historyAge, failedHistoryAge, historyCount.map { .seconds($0) }].compactMap(\.self)
    precondition(
      limits.allSatisfy { $0 >= .zero },
      "The limits of a history must be zero or more, but \(limits) were given.")
    precondition(
      scheduler.driver.clock.virtual == nil || !(store is PostgresTimerStore),
      "A scheduler with a virtual clock was given a store in PostgreSQL, which has a clock of its own. Test "
        + "with a store in memory or in SQLite, which take the scheduler's time.")
    self.store = store
    self.scheduler = scheduler
    self.lease = min(lease, .seconds(3_155_760_000))
    let clock = scheduler.driver.clock
    let now: @Sendable () -> Date = { Date(clock.read().wall) }
    if clock.virtual != nil { (store as? SQLiteTimerStore)?.adopt(now) }
    let telling = (store as? MemoryTimerStore).flatMap { $0.adopt(now, of: clock.virtual) ? $0 : nil }
    let process = ProcessInfo.processInfo
    self.replica = ClusterReplica(
      name: replica ?? "\(process.hostName):\(process.processIdentifier)", store: store, lease: self.lease,
      history: HistoryLimits(age: historyAge, failedAge: failedHistoryAge, count: historyCount),
      beside: scheduler, telling: telling)
  }

  /// Checks that all replicas agree on a schedule's dates.
  ///
  /// They agree on `.rule`, `.at`, and `.every` with `starting: .aligned`, `.spread` or `.at`. The dates of
  /// other schedules, of `.missedTicks(.delay)` and of a limit depend on one replica.
  ///
  /// Rules are compared by their text. A rule of your own needs a `description` of all that its dates depend
  /// on, if one of its properties is a set, a dictionary, an object or a closure. Without it the rule is
  /// refused, and so is one made with `filter(_:)`.
  ///
  /// - Throws: ``ClusterError/scheduleNotAgreed(schedule:reason:)``.
  public static func validate(_ schedule: TimerSchedule) throws(ClusterError) {
    _ = try ClusterDates(schedule, catchUp: .zero)
  }

  /// The scheduler on which this replica asks the store.
  package var companion: TimerScheduler { replica.companion }
}
