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
    router.get("timers/hour") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let query = TimerQuery(request)
        return view(HourView(hour: await feed.hour(for: query), query: query).html)
      }
    }
    router.get("timers/schedulers") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        try access.checkLooking(visitor)
        let reports = await feed.inspector.schedulerReports()
        return view(SchedulersView(reports: reports, query: TimerQuery(request)).html)
      }
    }
  }

  private func view(_ html: HTML) -> Response { .page(html.text, type: "text/html; charset=utf-8") }
}
