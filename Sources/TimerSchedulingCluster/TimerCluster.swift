public import TimerScheduling
import TimerSchedulingFoundation

/// Replicas of a program that share jobs, so that one of them runs each date.
///
/// Every replica makes a cluster with the same store, and schedules the same jobs by the same names. There is no
/// leader. For each date the store, by its own clock, gives the claim to one replica, which holds a lease while it
/// runs.
///
/// ```swift
/// let cluster = TimerCluster(store: MemoryTimerStore(), lease: .seconds(15))
/// scheduler.schedule(.every(.seconds(3600), starting: .aligned), name: "report", in: cluster) { run in
///   print(run.name, run.scheduledDate)
/// }
/// await clock.advance(by: .seconds(3600))
/// ```
/// ```text
/// report 2001-01-01 01:00:00 +0000
/// ```
///
/// A cluster belongs to the scheduler with which it was first used.
public final class TimerCluster: Sendable {
  /// The store through which the replicas agree.
  package let store: any TimerStore
  /// The time a claim lasts without renewal.
  let lease: Duration
  /// The name of this replica, shown to operators.
  private let replicaName: String
  private let historyAge: Duration?
  private let historyCount: Int?

  private struct Membership {
    let scheduler: ObjectIdentifier
    let replica: ClusterReplica
  }

  /// Guards the replica, which is made once.
  private let membership = Lock<Membership?>(nil)

  /// Creates one replica's view of a cluster.
  ///
  /// - Parameters:
  ///   - store: The store through which the replicas agree.
  ///   - lease: The time a claim lasts without renewal, the same on all replicas. It is renewed after each third of
  ///     that time. When a replica dies, another takes over after that time at the earliest. More than a century counts
  ///     as a century.
  ///   - replica: The name of this replica, shown to operators. By default it is the host's name and the process's
  ///     number.
  ///   - historyAge: The age from which this replica deletes the records of runs. By default it deletes none by age.
  ///   - historyCount: The number of records beyond which this replica deletes the oldest. By default it keeps all.
  /// - Precondition: `lease` is a second or more, and the limits of the history aren't negative.
  public init(
    store: any TimerStore, lease: Duration = .seconds(15), replica: String? = nil,
    historyAge: Duration? = nil, historyCount: Int? = nil
  ) {
    precondition(
      lease >= .seconds(1), "A cluster's lease must be a second or more, but \(lease) was given.")
    precondition(
      historyAge ?? .zero >= .zero && historyCount ?? 0 >= 0,
      "The limits of a history must be zero or more, but \(historyAge ?? .zero) and \(historyCount ?? 0) were given."
    )
    (self.historyAge, self.historyCount) = (historyAge, historyCount)
    self.store = store
    self.lease = min(lease, .seconds(3_155_760_000))
    let process = ProcessInfo.processInfo
    replicaName = replica ?? "\(process.hostName):\(process.processIdentifier)"
  }

  /// Checks that all replicas agree on a schedule's dates.
  ///
  /// They agree on `.rule`, `.at`, and `.every` with `starting: .aligned`, `.spread` or `.at`. The dates of other
  /// schedules, of `.missedTicks(.delay)` and of a limit depend on one replica.
  ///
  /// Rules are compared by their text. A rule of your own needs a `description` of all that its dates depend on, if
  /// one of its properties is a set, a dictionary, an object or a closure. Without it the rule is refused, and so is
  /// one made with `filter(_:)`.
  ///
  /// - Throws: ``ClusterError/scheduleNotAgreed(schedule:reason:)``.
  public static func validate(_ schedule: TimerSchedule) throws(ClusterError) {
    _ = try ClusterDates(schedule, catchUp: .zero)
  }

  /// Returns this replica, whose time is the scheduler's.
  func replica(on scheduler: TimerScheduler) -> ClusterReplica {
    let id = ObjectIdentifier(scheduler.driver)
    let existing = membership.withLock(\.self)
    let made =
      existing
      ?? {
        let made = Membership(
          scheduler: id,
          replica: ClusterReplica(
            name: replicaName, store: store, lease: lease, historyAge: historyAge, historyCount: historyCount,
            beside: scheduler))
        return membership.withLock { membership in
          if membership == nil { membership = made }
          return membership ?? made
        }
      }()
    precondition(
      made.scheduler == id,
      "A cluster belongs to one scheduler. Make a second cluster for a second scheduler.")
    (store as? MemoryTimerStore)?.adopt { [clock = scheduler.driver.clock] in Date(clock.read().wall) }
    return made.replica
  }

  /// This replica, if the cluster was used with a scheduler.
  var replica: ClusterReplica? { membership.withLock { $0?.replica } }

  /// The scheduler on which this replica runs its actions.
  package var companion: TimerScheduler? { replica?.companion }
}
