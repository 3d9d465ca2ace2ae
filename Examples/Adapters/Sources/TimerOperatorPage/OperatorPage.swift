public import Hummingbird
public import Metrics
public import TimerScheduling
public import TimerSchedulingCluster

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A page on which an operator sees the timers of schedulers, and pauses, resumes, fires and cancels them.
///
/// ```swift
/// let router = Router()
/// let token = try OperatorToken(secret, of: "ada")
/// OperatorPage(scheduler: scheduler, access: .tokens([token])).addRoutes(to: router)
/// ```
///
/// The page shows 50 timers at a time. Search, filters, the order and the page number stand in its address.
/// While a page is open it gets events, each second at most; these are driven by a scheduler of the page's
/// own, so they go on while all timers shown are paused.
///
/// An operator logs in with a token, and is known by a cookie from then on, for twelve hours after the last
/// request. A script sends the token in the header `X-Admin-Token`, or in `Authorization` after `Bearer`. A
/// right token is always let in. After a wrong token a client has to wait, for a second at first and up to a
/// minute; wrong tokens meanwhile get the status 429. Requests that a page of another site sends are refused
/// in any case.
///
/// Each action, login and refusal is a line of the request's logger, with the operator's name, the client's
/// address, the timer and the outcome. The counters `timer_page_refusals`, by status, and
/// `timer_page_wrong_tokens` go to swift-metrics. The address is known if the router's context conforms to
/// `RemoteAddressRequestContext`; without it all clients share one delay and one count of open pages. Behind
/// a proxy, add ``TrustedProxyMiddleware``.
public struct OperatorPage: Sendable {
  package let feed: TimerFeed
  let access: AccessControl
  let audit: AuditLog
  package let desk: BulkDesk<TimerAction>
  package var trail: AuditTrail { audit.trail }
  /// The jobs that the page shows, and the work on many of them.
  let clusterFeed: ClusterFeed?
  package let jobDesk: BulkDesk<JobAction>?
  /// The time that a stream has to end when the server stops.
  let grace: Duration
  /// The server's time, at which jobs are overdue or not.
  let now: @Sendable () -> Date

  /// Creates a page of one scheduler's timers.
  ///
  /// - Parameters:
  ///   - scheduler: Whose timers to show.
  ///   - cluster: Whose jobs to show in a view of their own. Its store is asked for each page and, while one
  ///     is open, once a second or less often.
  ///   - access: The rule by which clients may look and act.
  ///   - allowedHosts: The names, without a port, under which browsers reach the server, besides those of the
  ///     loopback interface. Requests for any other host are refused, since a site could have its own name
  ///     resolve to here.
  ///   - metrics: Where the counters are made.
  public init(
    scheduler: TimerScheduler, cluster: TimerCluster? = nil, access: PageAccess,
    allowedHosts: Set<String> = [],
    metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    self.init(
      schedulers: [ShownScheduler(scheduler, name: "scheduler")], cluster: cluster, access: access,
      allowedHosts: allowedHosts, metrics: metrics)
  }

  /// Creates a page of several schedulers' timers.
  ///
  /// ```swift
  /// let history = TimerHistory()
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.record(in: history)
  /// let jobs = TimerScheduler(configuration: configuration)
  ///
  /// let page = OperatorPage(
  ///   schedulers: [
  ///     ShownScheduler(jobs, name: "jobs", history: history), ShownScheduler(timeouts, name: "timeouts"),
  ///   ], access: .tokens(tokens))
  /// ```
  ///
  /// - Parameters:
  ///   - schedulers: The schedulers, in the order in which they are shown.
  ///   - cluster: Whose jobs to show in a view of their own. Its store is asked for each page and, while one
  ///     is open, once a second or less often.
  ///   - access: The rule by which clients may look and act.
  ///   - allowedHosts: The names, without a port, under which browsers reach the server.
  ///   - metrics: Where the counters are made.
  /// - Precondition: No two schedulers have the same name.
  public init(
    schedulers: [ShownScheduler], cluster: TimerCluster? = nil, access: PageAccess,
    allowedHosts: Set<String> = [], metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    let start = ContinuousClock.now
    var configuration = TimerScheduler.Configuration()
    configuration.label = "operator page"
    self.init(
      schedulers: schedulers, cluster: cluster, access: access, allowedHosts: allowedHosts, metrics: metrics,
      pacer: TimerScheduler(configuration: configuration)
    ) { ContinuousClock.now - start }
  }

