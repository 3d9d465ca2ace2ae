import TimerSchedulingCluster

/// The forms of the view, which work without a script.
extension ClusterView {
  /// Searches, filters and sorts, and begins at the first page.
  var search: HTML {
    let options = JobFilter.allCases.map { filter -> HTML in
      "<option value=\"\(filter.rawValue)\"\(filter == query.filter ? " selected" : "")>\(filter.title)</option>"
    }
    let handler: HTML =
      query.handler.map { name in
        let all = query.with { $0.handler = nil }
        return """
          <input type="hidden" name="handler" value="\(name)">
          <span>Handler <strong>\(DisplayName.text(for: name))</strong> <a href="jobs\(all.text)">All handlers</a></span>
          """
      } ?? ""
    return """
      <search>
      <form method="get" action="jobs" id="query">
      <label>Search <input type="search" name="q" value="\(query.search)" maxlength="200" placeholder="Name"></label>
      <label>State <select name="in">
      <option value="">All</option>
      \(HTML(joining: options))
      </select></label>
      \(handler)
      <input type="hidden" name="order" value="\(query.order?.description ?? "")">
      <button id="show">Show</button>
      </form>
      </search>
      """
  }

  /// Acts on the selected jobs, or on all that match. A script keeps what is in it.
  var bulk: HTML {
    let buttons = JobAction.ofMany.map { action -> HTML in
      """
      <button name="action" value="\(action.rawValue)" data-bulk="\(action.rawValue)">\(action.verb) selected</button>
      """
    }
    return """
      <form method="post" action="many\(query.text)" id="bulk" data-kept role="group" aria-label="Selected jobs">
      <!-- The Enter key presses a form's first button. Without this one, that is the first of those below. -->
      <button type="submit" disabled hidden></button>
      <input type="hidden" name="formToken" value="\(links.formToken)">
      \(HTML(joining: buttons))
      <label><input type="checkbox" name="all" value="yes" id="all"> All that match</label>
      <span id="selected" hidden><span></span> <button type="button">Clear</button></span>
      <button type="button" id="freeze" aria-pressed="false" hidden>Freeze</button>
      <button type="button" id="help" hidden>Keys</button>
      </form>
      """
  }

  /// A pause that is under way, with its end.
  func pauseRow(_ pause: ClusterPause) -> HTML {
    let target = pause.handler.map { "The handler \(DisplayName.text(for: $0))" } ?? "The cluster"
    let person = pause.by.isEmpty ? "" : " by \(DisplayName.text(for: pause.by))"
    let reason = pause.reason.isEmpty ? "" : ": \(DisplayName.text(for: pause.reason, upTo: 1_000))"
    let action: PauseAction = pause.handler == nil ? .resumeAll : .resumeHandler
    return """
      <form method="post" action="pauses\(query.text)" class="pause act" data-key="pause \(pause.handler ?? "")">
      <input type="hidden" name="formToken" value="\(links.formToken)">
      <input type="hidden" name="handler" value="\(pause.handler ?? "")">
      <span>\(target) is paused\(person) since \(JobWords.time(pause.date))\(reason)</span>
      <button name="action" value="\(action.rawValue)">Resume</button>
      </form>
      """
  }

  /// Pauses the cluster.
  func pauseForm(isPaused: Bool) -> HTML {
    guard !isPaused else { return "" }
    return """
      <form method="post" action="pauses\(query.text)" id="pauses" class="act">
      <input type="hidden" name="formToken" value="\(links.formToken)">
      <label>Reason <input name="reason" size="12"></label>
      <button name="action" value="pauseAll" data-question="Pause all jobs of the cluster?">Pause the cluster</button>
      </form>
      """
  }

  func actions(_ job: ClusterJob) -> HTML {
    JobForm(job: job, query: query, formToken: links.formToken).row
  }
}

/// The buttons that act on a job.
struct JobForm {
  let job: ClusterJob
  let query: JobQuery
  let formToken: String

  /// The buttons in the job's row, without a reason.
  var row: HTML { form(address: "job\(query.text)", JobAction.allCases.filter { $0.isInRow(of: job) }) }

  /// The buttons on the job's page, with a reason for a pause.
  var page: HTML {
    form(
      address: query.address(of: job.name), JobAction.allCases.filter { $0.isOffered(for: job) },
      hasReason: true)
  }

  private func form(address: String, _ actions: [JobAction], hasReason: Bool = false) -> HTML {
    let reason: HTML =
      hasReason && !job.isPaused ? "<label>Reason of a pause <input name=\"reason\" size=\"14\"></label>" : ""
    let buttons = actions.map { action -> HTML in
      let question = action.question(for: DisplayName.text(for: job.name))
      let mark: HTML = question.map { " data-question=\"\($0)\"" } ?? ""
      return "<button name=\"action\" value=\"\(action.rawValue)\"\(mark)>\(action.title)</button>"
    }
    return """
      <form method="post" action="\(address)" class="act">
      <input type="hidden" name="formToken" value="\(formToken)">
      <input type="hidden" name="job" value="\(job.name)">
      \(HTML(joining: buttons))
      \(reason)
      </form>
      """
  }
}
