import HTTPTypes
import Hummingbird

/// Takes back what ``TrustedProxyMiddleware`` has taken from headers: the host and the client are the
/// connection's.
///
/// An open page has no token to ask for, so the host is all that keeps other sites out. Any client can write
/// a header that a proxy passes on.
struct ConnectionMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let forwarded = ClientAddress.forwarded else { return try await next(request, context) }
    var head = request.head
    head.authority = forwarded.connectionHost
    return try await ClientAddress.$forwarded.withValue(nil) {
      try await next(Request(head: head, body: request.body), context)
    }
  }
}
