import HTTPTypes
import Hummingbird

/// Why a request isn't answered as asked.
struct Refusal: Error, HTTPResponseError {
  let status: HTTPResponse.Status
  let message: String

  init(_ status: HTTPResponse.Status, _ message: String) {
    self.status = status
    self.message = message
  }

  func response(from request: Request, context: some RequestContext) -> Response {
    var response = Response.page("\(message)\n", type: "text/plain; charset=utf-8")
    response.status = status
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer realm=\"timers\"" }
    return response
  }
}