  /// Creates a page whose events a scheduler paces, and for which time passes as `elapsed` says.
  package init(
    schedulers: [ShownScheduler], cluster: TimerCluster? = nil, access: PageAccess,
    allowedHosts: Set<String> = [], metrics: any MetricsFactory = MetricsSystem.factory,
    grace: Duration = .milliseconds(250), now: @escaping @Sendable () -> Date = { Date() },
    pacer: TimerScheduler,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    precondition(
      Set(schedulers.map(\.name)).count == schedulers.count, "Two schedulers on a page have the same name.")
    self.grace = grace
    self.now = now
    audit = AuditLog(factory: metrics)
    feed = TimerFeed(of: schedulers, trail: audit.trail, pacer: pacer, elapsed: elapsed)
    desk = Self.desk(of: feed, trail: audit.trail)
    clusterFeed = cluster.map { ClusterFeed(of: $0, now: now, elapsed: elapsed) }
    jobDesk = clusterFeed.map { Self.jobDesk(of: $0, pacer: pacer, elapsed: elapsed) }
    self.access = AccessControl(hosts: HostList(allowedHosts), access: access, elapsed: elapsed)
  }

  /// Adds the page at `/timers`, and what belongs to it below.
  ///
  /// All links of the page are relative to it, so it may be served under a prefix.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    if access.asksForToken {
      addPages(to: router)
    } else {
      addPages(to: router.group().add(middleware: ConnectionMiddleware()))
    }
  }

  private func addPages(to router: some RouterMethods<some RequestContext>) {
    router.get("timers") { request, context in
      try await answer(request, context, loginPrefix: "timers/") { visitor throws(Refusal) in
        try await page(for: request, of: visitor)
      }
    }
    router.get("timers/page.js") { request, context in
      try await answer(request, context) { _ throws(Refusal) in Self.script }
    }
    router.get("timers/page.css") { request, context in
      try await answer(request, context) { _ throws(Refusal) in Self.style }
    }
    addViews(to: router)
    addJobRoutes(to: router)
    router.get("timers/events") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await events(for: request, of: visitor)
      }
    }
    router.get("timers/login") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        loginPage(for: request, of: visitor)
      }
    }
    router.post("timers/login") { request, context in
      try await answer(request, context, loginPrefix: "") { visitor throws(Refusal) in
        let (visitor, response) = try await logIn(visitor, for: request)
        audit.noteLogin(of: visitor, to: context.logger)
        return response
      }
    }
    router.post("timers/logout") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        let response = try await logOut(visitor, for: request)
        audit.noteLogout(of: visitor, to: context.logger)
        return response
      }
    }
    router.get("timers/:scheduler/:id") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await details(of: TimerKey(context), for: request, of: visitor)
      }
    }
    addBulkRoutes(to: router)
    router.post("timers/:scheduler/:id/:action") { request, context in
      try await answer(request, context) { visitor throws(Refusal) in
        try await act(
          on: TimerKey(context), by: context.parameters.get("action"), for: request, of: visitor,
          logger: context.logger)
      }
    }
  }

  /// Finds out who asks, has the request answered, and logs a refusal.
  ///
  /// - Parameter loginPrefix: What leads from the page's address to the login's, for a page that asks a
  ///   visitor who is refused for a token. Nil for answers that aren't pages.
  func answer(
    _ request: Request, _ context: some RequestContext, loginPrefix: String? = nil,
    by answer: (Visitor) async throws(Refusal) -> Response
  ) async throws(Refusal) -> Response {
    let address = ClientAddress.of(context)
    var visitor = Visitor(address: address)
    do throws(Refusal) {
      try access.checkHost(of: request)
      if let redirect = request.redirectBeforeSlash { return redirect }
      visitor = try access.visitor(of: request, from: address)
      return try await answer(visitor)
    } catch {
      audit.note(error, of: request, by: visitor, to: context.logger)
      guard let loginPrefix, access.asksForToken, error.asksForToken else { throw error }
      return loginPage(for: request, of: visitor, refusedAs: error, prefix: loginPrefix)
    }
  }
}
