/// The line that says whether all is well, or that leads to what isn't.
struct HealthView {
  let health: Health
  let query: TimerQuery

  /// A text, and the address that shows what it is about, below the page's folder.
  typealias Item = (text: String, address: String)

  var html: HTML {
    let timers = Self.timerItems(of: health).map { item -> HTML in
      "<a href=\"\(item.address)\">\(item.text)</a>"
    }
    let jobs = jobItems.map { item -> HTML in "<a data-job href=\"\(item.address)\">\(item.text)</a>" }
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
      var query = JobQuery()
      query.only = trouble
      return "timers/jobs\(query.text)"
    }
    let more = "of the first \(Health.jobLimit.grouped) jobs"
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
    case .retrying, .failed, .overdue, .held: return nil
    }
  }
}
