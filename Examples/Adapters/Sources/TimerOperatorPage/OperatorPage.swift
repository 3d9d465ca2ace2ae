public import Hummingbird
public import TimerScheduling

/// A page on which an operator sees the timers of a scheduler, and pauses, resumes, fires and cancels them.
///
/// ```swift
/// let router = Router()
/// OperatorPage(scheduler: scheduler, adminToken: token).addRoutes(to: router)
/// ```
///
/// Whoever reaches the server may look. To act needs the admin token, if there is one. What a page of another site sends
/// is refused in any case.
public struct OperatorPage: Sendable {
  package let feed: TimerFeed
  let scheduler: TimerScheduler
  let access: AccessControl
  /// How long a stream may take to end when the server stops.
  let grace: Duration

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - scheduler: Whose timers to show.
  ///   - adminToken: What an action has to present, in a header or a form's field. Nil if nothing is needed.
  ///   - allowedHosts: The names, without a port, under which browsers reach the server, besides those of the loopback
  ///     interface. Requests for any other host are refused, since a site could have its own name resolve to here.
  /// - Precondition: `adminToken` isn't empty.
  public init(scheduler: TimerScheduler, adminToken: String?, allowedHosts: Set<String> = []) {
    let start = ContinuousClock.now
    self.init(scheduler: scheduler, adminToken: adminToken, allowedHosts: allowedHosts) {
      ContinuousClock.now - start
    }
  }

  /// Creates a page for which time passes as `elapsed` says.
  package init(
    scheduler: TimerScheduler, adminToken: String?, allowedHosts: Set<String> = [],
    grace: Duration = .milliseconds(250), elapsed: @escaping @Sendable () -> Duration
  ) {
    precondition(adminToken != "", "An admin token that is empty guards nothing.")
    self.scheduler = scheduler
    self.grace = grace
    feed = TimerFeed(of: scheduler, elapsed: elapsed)
    access = AccessControl(
      hosts: HostList(allowedHosts), adminToken: adminToken.map { Secret($0) }, formToken: .random())
  }

  /// Adds the page at `/timers`, and what belongs to it below.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("timers") { request, _ in try await page(for: request) }
    router.get("timers/page.js") { request, _ in try script(for: request) }
    router.get("timers/page.css") { request, _ in try style(for: request) }
    router.get("timers/events") { request, _ in try await events(for: request) }
    router.post("timers/:id/:action") { request, context in
      try await act(on: context.parameters.get("id"), by: context.parameters.get("action"), for: request)
    }
  }
}
