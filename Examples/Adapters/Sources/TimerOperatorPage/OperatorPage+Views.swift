import Hummingbird

/// The views besides the table of timers. None of them needs a script.
extension OperatorPage {
  /// Adds the views, and their style.
  func addViews(to router: some RouterMethods<some RequestContext>) {
    router.get("timers/views.css") { request, context in
      try await answer(request, context) { _ throws(Refusal) in
        .page(PackageResources.views_css, type: "text/css; charset=utf-8")
      }
    }
    router.get("timers/time.js") { request, context in
      try await answer(request, context) { _ throws(Refusal) in
        .page(PackageResources.time_js, type: "text/javascript; charset=utf-8")
      }
    }
    router.get("timers/ask.js") { request, context in
      try await answer(request, context) { _ throws(Refusal) in
        .page(PackageResources.ask_js, type: "text/javascript; charset=utf-8")
      }
    }
    router.get("timers/work.js") { request, context in
      try await answer(request, context) { _ throws(Refusal) in
        .page(PackageResources.work_js, type: "text/javascript; charset=utf-8")
      }
    }
    router.get("timers/hour") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let query = TimerQuery(request)
        return view(
          HourView(
            hour: await feed.hour(for: query), health: await health(for: query), query: query,
            links: links(.hour, for: request, of: visitor)
          ).html)
      }
    }
    router.get("timers/schedulers") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let reports = await feed.inspector.schedulerReports()
        return view(
          SchedulersView(
            reports: reports, links: links(.schedulers, for: request, of: visitor),
            health: await health(for: TimerQuery())
          ).html)
      }
    }
  }

  /// The troubles of the timers of a query's schedulers, and of the cluster's jobs.
  func health(for query: TimerQuery) async -> Health {
    var all = TimerQuery()
    all.scheduler = query.scheduler
    return await feed.report(for: all).health.adding(await clusterFeed?.health() ?? Health())
  }

  /// The links of a view, to the views that a visitor may see.
  func links(_ current: PageLinks.View, for request: Request, of visitor: Visitor) -> PageLinks {
    var links = PageLinks(current)
    links.views = PageLinks.View.allCases.filter { view in
      switch view {
      case .timers, .hour, .schedulers: true
      case .jobs: clusterFeed != nil
      case .trail: isOperator(visitor)
      }
    }
    links.query = TimerQuery(request)
    links.prefix = current == .timers ? "" : "../"
    links.login = login(of: visitor)
    links.formToken = access.formToken(for: visitor).text
    return links
  }

  /// The links of the login, which has none for a visitor who may not look.
  ///
  /// - Parameter prefix: What leads from the page's address to the files of the operator's page.
  func loginLinks(for request: Request, of visitor: Visitor, prefix: String) -> PageLinks {
    var links = links(.timers, for: request, of: visitor)
    links.current = nil
    links.prefix = prefix.isEmpty ? "../" : ""
    do throws(Refusal) { try access.checkLooking(visitor) } catch { links.views = [] }
    return links
  }

  private func login(of visitor: Visitor) -> PageLinks.Login {
    guard access.asksForToken else { return .none }
    guard let name = visitor.operatorName else { return .offered }
    return .made(operatorName: name)
  }

  private func view(_ html: HTML) -> Response { .page(html.text, type: "text/html; charset=utf-8") }
}
