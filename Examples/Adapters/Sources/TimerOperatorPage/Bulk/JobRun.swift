import TimerScheduling
import TimerSchedulingCluster

/// Does work to one job of a cluster after the other, in the order of their names.
struct JobRun: Sendable {
  /// The time after which others get their turn.
  private static let sliceLength = Duration.milliseconds(10)
  /// The time between two sentences on how far the work has come.
  private static let tellingInterval = Duration.seconds(1)

  let work: BulkWork<JobAction>
  let order: BulkOrder<JobAction>?
  let cluster: TimerCluster
  let elapsed: @Sendable () -> Duration
  let sliceEnded: @Sendable (BulkWork<JobAction>) async -> Void
  private var sliceEnd = Duration.zero
  private var nextTelling = Duration.zero

  init(
    work: BulkWork<JobAction>, order: BulkOrder<JobAction>?, cluster: TimerCluster,
    elapsed: @escaping @Sendable () -> Duration,
    sliceEnded: @escaping @Sendable (BulkWork<JobAction>) async -> Void
  ) {
    (self.work, self.order, self.cluster, self.elapsed) = (work, order, cluster, elapsed)
    self.sliceEnded = sliceEnded
  }

  @concurrent mutating func perform() async {
    sliceEnd = elapsed() + Self.sliceLength
    do {
      if let query = order?.query { try await actOnAll(query) } else { try await actOnNamed() }
    } catch {
      let reason = DisplayName.text(for: "\(error)", upTo: PastRun.maximumErrorLength)
      work.stop(for: "The cluster's store can't be asked: \(reason)")
    }
  }

  /// Acts on the jobs that were counted, and that still meet the query when their turn comes.
  private mutating func actOnAll(_ query: JobQuery) async throws {
    let counted = Set(work.keys)
    let last =
      query.filter == .lastFailed
      ? try await cluster.history(limit: ClusterOverview.historyLength).newest : [:]
    var after: String?
    repeat {
      let page = try await cluster.jobs(query, after: after, limit: TimerCluster.sliceLimit)
      for job in page where counted.contains(job.name) && query.includes(job, last[job.name]) {
        guard !work.isStopped else { return }
        try await act(on: job.name, isUseful: work.action.isUseful(for: job))
      }
      after = page.count == TimerCluster.sliceLimit ? page.last?.name : nil
    } while after != nil
  }

  private mutating func actOnNamed() async throws {
    // A pause of a job that is paused already isn't one to undo.
    let isRead = order?.isUndo != true && work.action.reverse != nil
    for name in work.keys {
      guard !work.isStopped else { return }
      let job = isRead ? try await cluster.job(name) : nil
      try await act(on: name, isUseful: !isRead || job.map(work.action.isUseful) == true)
    }
  }

  /// Acts on a job, unless it is gone or there is nothing to do.
  private mutating func act(on name: String, isUseful: Bool) async throws {
    var isDone = false
    if isUseful {
      do {
        try await work.action.perform(on: name, of: cluster, by: order?.operatorName ?? "")
        isDone = true
      } catch ClusterError.jobUnknown, ClusterError.retryMissing, ClusterError.runMissing,
        ClusterError.servedByProgram
      {
        // It is left out of the number that the operator is told.
      }
    }
    work.noteHandled(name, isDone: isDone, isChanged: isDone)
    let now = elapsed()
    guard now >= sliceEnd else { return }
    if now >= nextTelling {
      work.tell()
      nextTelling = now + Self.tellingInterval
    }
    await sliceEnded(work)
    sliceEnd = elapsed() + Self.sliceLength
  }
}
