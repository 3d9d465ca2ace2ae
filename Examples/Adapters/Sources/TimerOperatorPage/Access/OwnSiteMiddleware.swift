public import Hummingbird
import Logging

/// Refuses requests by which a browser says that a page of another site would change something here.
///
/// Any page that a person visits can post to a server on that person's own machine. It can't keep the browser
/// from saying where the request comes from. Requests by `GET` and `HEAD` pass.
///
/// ```swift
/// router.addMiddleware { OwnSiteMiddleware() }
/// ```
public struct OwnSiteMiddleware<Context: RequestContext>: RouterMiddleware {
  private let hosts: HostList

  /// Creates a middleware.
  ///
  /// - Parameter allowedHosts: The names, without a port, under which browsers reach the server through a
  ///   proxy that asks for another host.
  public init(allowedHosts: Set<String> = []) {
    hosts = HostList(allowedHosts)
  }

  /// Passes the request on, or throws an error of the status 403 and logs it at `notice`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    switch request.method {
    case .get, .head:
      break
    default:
      if hosts.isOfOtherSite(request) {
        let refusal = HTTPError(.forbidden, message: "Requests from other sites are refused.")
        context.logger.noteRefusal(of: request, context, refusal)
        throw refusal
      }
    }
    return try await next(request, context)
  }
}
