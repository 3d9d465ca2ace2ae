import HTTPTypes
import Hummingbird

/// The reason why a request isn't answered as asked.
struct Refusal: Error, HTTPResponseError {
  let status: HTTPResponse.Status
  let message: String
  /// Whether the request had a token that is no operator's.
  let isWrongToken: Bool
  /// The number of seconds after which the client may ask again. Nil if waiting doesn't help.
  private let retryAfter: Int?

  init(_ status: HTTPResponse.Status, _ message: String, isWrongToken: Bool = false) {
    self.status = status
    self.message = message
    self.isWrongToken = isWrongToken
    retryAfter = nil
  }

  /// A refusal of a wrong token that was given before the client's delay was over.
  init(_ status: HTTPResponse.Status, retryAfter delay: Duration) {
    self.status = status
    let seconds = Int((delay / .seconds(1)).rounded(.up))
    message = "Too many wrong tokens. Try again in \(seconds) s."
    isWrongToken = true
    retryAfter = seconds
  }

  /// Whether a right token would have helped.
  var asksForToken: Bool { isWrongToken || status == .unauthorized || status == .tooManyRequests }

  private var headers: HTTPFields {
    var headers = HTTPFields()
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"timers\"" }
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    return headers
  }

  func response(from request: Request, context: some RequestContext) -> Response {
    response(.page("\(message)\n", type: "text/plain; charset=utf-8"))
  }

  /// A response with the refusal's status and headers.
  func response(_ response: Response) -> Response {
    var response = response
    response.status = status
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}
