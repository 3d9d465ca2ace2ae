import TimerSchedulingCluster

/// An operator's action on a job of the cluster, for all replicas.
enum JobAction: String, CaseIterable {
  case pause, resume, run

  func perform(on job: String, of cluster: TimerCluster, by person: String, reason: String) async throws {
    switch self {
    case .pause: try await cluster.pause(job, by: person, reason: reason)
    case .resume: try await cluster.resume(job, by: person)
    case .run: try await cluster.run(job)
    }
  }

  var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .run: "Run now"
    }
  }

  /// Whether the action does something for a job.
  func isUseful(for job: ClusterJob) -> Bool {
    switch self {
    case .pause: !job.isPaused
    case .resume: job.isPaused
    case .run: true
    }
  }
}
