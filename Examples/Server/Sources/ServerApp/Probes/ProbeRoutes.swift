import Hummingbird

/// `GET /health` says that the process answers, `GET /ready` whether it takes requests.
///
/// A service that drains isn't ready, so that a load balancer sends its requests elsewhere, and is still
/// healthy, so that it isn't killed.
struct ProbeRoutes: Sendable {
  let readiness: Readiness

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("health") { _, _ in "ok\n" }
    router.get("ready") { _, _ in
      guard readiness.isReady else {
        throw HTTPError(.serviceUnavailable, message: "The service is starting or ending.")
      }
      return "ok\n"
    }
  }
}
