package import Hummingbird

/// Which jobs the view of the jobs shows. Its address says it.
package struct JobQuery: Sendable, Hashable {
  /// The text that a name contains.
  package var search = ""
  /// The trouble that the jobs have. Nil for all jobs.
  package var only: Health.Trouble?
  /// The name after which the page begins. Nil for the first page.
  package var after: String?

  package static let pageSize = 50

  package init() {}

  /// Reads a query from a request's address. What makes no sense there counts as left out.
  package init(_ request: Request) {
    search = TimerQuery(request).search
    only = TimerQuery.value("only", of: request).flatMap { Health.Trouble(rawValue: $0) }
    if only?.isOfJobs == false { only = nil }
    after = TimerQuery.value("after", of: request)
  }

  /// The query as it stands in an address, with the question mark, or nothing for the default query.
  package var text: String {
    var items: [(String, String)] = []
    if !search.isEmpty { items.append(("q", search)) }
    if let only { items.append(("only", only.rawValue)) }
    if let after { items.append(("after", after)) }
    return TimerQuery.text(of: items)
  }
}
