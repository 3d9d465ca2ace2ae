import HTTPTypes
import Hummingbird

extension OperatorPage {
  func page(for request: Request, of visitor: Visitor) async throws(Refusal) -> Response {
    try access.checkLooking(visitor)
    let query = TimerQuery(request)
    let report = await feed.report(for: query)
    let health = report.health.adding(await clusterFeed?.health() ?? Health())
    let view = PageView(
      query: query, links: links(.timers, for: request, of: visitor),
      schedulers: feed.schedulers.map(\.name), report: report, now: feed.elapsed(),
      details: await details(of: query.open, mayScan: isOperator(visitor)), health: health,
      works: isOperator(visitor) ? await desk.current : nil)
    return .page(view.html.text, type: "text/html; charset=utf-8")
  }

  func isOperator(_ visitor: Visitor) -> Bool { visitor.operatorName != nil || !access.asksForToken }

  /// Answers with the markup of a timer's details, for a script.
  func details(
    of key: TimerKey, for request: Request, of visitor: Visitor
  ) async throws(Refusal) -> Response {
    try access.checkSite(of: request)
    try access.checkLooking(visitor)
    guard let details = await details(of: key, mayScan: isOperator(visitor)) else {
      throw Refusal(.notFound, "There is no such timer, or it has finished.")
    }
    return .page(details.html.text, type: "text/html; charset=utf-8")
  }

  private func details(of key: TimerKey?, mayScan: Bool) async -> DetailsView? {
    guard let key, let timer = await timer(key, mayScan: mayScan) else { return nil }
    let history = feed.schedulers.first { $0.name == key.scheduler }?.history
    return DetailsView(timer, past: history.map { $0.past(of: timer.id) ?? TimerPast() })
  }

  static var script: Response { .page(PackageResources.page_js, type: "text/javascript; charset=utf-8") }

  static var style: Response { .page(PackageResources.page_css, type: "text/css; charset=utf-8") }

  /// Answers with an event a second, until the client goes away or the server stops.
  func events(for request: Request, of visitor: Visitor) async throws(Refusal) -> Response {
    try access.checkSite(of: request)
    try access.checkLooking(visitor)
    // While a stream is open its body isn't read, and then nothing would notice that the client has gone.
    guard !request.announcesBody else { throw Refusal(.badRequest, "A stream takes no body.") }
    let viewer = WatchSlots.Viewer(
      address: visitor.address, isOperator: isOperator(visitor))
    guard let watch = await feed.watch(TimerQuery(request), for: viewer) else {
      throw Refusal(.serviceUnavailable, "Too many pages are open.")
    }
    let body = ResponseBody { writer in
      // Used by the operation alone.
      nonisolated(unsafe) let writer = writer
      try await withGracefulEnd(within: grace) {
        var writer = unsafe writer
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
          var changes = ReportChanges(formToken: access.formToken(for: visitor).text)
          for await report in watch.reports {
            guard access.mayGoOn(visitor, with: request) else { break }
            try await writer.write(changes.event(for: report, at: feed.elapsed()))
          }
        } onInboundClosed: {
          watch.end()
        }
        try await writer.finish(nil)
      } onShutdown: {
        watch.end()
      }
    }
    var headers = HTTPFields.page(type: "text/event-stream")
    // Has nginx pass each event on at once.
    headers[.accelBuffering] = "no"
    return Response(status: .ok, headers: headers, body: body)
  }
}

extension Request {
  /// Whether the headers say that a body follows.
  fileprivate var announcesBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength] ?? "0" != "0"
  }
}
