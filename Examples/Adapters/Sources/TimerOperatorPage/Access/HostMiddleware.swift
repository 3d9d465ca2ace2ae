public import Hummingbird
import Logging

/// Refuses requests for host names that this server doesn't go by, on every route.
///
/// A site can have its own name resolve to the address of this server. A browser then takes the server for a
/// part of that site, and lets the site's pages read what it answers. Such a request still names the other
/// site's host. Requests for a numeric address pass, as from a probe, since no site has an address as its
/// name.
///
/// ```swift
/// router.addMiddleware { HostMiddleware(allowedHosts: ["timers.example"]) }
/// ```
public struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
  private let hosts: HostList

  /// Creates a middleware that lets requests for some hosts pass.
  ///
  /// - Parameter allowedHosts: The names and addresses, besides those of the loopback interface. A port is
  ///   ignored.
  public init(allowedHosts: Set<String>) {
    hosts = HostList(allowedHosts)
  }

  /// Passes the request on, or throws an error and logs it at `notice`: of the status 400 if the request
  /// names several hosts, and otherwise of 403.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !request.hasSeveralHosts else {
      let refusal = HTTPError(.badRequest, message: "A request names one host.")
      context.logger.noteRefusal(of: request, context, refusal)
      throw refusal
    }
    guard let authority = request.head.authority,
      hosts.contains(authority) || HostList.isAddress(authority)
    else {
      let refusal = HTTPError(.forbidden, message: "This isn't a host under which the server is known.")
      context.logger.noteRefusal(of: request, context, refusal)
      throw refusal
    }
    return try await next(request, context)
  }
}
