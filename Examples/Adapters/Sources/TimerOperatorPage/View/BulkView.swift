/// The buttons for the timers that are selected, or for all that meet the query, and what is being done to
/// many.
struct BulkView {
  let query: TimerQuery
  let matchCount: Int

  var html: HTML {
    let buttons = TimerAction.ofMany.map { action -> HTML in
      """
      <button data-bulk="\(action.rawValue)" formaction="timers/selected/\(action.rawValue)\(query.text)">\
      \(action.title) selected</button>
      """
    }
    return """
      <div id="bulk" role="group" aria-label="Selected timers">
      \(HTML(joining: buttons))
      <label><input type="checkbox" name="all" value="yes" id="all"> All \
      <span id="match-count">\(matchCount.grouped)</span> that match</label>
      <input type="hidden" name="expected" value="\(String(matchCount))">
      <span id="selected" hidden><span></span> <button type="button">Clear</button></span>
      <button type="button" id="freeze" aria-pressed="false" hidden>Freeze</button>
      <button type="button" id="help" hidden>Keys</button>
      </div>
      """
  }
}

/// Work on many timers or jobs, with a button to stop it or to undo it.
struct WorksView<Action: BulkAction> {
  let works: [BulkWork<Action>]
  let formToken: String
  /// The address that stops or undoes a work.
  let address: (_ number: Int, _ change: String) -> String

  var html: HTML {
    guard !works.isEmpty else { return "" }
    return """
      <section id="works" aria-label="Work on many \(Action.noun)s">
      \(HTML(joining: works.map(form)))
      </section>
      """
  }

  private func form(for work: BulkWork<Action>) -> HTML {
    let (change, title) = work.phase == .underWay ? ("stop", "Stop") : ("undo", "Undo")
    return """
      <form method="post" action="\(address(work.number, change))">
      <input type="hidden" name="formToken" value="\(formToken)">
      \(work.text) <button>\(title)</button>
      </form>
      """
  }
}
