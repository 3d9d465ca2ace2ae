import TimerSchedulingCluster

/// The forms of the view, which work without a script.
extension ClusterView {
  /// Searches and filters, and begins at the first page.
  var search: HTML {
    let filters: [Health.Trouble] = [.retrying, .failed, .overdue, .held]
    let options = filters.map { trouble -> HTML in
      "<option value=\"\(trouble.rawValue)\"\(trouble == query.only ? " selected" : "")>\(Self.title(of: trouble))</option>"
    }
    return """
      <search>
      <form method="get" action="jobs" id="query">
      <label>Search <input type="search" name="q" value="\(query.search)" maxlength="200" placeholder="Name"></label>
      <label>State <select name="only">
      <option value="">All</option>
      \(HTML(joining: options))
      </select></label>
      <button>Show</button>
      </form>
      </search>
      """
  }

  private static func title(of trouble: Health.Trouble) -> String {
    switch trouble {
    case .retrying: "Waiting for a retry"
    case .failed: "Failed"
    case .overdue: "Overdue"
    case .held: "Paused"
    case .failing, .late, .missed, .paused: ""
    }
  }

  /// A pause that is under way, with its end.
  func pauseRow(_ pause: ClusterPause) -> HTML {
    let target = pause.handler.map { "The handler \(DisplayName.text(for: $0))" } ?? "The cluster"
    let person = pause.by.isEmpty ? "" : " by \(DisplayName.text(for: pause.by))"
    let reason = pause.reason.isEmpty ? "" : ": \(DisplayName.text(for: pause.reason))"
    let action: PauseAction = pause.handler == nil ? .resumeAll : .resumeHandler
    return """
      <form method="post" action="pauses\(query.text)" class="pause">
      <input type="hidden" name="formToken" value="\(links.formToken)">
      <input type="hidden" name="handler" value="\(pause.handler ?? "")">
      <span>\(target) is paused\(person) since \(time(pause.date))\(reason)</span>
      <button name="action" value="\(action.rawValue)">Resume</button>
      </form>
      """
  }

  /// Pauses a handler or the cluster.
  func pauseForm(isPaused: Bool) -> HTML {
    let all: HTML =
      isPaused
      ? ""
      : """
      <button name="action" value="pauseAll" data-question="Pause all jobs of the cluster?" formnovalidate>\
      Pause the cluster</button>
      """
    return """
      <form method="post" action="pauses\(query.text)" id="pauses">
      <input type="hidden" name="formToken" value="\(links.formToken)">
      <label>Handler <input name="handler" required></label>
      <label>Reason <input name="reason" size="12"></label>
      <button name="action" value="pauseHandler">Pause the handler</button>
      \(all)
      </form>
      """
  }

  /// Asks what became of a date.
  var dateForm: HTML {
    """
    <form method="get" action="date" id="explain">
    <label>Job <input name="job" required></label>
    <label>Date <input name="date" required placeholder="2026-01-31T09:30:00Z" size="22"></label>
    <button>Why did it run, or not?</button>
    </form>
    """
  }

  /// Asks for runs of a job's dates in a range.
  var backfillForm: HTML {
    """
    <form method="post" action="job\(query.text)" id="backfill">
    <input type="hidden" name="formToken" value="\(links.formToken)">
    <label>Job <input name="job" required></label>
    <label>From <input name="from" required placeholder="2026-01-31T09:30:00Z" size="22"></label>
    <label>To <input name="to" required placeholder="2026-01-31T10:30:00Z" size="22"></label>
    <button name="action" value="backfill">Run these dates</button>
    </form>
    """
  }

  func actions(_ job: ClusterJob) -> HTML {
    let reason: HTML =
      job.isPaused
      ? ""
      : "<input name=\"reason\" placeholder=\"Reason\" aria-label=\"Reason of a pause\" size=\"7\">"
    let buttons = JobAction.allCases.filter { $0.isOffered(for: job) }.map { action -> HTML in
      let question = action.question(for: DisplayName.text(for: job.name))
      let mark: HTML = question.map { " data-question=\"\($0)\"" } ?? ""
      return "<button name=\"action\" value=\"\(action.rawValue)\"\(mark)>\(action.title)</button>"
    }
    return """
      <form method="post" action="job\(query.text)">
      <input type="hidden" name="formToken" value="\(links.formToken)">
      <input type="hidden" name="job" value="\(job.name)">
      \(reason)
      \(HTML(joining: buttons))
      </form>
      """
  }
}
