/// The question before an action on all jobs that match, for a browser without scripts.
struct ConfirmView {
  let action: JobAction
  let count: Int
  let query: JobQuery
  let links: PageLinks

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: jobs", prefix: "", script: PageLinks.style(prefix: "")).html)
    <body>
    \(links.header(title: "Jobs"))
    <main id="cluster">
    <form method="post" action="many\(query.text)" id="confirm">
    <input type="hidden" name="formToken" value="\(links.formToken)">
    <input type="hidden" name="all" value="yes">
    <input type="hidden" name="expected" value="\(String(count))">
    <p>\(action.verb) \(JobAction.text(count)) that match?</p>
    <button name="action" value="\(action.rawValue)">Yes, \(action.verb.lowercased())</button>
    <a href="jobs\(query.text)">No</a>
    </form>
    </main>
    </body>
    </html>
    """
  }
}
