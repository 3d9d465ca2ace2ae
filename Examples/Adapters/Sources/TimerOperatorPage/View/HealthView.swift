/// The line that says whether all is well, or that leads to what isn't.
struct HealthView {
  let health: Health
  var query = TimerQuery()
  /// The path from the view's address to that of the page's folder: `../`, or nothing.
  var prefix = ""

  /// A text, and the address that shows what it is about, below the page's folder.
  typealias Item = (text: String, address: String)

  var html: HTML {
    let timers = Self.timerItems(of: health).map { item -> HTML in
      "<a href=\"\(prefix)\(item.address)\">\(item.text)</a>"
    }
    let jobs = jobItems.map { item -> HTML in "<a data-job href=\"\(prefix)\(item.address)\">\(item.text)</a>"
    }
    let links = timers + jobs
    let scope = query.scheduler.map { " in \($0)" } ?? ""
    return """
      <p id="health" data-good="\(links.isEmpty ? "true" : "false")" data-scope="\(scope)">\
      <strong>\(links.isEmpty ? "All is well\(scope)." : "Look at\(scope):")</strong>
      \(HTML(joining: links))
      </p>
      """
  }

  static func timerItems(of health: Health) -> [Item] {
    items(of: health, isOfJobs: false) { trouble in
      var query = TimerQuery()
      query.state = StateFilter(trouble)
      return "timers\(query.text)"
    }
  }

  private var jobItems: [Item] {
    let items = Self.items(of: health, isOfJobs: true) { trouble in
      "timers/jobs\(JobQuery(trouble).text)"
    }
    let more = "of the first \(JobQuery.readLimit.grouped) jobs"
    let counted = items.map { health.hasMoreJobs ? ("\($0.text) \(more)", $0.address) : $0 }
    return counted + (health.isStoreSilent ? [("the cluster's store doesn't answer", "timers/jobs")] : [])
  }

  private static func items(
    of health: Health, isOfJobs: Bool, address: (Health.Trouble) -> String
  ) -> [Item] {
    Health.Trouble.allCases.filter { $0.isOfJobs == isOfJobs }.compactMap { trouble in
      health.counts[trouble].map { (trouble.text($0), address(trouble)) }
    }
  }
}

extension StateFilter {
  /// The filter for the timers with a trouble. Nil for a trouble of jobs.
  fileprivate init?(_ trouble: Health.Trouble) {
    switch trouble {
    case .failing: self = .failed
    case .late: self = .late
    case .missed: self = .missed
    case .paused: self = .paused
    case .retrying, .failed, .lastFailed, .overdue, .held: return nil
    }
  }
}

extension JobQuery {
  /// The query for the jobs with a trouble.
  fileprivate init(_ trouble: Health.Trouble) {
    self.init()
    switch trouble {
    case .retrying: filter = .retrying
    case .failed: (filter, order) = (.failed, JobOrder(.last, isDescending: true))
    case .lastFailed: filter = .lastFailed
    case .overdue: (filter, order) = (.due, JobOrder(.next))
    case .held: filter = .paused
    case .failing, .late, .missed, .paused: break
    }
  }
}
