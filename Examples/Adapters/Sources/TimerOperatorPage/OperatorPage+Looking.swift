import HTTPTypes
import Hummingbird

extension OperatorPage {
  func page(for request: Request) async throws(Refusal) -> Response {
    try access.checkHost(of: request)
    let (report, age) = await feed.report()
    let view = PageView(
      report: report, age: age, formToken: access.formToken.text, asksForToken: access.adminToken != nil)
    return .page(view.html.text, type: "text/html; charset=utf-8")
  }

  func script(for request: Request) throws(Refusal) -> Response {
    try access.checkHost(of: request)
    return .page(PackageResources.page_js, type: "text/javascript; charset=utf-8")
  }

  func style(for request: Request) throws(Refusal) -> Response {
    try access.checkHost(of: request)
    return .page(PackageResources.page_css, type: "text/css; charset=utf-8")
  }

  /// Answers with an event a second, until the client goes away, the server stops or the scheduler is shut down.
  func events(for request: Request) async throws(Refusal) -> Response {
    try access.checkHost(of: request)
    try access.checkSite(of: request)
    // While a stream is open its body isn't read, and then nothing would notice that the client has gone.
    guard !request.announcesBody else { throw Refusal(.badRequest, "A stream takes no body.") }
    guard let watch = await feed.watch() else {
      throw Refusal(.serviceUnavailable, "Too many pages are open.")
    }
    let body = ResponseBody { writer in
      // Used by the operation alone.
      nonisolated(unsafe) let writer = writer
      try await withGracefulEnd(within: grace) {
        var writer = unsafe writer
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
          for await event in watch.events { try await writer.write(event) }
        } onInboundClosed: {
          watch.end()
        }
        try await writer.finish(nil)
      } onShutdown: {
        watch.end()
      }
    }
    return Response(status: .ok, headers: .page(type: "text/event-stream"), body: body)
  }
}

extension Request {
  /// Whether the headers say that a body follows.
  fileprivate var announcesBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength] ?? "0" != "0"
  }
}
