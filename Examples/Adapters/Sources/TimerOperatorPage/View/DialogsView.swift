/// The question before an action that can't be taken back, and the list of keys. A script opens them.
struct DialogsView {
  var keys = Self.timerKeys

  private static let question: HTML = """
    <dialog id="question" aria-labelledby="question-text"><form method="dialog">
    <p id="question-text"></p>
    <button value="yes"></button> <button value="no">No</button>
    </form></dialog>
    """

  /// The script that asks the question.
  static func script(prefix: String) -> HTML { "<script src=\"\(prefix)ask.js\" defer></script>" }

  private static let timerKeys = [
    ("↑ ↓", "Go to the row above or below"), ("Space", "Select the row"),
    ("Enter", "Open or close the details"),
    ("/", "Search"), ("?", "Show these keys"), ("Esc", "Close"),
  ]

  static let jobKeys = [
    ("↑ ↓", "Go to the row above or below"), ("Space", "Select the row"), ("Enter", "Open the job's page"),
    ("/", "Search"), ("?", "Show these keys"), ("Esc", "Close, or go back to the jobs"),
  ]

  var html: HTML {
    let rows = keys.map { key, text -> HTML in
      "<tr><th scope=\"row\"><kbd>\(key)</kbd></th><td>\(text)</td></tr>"
    }
    return """
      \(Self.question)
      <dialog id="keys" aria-labelledby="keys-title"><form method="dialog">
      <h2 id="keys-title">Keys</h2>
      <table>
      \(HTML(joining: rows))
      </table>
      <button>Close</button>
      </form></dialog>
      """
  }
}
