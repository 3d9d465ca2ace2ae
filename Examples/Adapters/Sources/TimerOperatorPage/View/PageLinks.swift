/// The links from each view to the others, and the login: the same at the top of all of them.
package struct PageLinks: Sendable {
  /// A view that has an address of its own.
  package enum View: String, Sendable, CaseIterable {
    case timers, hour, schedulers, jobs, trail

    var title: String {
      switch self {
      case .timers: "Timers"
      case .hour: "Next hour"
      case .schedulers: "Schedulers"
      case .jobs: "Jobs"
      case .trail: "Audit trail"
      }
    }
  }

  /// The part of the page on which operators log in and out.
  package enum Login: Sendable {
    /// No token is asked for.
    case none
    /// The visitor may look, and has to log in to act.
    case offered
    case made(operatorName: String)
  }

  /// The view that has the links. Nil for the login.
  package var current: View?
  /// The views that the visitor may see.
  package var views = View.allCases
  package var query = TimerQuery()
  /// The path from the view's address to that of the page's folder: `../`, or nothing.
  package var prefix = "../"
  package var login = Login.none
  package var formToken = ""

  package init(_ current: View?) { self.current = current }

  /// The header of a view.
  func header(title: String, status: HTML = "") -> HTML {
    """
    <header>
    \(navigation)
    <button type="button" id="zone" hidden></button>
    \(loginState)
    <div id="title"><h1>\(title)</h1>
    \(status)
    </div>
    </header>
    """
  }

  private var navigation: HTML {
    guard !views.isEmpty else { return "" }
    return """
      <nav aria-label="Views" id="views">
      \(HTML(joining: views.map(link)))
      </nav>
      """
  }

  private func link(to view: View) -> HTML {
    let query = query.with { $0.open = nil }
    let address = view == .timers ? "timers" : "timers/\(view.rawValue)"
    let mark: HTML = view == current ? " aria-current=\"page\"" : ""
    return """
      <a data-view="\(address)" href="\(prefix)\(address)\(query.text)"\(mark)>\(view.title)</a>
      """
  }

  private var loginState: HTML {
    switch login {
    case .none: ""
    case .offered where current == nil: ""
    case .offered: "<a id=\"login\" href=\"\(prefix)timers/login\(query.text)\">Log in</a>"
    case .made(let name):
      """
      <form method="post" action="\(prefix)timers/logout\(query.text)" id="logout">
      <input type="hidden" name="formToken" value="\(formToken)">
      <span id="operator">\(name)</span> <button>Log out</button>
      </form>
      """
    }
  }

  /// The style of the views besides the page's own.
  static func style(prefix: String) -> HTML {
    "<link rel=\"stylesheet\" href=\"\(prefix)views.css\">"
  }
}
