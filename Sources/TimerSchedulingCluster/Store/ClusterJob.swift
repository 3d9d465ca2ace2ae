/// What a store knows of a job, for an operator's page.
public struct ClusterJob: Sendable, Hashable, Identifiable {
  /// The name of the job.
  public var name: String
  /// The last date that was claimed, or when the job became known or was resumed.
  public var lastDate: StoreTime
  /// The next date, as the replica that last claimed or asked has said. Nil if it isn't known, or there is none.
  public var nextDate: StoreTime?
  /// Whether the job is paused for all replicas.
  public var isPaused = false
  /// The run under way, or one that was abandoned and that no replica has noticed yet.
  public var run: Run?
  /// The number of runs that ended without an error.
  public var doneCount = 0
  /// The number of runs that threw an error.
  public var failedCount = 0
  /// The number of runs whose lease has ended before them.
  public var abandonedCount = 0
  /// The number of dates that were passed over.
  public var missedCount = 0

  /// The name.
  public var id: String { name }

  /// A run under way.
  public struct Run: Sendable, Hashable {
    /// The replica that runs the job.
    public var replica: String
    /// The date that is run.
    public var scheduledDate: StoreTime
    /// The fencing token.
    public var token: Int64
    /// 1, and more if earlier runs of the date were abandoned.
    public var attempt: Int
    /// Since when it runs.
    public var began: StoreTime
    /// How long the lease still lasts. Negative once another replica may take over.
    public var leaseLeft: Duration

    /// Creates a run.
    public init(
      replica: String, scheduledDate: StoreTime, token: Int64, attempt: Int, began: StoreTime,
      leaseLeft: Duration
    ) {
      self.replica = replica
      self.scheduledDate = scheduledDate
      self.token = token
      self.attempt = attempt
      self.began = began
      self.leaseLeft = leaseLeft
    }
  }

  /// Creates a job.
  public init(name: String, lastDate: StoreTime) {
    self.name = name
    self.lastDate = lastDate
  }
}
