public import TimerSchedulingFoundation

/// A pause of a handler or of the whole cluster, for all replicas. It holds for jobs that come later, too.
public struct ClusterPause: Sendable, Hashable, Codable {
  /// The handler whose jobs are paused. Nil for all jobs of the cluster.
  public var handler: String?
  /// The moment at which the pause began.
  public var date: Date { began.date }
  /// The name of the operator who has paused the jobs.
  public var by: String
  /// The reason that was given.
  public var reason: String
  package var began: StoreTime
  /// The moment at which the pause ended. Nil while it is under way.
  package var ended: StoreTime?

  package init(handler: String?, began: StoreTime, by person: String, reason: String) {
    (self.handler, self.began, by, self.reason) = (handler, began, person, reason)
  }

  /// The pause by the store's time. One that ended while the clock was ahead ends now.
  func by(_ now: StoreTime) -> ClusterPause {
    var pause = self
    if let ended, ended > now + JobRow.clockStep { pause.ended = now }
    return pause
  }

  /// Whether it is of the whole cluster and under way.
  var isOfCluster: Bool { handler == nil && ended == nil }

  func concerns(_ handler: String) -> Bool { self.handler == nil || self.handler == handler }
}
