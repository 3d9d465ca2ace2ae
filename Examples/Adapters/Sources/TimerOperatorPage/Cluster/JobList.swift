import TimerSchedulingCluster

/// The jobs of a page.
struct JobList: Sendable {
  var jobs: [ClusterJob] = []
  /// The name after which the next page begins, in the store's order. Nil for the last page.
  var next: String?
  /// Where the page stands among sorted jobs. Nil in the store's order.
  var sorted: Sorted?

  struct Sorted: Sendable {
    let page: Int
    /// The number of jobs that were sorted.
    let count: Int
    /// Whether the store has more, which weren't.
    let hasMore: Bool

    var pageCount: Int { max((count + JobQuery.pageSize - 1) / JobQuery.pageSize, 1) }
  }
  /// The newest runs of failed jobs of the page, if they aren't among the newest of the store.
  var older: [String: OlderRun] = [:]

  /// The newest run of a job that has had so many that failed or were abandoned.
  struct OlderRun: Sendable {
    let count: Int
    let run: ClusterRunRecord?
  }

  /// - Parameter known: The older runs that are known from the look before.
  init(
    of cluster: TimerCluster, _ query: JobQuery, _ overview: ClusterOverview,
    known: [String: OlderRun]
  ) async throws {
    if let order = query.order {
      try await sort(by: order, of: cluster, query, overview)
    } else {
      try await read(of: cluster, query, overview)
    }
    for job in jobs where job.state == .failed && overview.last[job.name] == nil {
      let count = job.failedCount + job.abandonedCount
      if let run = known[job.name], run.count == count {
        older[job.name] = run
      } else {
        older[job.name] = OlderRun(
          count: count, run: try await cluster.history(of: job.name, limit: 1).first)
      }
    }
  }

  /// Reads a page in the store's order. The store doesn't know of which jobs the last run has failed, so it
  /// is asked for many to find these.
  private mutating func read(
    of cluster: TimerCluster, _ query: JobQuery, _ overview: ClusterOverview
  ) async throws {
    let limit = query.filter == .lastFailed ? JobQuery.readLimit : JobQuery.pageSize + 1
    let found = try await cluster.jobs(query, after: query.after, limit: limit)
    let matches = found.filter { query.includes($0, overview.last[$0.name]) }
    jobs = Array(matches.prefix(JobQuery.pageSize))
    next = matches.count > jobs.count ? jobs.last?.name : found.count == limit ? found.last?.name : nil
  }

  private mutating func sort(
    by order: JobOrder, of cluster: TimerCluster, _ query: JobQuery, _ overview: ClusterOverview
  ) async throws {
    let found = try await cluster.jobs(query, after: nil, limit: JobQuery.sortLimit + 1)
    let matches = found.prefix(JobQuery.sortLimit).filter { query.includes($0, overview.last[$0.name]) }
    let pageCount = max((matches.count + JobQuery.pageSize - 1) / JobQuery.pageSize, 1)
    let page = min(query.page, pageCount)
    let start = (page - 1) * JobQuery.pageSize
    jobs = matches.sorted(in: start..<min(start + JobQuery.pageSize, matches.count)) { left, right in
      order.isBefore(left, right) { job in
        (overview.last[job.name]?.began ?? job.lastDate)?.timeIntervalSinceReferenceDate
      }
    }
    sorted = Sorted(page: page, count: matches.count, hasMore: found.count > JobQuery.sortLimit)
  }
}

extension JobQuery {
  /// Whether a job that the store has found meets the query.
  func includes(_ job: ClusterJob, _ last: ClusterRunRecord?) -> Bool {
    filter != .lastFailed || last?.hasFailed == true
  }
}

extension TimerCluster {
  /// The jobs that meet a query, as far as the store knows that, in its order.
  func jobs(_ query: JobQuery, after name: String?, limit: Int) async throws -> [ClusterJob] {
    try await jobs(
      of: query.handler, in: query.filter?.state, matching: query.search, after: name, limit: limit)
  }

  /// The names of all jobs that meet a query.
  func names(_ query: JobQuery) async throws -> [String] {
    let last =
      query.filter == .lastFailed ? try await history(limit: ClusterOverview.historyLength).newest : [:]
    var (names, after) = ([String](), String?.none)
    while true {
      let page = try await jobs(query, after: after, limit: Self.sliceLimit)
      names += page.filter { query.includes($0, last[$0.name]) }.map(\.name)
      guard page.count == Self.sliceLimit, let next = page.last?.name else { return names }
      after = next
    }
  }

  /// The number of jobs that are read by one request for work on many.
  static var sliceLimit: Int { 2_000 }

  /// The job with a name. Nil if there is none.
  func job(_ name: String) async throws -> ClusterJob? {
    // The store finds parts of names, and those after a name. The name without its last character comes just
    // before it.
    var after = name.unicodeScalars.count > 1 ? String(name.unicodeScalars.dropLast()) : nil
    while true {
      let page = try await jobs(matching: name, after: after, limit: 20)
      if let job = page.first(where: { $0.name == name }) { return job }
      guard page.count == 20, let last = page.last?.name, last.utf8.lexicographicallyPrecedes(name.utf8)
      else {
        return nil
      }
      after = last
    }
  }
}
