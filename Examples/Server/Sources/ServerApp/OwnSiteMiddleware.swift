import Hummingbird
import OperatorPage

/// Refuses requests by which a browser says that a page of another site would change something here.
///
/// A page that anybody visits can post to a server on the visitor's own machine. It can't keep its browser from saying so.
struct OwnSiteMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    switch request.method {
    case .get, .head:
      break
    default:
      if request.isOfOtherSite {
        throw HTTPError(.forbidden, message: "Requests from other sites are refused.")
      }
    }
    return try await next(request, context)
  }
}
