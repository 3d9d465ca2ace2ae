import TimerSchedulingCluster

/// The newest runs of a cluster.
struct RunsView {
  let runs: ArraySlice<ClusterRunRecord>
  let query: JobQuery

  var html: HTML {
    TableView(
      id: "runs", caption: "Last runs of all jobs",
      columns: [
        "Job", "Date", TableView.Column("Attempt", isNumber: true), "Replica", "Began", "Ended", "Outcome",
        "Error",
      ],
      rows: runs.map { TableView.Row(key: "\($0.token)", cells: cells($0)) }
    ).html
  }

  private func cells(_ run: ClusterRunRecord) -> [HTML] {
    [
      "<a href=\"\(query.address(of: run.job))\"><bdi>\(HTML.breakable(DisplayName.text(for: run.job)))</bdi></a>",
      JobWords.time(run.scheduledDate), "\(run.attempt.grouped)", "\(DisplayName.text(for: run.replica))",
      JobWords.time(run.began), JobWords.time(run.ended), Self.outcome(of: run),
      Self.error(of: run, upTo: 300),
    ]
  }

  static func outcome(of run: ClusterRunRecord) -> HTML {
    "<span data-failed=\"\(run.hasFailed ? "true" : "false")\">\(run.outcome.rawValue)</span>\(run.isAsked ? ", asked for" : "")"
  }

  static func error(of run: ClusterRunRecord, upTo length: Int) -> HTML {
    guard let failure = run.failure else { return "–" }
    return "<span data-failed=\"true\">\(DisplayName.text(for: failure, upTo: length))</span>"
  }
}

/// The replicas that have runs, with their leases.
struct ReplicasView {
  let replicas: [ReplicaReport]

  var html: HTML {
    guard !replicas.isEmpty else { return "" }
    let rows = replicas.map { replica in
      let lease: HTML =
        replica.leaseLeft.map { left in
          left > .zero ? "\(left.abbreviated) left" : "<span data-failed=\"true\">ended</span>"
        } ?? "–"
      return TableView.Row(
        key: replica.name,
        cells: [
          "<bdi>\(HTML.breakable(DisplayName.text(for: replica.name)))</bdi>", "\(replica.runCount.grouped)",
          JobWords.time(replica.oldest), lease, JobWords.time(replica.newest),
        ])
    }
    return TableView(
      id: "replicas", caption: "Replicas with a run under way, or among the newest runs of the store",
      columns: [
        "Replica", TableView.Column("Runs under way", isNumber: true), "Oldest run", "Lease", "Newest run",
      ], rows: rows
    ).html
  }
}
