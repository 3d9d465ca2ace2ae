public import TimerSchedulingFoundation

/// A store's data on a job, for an operator's page.
public struct ClusterJob: Sendable, Hashable, Identifiable, Codable {
  /// The name of the job.
  public var name: String
  /// The handler of a job that was put. Empty for a job of a program.
  public var handler = ""
  /// The text of its schedule.
  public var schedule: String
  /// The payload of a job that was put.
  public var payload = ""
  /// The key of a job that was put with one.
  public package(set) var key: String?
  /// The last date that was run. Nil if none was.
  public var lastDate: Date? { lastTime?.date }
  /// The moment from which the job can be claimed: its next date, or the moment of a change. Nil if there is
  /// none.
  public var nextDate: Date? { nextTime?.date }
  /// Whether the job is paused for all replicas.
  public var isPaused = false
  /// The name of the operator who has paused the job, or resumed it.
  public var pausedBy = ""
  /// The reason that was given.
  public var pauseReason = ""
  /// The run under way, or an abandoned run that no replica has noticed yet.
  public var run: Run?
  /// The attempt that waits for its moment, after one that has failed. Nil if none does.
  public var retry: Retry?
  /// The dates for which operators have asked for runs, each as the range from the first to the last of them.
  public var requests: [ClosedRange<Date>] {
    asked.map { $0.from.date...max($0.from, $0.through).date }
  }
  /// The number of runs that ended without an error.
  public var doneCount = 0
  /// The number of runs that threw an error.
  public var failedCount = 0
  /// The number of runs whose lease ended before they did.
  public var abandonedCount = 0
  /// The number of skipped dates.
  public var missedCount = 0
  package var lastTime, nextTime: StoreTime?
  package var asked: [AskedRange] = []
  /// Whether the moment from which it can be claimed has passed. Nil in a row.
  var isDue: Bool?

  /// The name.
  public var id: String { name }

  /// What a job does, or waits for.
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    /// It has a date to come. A job of a program is that also without one.
    case waiting
    /// Its date, or that of an attempt, has passed, and it waits for a replica.
    case due
    /// A replica runs it.
    case running
    /// It waits for another attempt, after one that has failed.
    case retrying
    /// It is paused by itself.
    case paused
    /// Its last date has failed for good or was abandoned. It stays until it is retried or removed.
    case failed
  }

  /// What the job does, or waits for. It doesn't say whether its handler or the cluster is paused.
  public var state: State {
    if run != nil { return .running }
    if isPaused { return .paused }
    if !handler.isEmpty, nextTime == nil { return .failed }
    if isDue == true { return .due }
    return retry == nil ? .waiting : .retrying
  }

  /// An attempt that waits for its moment.
  public struct Retry: Sendable, Hashable, Codable {
    /// The number of the attempt to come.
    public var attempt: Int
    /// The moment at which it begins.
    public var date: Date { time.date }
    /// The error of the attempt before.
    public var failure: String
    package var time: StoreTime

    private enum CodingKeys: String, CodingKey {
      case attempt, failure
      case time = "date"
    }
  }

  /// A run under way.
  public struct Run: Sendable, Hashable, Codable {
    /// The replica that runs the job.
    public var replica: String
    /// The date the job is run for: of several that are due, the first. Nil if the store knows none.
    public var scheduledDate: Date? { scheduledTime?.date }
    /// The fencing token.
    public var token: Int64
    /// The number of the attempt: 1, or more if earlier runs of the date were abandoned or failed.
    public var attempt: Int
    /// The moment at which the run began.
    public var began: Date { beganTime.date }
    /// The time until the lease ends. Negative once another replica may take over.
    public var leaseLeft: Duration { .microseconds(leaseMicroseconds) }
    var scheduledTime: StoreTime?
    var beganTime: StoreTime
    var leaseMicroseconds: Int64

    private enum CodingKeys: String, CodingKey {
      case replica, token, attempt
      case beganTime = "began"
      case scheduledTime = "date"
      case leaseMicroseconds = "leaseLeft"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case name, handler, schedule, payload, key, isPaused, pausedBy, pauseReason, run, retry, asked, isDue
    case lastTime = "lastDate"
    case nextTime = "nextDate"
    case doneCount = "done"
    case failedCount = "failed"
    case abandonedCount = "abandoned"
    case missedCount = "missed"
  }
}
