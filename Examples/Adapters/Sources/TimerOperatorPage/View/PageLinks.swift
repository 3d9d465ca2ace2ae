/// The links from each view of the timers to the others.
struct PageLinks {
  /// A view that has an address of its own below the page's.
  enum View: String, CaseIterable {
    case timers, hour, schedulers

    var title: String {
      switch self {
      case .timers: "Timers"
      case .hour: "Next hour"
      case .schedulers: "Schedulers"
      }
    }
  }

  let current: View
  let query: TimerQuery
  /// The path from the view's address to that of the page's folder: `../`, or nothing.
  let prefix: String

  var html: HTML {
    "<nav aria-label=\"Views\" id=\"views\">\n\(HTML(joining: View.allCases.map(link)))\n</nav>"
  }

  private func link(to view: View) -> HTML {
    let query = query.with { $0.open = nil }
    let address = view == .timers ? "timers" : "timers/\(view.rawValue)"
    let mark: HTML = view == current ? " aria-current=\"page\"" : ""
    return """
      <a data-view="\(address)" href="\(prefix)\(address)\(query.text)"\(mark)>\(view.title)</a>
      """
  }

  /// The style of the views besides the page's own.
  static func style(prefix: String) -> HTML {
    "<link rel=\"stylesheet\" href=\"\(prefix)views.css\">"
  }
}
