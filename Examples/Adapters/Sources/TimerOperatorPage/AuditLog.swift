import HTTPTypes
import Hummingbird
import Logging
import Metrics
import TimerLogging

/// Logs who has done something on the page, from where, and what came of it. Counts refusals, and tells the
/// trail of logins.
///
/// Actions and logins are logged at `info`. What failed is logged at `notice`.
struct AuditLog: Sendable {
  private let factory: any MetricsFactory
  let trail = AuditTrail()

  init(factory: any MetricsFactory) {
    self.factory = factory
  }

  /// Logs an action that was done to one timer or to several, or to a job.
  ///
  /// `query` is the address that chose them, if they weren't chosen one by one.
  func note(
    _ action: String, on timers: String, matching query: String? = nil, by visitor: Visitor,
    outcome: String = "done", to logger: Logger
  ) {
    var metadata = visitor.metadata
    metadata["action"] = "\(action)"
    metadata["timer"] = "\(timers)"
    metadata["outcome"] = "\(outcome)"
    if let query { metadata["query"] = "\(query)" }
    logger.info("Operator's action", metadata: metadata)
  }

  func noteLogin(of visitor: Visitor, to logger: Logger) {
    logger.info("Operator logged in", metadata: visitor.metadata)
    trail.add(visitor.entry("log in", on: "", count: nil, outcome: "done"))
  }

  func noteLogout(of visitor: Visitor, to logger: Logger) {
    logger.info("Operator logged out", metadata: visitor.metadata)
    guard visitor.operatorName != nil else { return }
    trail.add(visitor.entry("log out", on: "", count: nil, outcome: "done"))
  }

  /// Counts a refusal, and logs it if it is of a visitor or of an action.
  ///
  /// Requests of a client that has to wait after wrong tokens are counted only, as there may be any number of
  /// them.
  func note(_ refusal: Refusal, of request: Request, by visitor: Visitor, to logger: Logger) {
    count("timer_page_refusals", [("status", String(refusal.status.code))])
    if refusal.isWrongToken {
      count("timer_page_wrong_tokens")
      trail.noteFailedLogin(from: visitor.clientText)
    }
    guard refusal.status != .tooManyRequests else { return }
    guard request.method == .post || refusal.status == .unauthorized || refusal.status == .forbidden else {
      return
    }
    logger.notice(
      "Operator's request refused",
      metadata: visitor.metadata.merging(request.metadata(refusedAs: refusal.status, refusal.message)) {
        own, _ in
        own
      })
  }

  private func count(_ label: String, _ dimensions: [(String, String)] = []) {
    Counter(label: label, dimensions: dimensions, factory: factory).increment()
  }
}

extension Logger {
  /// Logs a request that a middleware has refused, for a host or a site that isn't the server's.
  func noteRefusal(of request: Request, _ context: some RequestContext, _ error: HTTPError) {
    var metadata = request.metadata(refusedAs: error.status, error.body ?? "")
    metadata["client"] = "\(ClientAddress.of(context).logged)"
    notice("Request refused", metadata: metadata)
  }
}

extension OperatorPage {
  /// A sentence for each metric of a page, by its label, for backends that export one.
  public static let metricDescriptions = [
    "timer_page_refusals": "Requests to the operator's page that were refused, by status.",
    "timer_page_wrong_tokens": "Wrong tokens that were given to the operator's page.",
  ]
}

extension Visitor {
  /// The client's address as it is shown to operators.
  var clientText: String { address.logged }

  fileprivate var metadata: Logger.Metadata {
    ["operator": "\(operatorName ?? "unknown")", "client": "\(address.logged)"]
  }
}

extension Request {
  fileprivate func metadata(refusedAs status: HTTPResponse.Status, _ reason: String) -> Logger.Metadata {
    [
      "request": "\(method) \(LoggedText(uri.path, upTo: 200))", "outcome": "\(status.code)",
      "reason": "\(reason)",
    ]
  }
}

extension IPAddress? {
  fileprivate var logged: String { map(\.description) ?? "unknown" }
}
