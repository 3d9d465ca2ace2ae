public import Hummingbird
public import TimerScheduling
public import TimerSchedulingCluster

/// A page on which an operator sees the timers of schedulers, and pauses, resumes, fires and cancels them.
///
/// ```swift
/// let router = Router()
/// OperatorPage(scheduler: scheduler, adminToken: token).addRoutes(to: router)
/// ```
///
/// The page shows 50 timers at a time. Search, filters, the order and the page number stand in its address. While a page
/// is open it gets events, each second at most; these are driven by a scheduler of the page's own, so they go on while
/// all timers shown are paused.
///
/// Every client that reaches the server may look. An action needs the admin token, if there is one. Requests that a page
/// of another site sends are refused in any case.
public struct OperatorPage: Sendable {
  package let feed: TimerFeed
  let access: AccessControl
  /// Whose jobs the page shows below the timers.
  let cluster: TimerCluster?
  /// How long a stream may take to end when the server stops.
  let grace: Duration

  /// Creates a page of one scheduler's timers.
  ///
  /// - Parameters:
  ///   - scheduler: Whose timers to show.
  ///   - cluster: Whose jobs to show below them, with their last runs. Its store is asked once for each page.
  ///   - adminToken: What an action has to present, in a header or a form's field. Nil if nothing is needed.
  ///   - allowedHosts: The names, without a port, under which browsers reach the server, besides those of the loopback
  ///     interface. Requests for any other host are refused, since a site could have its own name resolve to here.
  /// - Precondition: `adminToken` isn't empty.
  public init(
    scheduler: TimerScheduler, cluster: TimerCluster? = nil, adminToken: String?,
    allowedHosts: Set<String> = []
  ) {
    self.init(
      schedulers: [ShownScheduler(scheduler, name: "scheduler")], cluster: cluster, adminToken: adminToken,
      allowedHosts: allowedHosts)
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
  ///   ], adminToken: token)
  /// ```
  ///
  /// - Parameters:
  ///   - schedulers: The schedulers, in the order in which they are shown.
  ///   - cluster: Whose jobs to show below them, with their last runs. Its store is asked once for each page.
  ///   - adminToken: What an action has to present, in a header or a form's field. Nil if nothing is needed.
  ///   - allowedHosts: The names, without a port, under which browsers reach the server.
  /// - Precondition: `adminToken` isn't empty, and no two schedulers have the same name.
  public init(
    schedulers: [ShownScheduler], cluster: TimerCluster? = nil, adminToken: String?,
    allowedHosts: Set<String> = []
  ) {
    let start = ContinuousClock.now
    var configuration = TimerScheduler.Configuration()
    configuration.label = "operator page"
    self.init(
      schedulers: schedulers, cluster: cluster, adminToken: adminToken, allowedHosts: allowedHosts,
      pacer: TimerScheduler(configuration: configuration)
    ) { ContinuousClock.now - start }
  }

  /// Creates a page whose events a scheduler paces, and for which time passes as `elapsed` says.
  package init(
    schedulers: [ShownScheduler], cluster: TimerCluster? = nil, adminToken: String?,
    allowedHosts: Set<String> = [], grace: Duration = .milliseconds(250), pacer: TimerScheduler,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    precondition(adminToken != "", "An admin token that is empty guards nothing.")
    precondition(
      Set(schedulers.map(\.name)).count == schedulers.count, "Two schedulers on a page have the same name.")
    self.grace = grace
    self.cluster = cluster
    feed = TimerFeed(of: schedulers, pacer: pacer, elapsed: elapsed)
    access = AccessControl(
      hosts: HostList(allowedHosts), adminToken: adminToken.map { Secret($0) }, formToken: .random())
  }

  /// Adds the page at `/timers`, and what belongs to it below.
  ///
  /// All links of the page are relative to it, so it may be served under a prefix.
  public func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("timers") { request, _ in try await page(for: request) }
    router.get("timers/page.js") { request, _ in try script(for: request) }
    router.get("timers/page.css") { request, _ in try style(for: request) }
    router.get("timers/events") { request, _ in try await events(for: request) }
    router.get("timers/:scheduler/:id") { request, context in
      try await details(of: TimerKey(context), for: request)
    }
    router.post("timers/selected/:action") { request, context in
      try await actOnSelected(by: context.parameters.get("action"), for: request)
    }
    router.post("timers/:scheduler/:id/:action") { request, context in
      try await act(on: TimerKey(context), by: context.parameters.get("action"), for: request)
    }
  }
}
