package import Hummingbird
package import TimerSchedulingCluster

/// Which jobs the view of the jobs shows, and in which order. Its address says it, by other names than those
/// of ``TimerQuery``, whose filter and order the links between the views carry.
package struct JobQuery: Sendable, Hashable {
  /// The text that a name contains.
  package var search = ""
  package var handler: String?
  package var filter: JobFilter?
  /// The order of the rows. Nil for the store's, which is that of the names as texts.
  package var order: JobOrder?
  /// The number of the page, from 1, of sorted jobs.
  package var page = 1
  /// The name after which the page begins, in the store's order. Nil for the first page.
  package var after: String?

  package static let pageSize = 50
  /// The greatest number of jobs that are read to be counted, or to find those whose last run has failed.
  package static let readLimit = 1_000
  /// The greatest number of jobs that are read to be sorted. A database takes some 20 ms for a thousand.
  package static let sortLimit = 10_000

  package init() {}

  /// Reads a query from a request's address. What makes no sense there counts as left out.
  package init(_ request: Request) {
    let query = TimerQuery(request)
    (search, page) = (query.search, query.page)
    handler = TimerQuery.value("handler", of: request)
    filter = TimerQuery.value("in", of: request).flatMap { JobFilter(rawValue: $0) }
    order = TimerQuery.value("order", of: request).flatMap { JobOrder($0) }
    after = TimerQuery.value("after", of: request)
  }

  /// The query as it stands in an address, with the question mark, or nothing for the default query.
  package var text: String { TimerQuery.text(of: items) }

  /// The address of a job's page, which leads back to this query.
  package func address(of job: String) -> String { "job" + TimerQuery.text(of: [("name", job)] + items) }

  private var items: [(String, String)] {
    var items: [(String, String)] = []
    if !search.isEmpty { items.append(("q", search)) }
    if let handler { items.append(("handler", handler)) }
    if let filter { items.append(("in", filter.rawValue)) }
    if let order { items.append(("order", order.description)) }
    if page > 1 { items.append(("page", String(page))) }
    if let after { items.append(("after", after)) }
    return items
  }

  /// The query after a change, from the first page on.
  package func with(_ change: (inout JobQuery) -> Void) -> JobQuery {
    var query = self
    (query.page, query.after) = (1, nil)
    change(&query)
    return query
  }
}

/// Which jobs to show by what they do or wait for.
package enum JobFilter: String, Sendable, CaseIterable {
  case due, running, retrying, failed, paused, waiting
  /// The jobs that wait for a date to come, and whose newest run has failed or was abandoned.
  case lastFailed

  /// The state as the store has it.
  package var state: ClusterJob.State {
    switch self {
    case .due: .due
    case .running: .running
    case .retrying: .retrying
    case .failed: .failed
    case .paused: .paused
    case .waiting, .lastFailed: .waiting
    }
  }

  var title: String {
    switch self {
    case .due: "Due"
    case .running: "Running"
    case .retrying: "Waiting for a retry"
    case .failed: "Failed for good"
    case .paused: "Paused"
    case .waiting: "Waiting"
    case .lastFailed: "Last run failed"
    }
  }
}

/// The order of jobs: by a column, and upwards or downwards. It is written as `next` or, downwards, `-next`.
package struct JobOrder: Sendable, Hashable, LosslessStringConvertible {
  package enum Column: String, Sendable, CaseIterable {
    case name, last, next, failed
  }

  package var column: Column
  package var isDescending = false

  package init(_ column: Column, isDescending: Bool = false) {
    (self.column, self.isDescending) = (column, isDescending)
  }

  package init?(_ description: String) {
    guard let column = Column(rawValue: String(description.drop { $0 == "-" })) else { return nil }
    self.init(column, isDescending: description.hasPrefix("-"))
  }

  package var description: String { (isDescending ? "-" : "") + column.rawValue }

  /// The order after a press on a column's header. Last runs and counts begin with the greatest.
  static func pressing(_ pressed: Column, in order: JobOrder?) -> JobOrder {
    guard let order, order.column == pressed else {
      return JobOrder(pressed, isDescending: pressed == .last || pressed == .failed)
    }
    return JobOrder(pressed, isDescending: !order.isDescending)
  }

  /// Whether a job comes before another. Jobs that have no such date come last.
  func isBefore(
    _ left: ClusterJob, _ right: ClusterJob, last: (ClusterJob) -> Double?
  ) -> Bool {
    func key(_ job: ClusterJob) -> Double? {
      switch column {
      case .name: 0
      case .last: last(job)
      case .next: job.nextDate?.timeIntervalSinceReferenceDate
      case .failed: Double(job.failedCount)
      }
    }
    switch (key(left), key(right)) {
    case (let first?, let second?) where first != second: return (first < second) != isDescending
    case (.some, nil): return true
    case (nil, .some): return false
    case (.some, .some), (nil, nil):
      return NameOrder.isBefore(left.name, right.name) != (isDescending && column == .name)
    }
  }
}
