package import Hummingbird
import HummingbirdCore
public import Logging
public import PrometheusRegistry
import ServiceLifecycle
import TimerLifecycle
import TimerLogging
import TimerMetrics
import TimerObserving
import TimerOperatorPage
public import TimerScheduling
import TimerSchedulingCalendar
import TimerTracing
package import UnixSignals

/// A small service whose periodic work and timeouts are timers.
///
/// It has three schedulers. That of the *jobs* has a few timers with names, which are logged, counted, traced
/// and shown to operators. That of the *timeouts* has one timer for each session, of which only the
/// statistics are of interest. That of the *mails* runs the jobs of a cluster.
public struct ServerApp: Sendable {
  package let cache: Cache
  package let sessions: SessionStore
  package let reports = ReportBook()
  package let mails: MailJobs
  package let page: MetricsPage
  package let readiness = Readiness()
  /// The work for which the end waits.
  package let work = OpenWork()
  private let jobs: TimerScheduler
  /// Paces the end, when the other schedulers are shut down.
  private let ends: TimerScheduler
  private let timeouts: TimerScheduler
  private let mailing: TimerScheduler
  private let history = TimerHistory()
  private let options: ServerOptions
  private let registry: PrometheusRegistry
  private let logger: Logger

  /// A registry that describes the service's metrics.
  ///
  /// - Parameter buckets: The upper bounds of the buckets of all histograms.
  public static func makeRegistry(
    buckets: [Double] = PrometheusRegistry.defaultBuckets
  ) -> PrometheusRegistry {
    PrometheusRegistry(buckets: buckets, descriptions: MetricsPage.descriptions)
  }

  /// Creates a service that has yet to run.
  ///
  /// - Parameters:
  ///   - options: How it works.
  ///   - upstream: Where the cache's value comes from.
  ///   - registry: Where metrics are kept.
  ///   - logger: Where it logs to.
  ///   - makeScheduler: Makes its schedulers, for tests on a clock of their own.
  public init(
    options: ServerOptions, upstream: any Upstream, registry: PrometheusRegistry, logger: Logger,
    makeScheduler: (TimerScheduler.Configuration) -> TimerScheduler = TimerScheduler.init(configuration:)
  ) {
    var configuration = TimerScheduler.Configuration()
    configuration.label = "timeouts"
    timeouts = makeScheduler(configuration)
    configuration.label = "ends"
    ends = makeScheduler(configuration)
    configuration.label = "mails"
    configuration.observer = LoggingTimerObserver(logger: logger)
    mailing = makeScheduler(configuration)
    mails = MailJobs(on: mailing)
    configuration.label = "jobs"
    configuration.observer = TimerObservers(
      LoggingTimerObserver(logger: logger), MetricsTimerObserver(factory: registry))
    configuration.logActions(to: logger)
    configuration.traceActions()
    configuration.measureActions(factory: registry)
    configuration.record(in: history)
    configuration.note(in: work)
    jobs = makeScheduler(configuration)
    cache = Cache(upstream: upstream)
    sessions = SessionStore(on: timeouts, timeout: options.sessionTimeout, limit: options.sessionLimit)
    page = MetricsPage(registry: registry, jobs: jobs, timeouts: timeouts, sessions: sessions)
    self.options = options
    self.registry = registry
    self.logger = logger
  }

  /// Serves until the process gets SIGTERM or SIGINT, and returns when what was under way has ended.
  ///
  /// - Throws: The error by which a service has ended, or ``Drain/Failure`` if something was cut off.
  public func run() async throws {
    try await run(until: UnixSignalsSequence(trapping: .sigterm, .sigint))
  }

  package func run(until signals: some AsyncSequence<UnixSignal, Never> & Sendable) async throws {
    let service = ClosureService {
      try scheduleJobs()
      mails.begin()
      readiness.set(true)
      try await withGracefulShutdownHandler {
        try await jobs.run()
      } onGracefulShutdown: {
        readiness.set(false)
      }
    }
    // Services are shut down from the last to the first, each when the one after it has ended. The jobs are
    // the first, as a response that their ticks drive would hold up the server's end. While the server
    // answers its last requests, their sessions' timeouts and the mails still work.
    let drain = Drain(
      services: [timeouts, mailing, application, service], limit: options.drainLimit, scheduler: ends,
      logger: logger
    ) { [work] in
      work.descriptions
    }
    do {
      try await drain.run(until: signals)
    } catch {
      await flushOnceMore()
      throw error
    }
    await flushOnceMore()
    logger.info("Drained")
  }

  /// Writes the metrics at the end. Whether that can be done says nothing of how the service ended.
  private func flushOnceMore() async {
    do {
      try await flush()
    } catch {
      logger.error("The last metrics weren't written", metadata: ["error": "\(LoggedText("\(error)"))"])
    }
  }

  /// Starts what is done periodically.
  package func scheduleJobs() throws {
    jobs.schedule(
      .every(options.refreshInterval, starting: .immediately).jitter(upTo: options.refreshJitter),
      name: "refresh"
    ) { [cache] tick in
      try await cache.refresh(at: tick.date)
    }
    jobs.schedule(every: 60, starting: .aligned, name: "flush") { [flush, jobs] _ in
      try await withRetries(3, on: jobs) { try await flush() }
    }
    jobs.schedule(.rule(try CronRule("@hourly")), name: "report") { [reports, sessions] tick in
      await reports.rotate(at: tick.scheduledDate, sessions.counts)
    }
  }

  /// The HTTP server.
  package var application: some ApplicationProtocol {
    let work = work
    return Application(
      router: router,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          additionalChannelHandlers: [ConnectionLimits(times: ConnectionTimes(), work: work)],
          idleTimeout: .seconds(60),
          httpDecoderConfiguration: .init(maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024))),
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port),
        availableConnectionsDelegate: .maximum(connectionLimit, logger: logger)),
      logger: logger)
  }

  /// The number of connections that the options want, or fewer if the process may not open as many files.
  private var connectionLimit: Int {
    let files = FileLimit.raised(for: options.connectionLimit)
    let count = files.connectionCount(of: options.connectionLimit)
    if count < options.connectionLimit {
      logger.warning(
        "The process may open too few files for the connection limit, so fewer connections are served at a time",
        metadata: [
          "files": "\(files.count)", "limit": "\(options.connectionLimit)", "connections": "\(count)",
        ])
    }
    return count
  }

  private var router: Router<ServerContext> {
    let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
    router.addMiddleware { TrustedProxyMiddleware(proxies: trustedProxies) }
    // Counts requests, in the metrics system of the process.
    router.addMiddleware { MetricsMiddleware() }
    router.addMiddleware { HostMiddleware(allowedHosts: options.allowedHosts.union([options.host])) }
    router.addMiddleware { OwnSiteMiddleware(allowedHosts: options.allowedHosts) }
    router.get { _, _ in Self.index }
    ProbeRoutes(readiness: readiness).addRoutes(to: router)
    CacheRoutes(cache: cache).addRoutes(to: router)
    SessionRoutes(sessions: sessions).addRoutes(to: router)
    ReportRoutes(book: reports).addRoutes(to: router)
    MailRoutes(mails: mails).addRoutes(to: router)
    MetricsRoutes(page: page).addRoutes(to: router)
    operatorPage.addRoutes(to: router)
    return router
  }

  /// Without a token the host is all that keeps other sites out, so no header is believed then.
  private var trustedProxies: [AddressRange] {
    switch options.access {
    case .open: []
    case .tokens: options.trustedProxies
    }
  }

  private var operatorPage: OperatorPage {
    OperatorPage(
      schedulers: [
        ShownScheduler(jobs, name: "jobs", history: history), ShownScheduler(timeouts, name: "timeouts"),
      ], cluster: mails.cluster, access: options.access,
      allowedHosts: options.allowedHosts.union([options.host]), metrics: registry)
  }

  private static let index = """
    GET    /cache          what the upstream had last
    POST   /sessions       begins a session: {"user": "ada"}
    GET    /sessions/:id   restarts its timeout
    DELETE /sessions/:id   ends it
    GET    /reports        of the last hours
    POST   /mails          sends a mail: {"to": "ada@example.org"}
    GET    /metrics        for Prometheus
    GET    /health         whether the process answers
    GET    /ready          whether it takes requests
    GET    /timers         for operators

    """

  private var flush: MetricsFlush { MetricsFlush(page: page, file: options.metricsFile, logger: logger) }
}

extension TimerScheduler.Configuration {
  /// Counts runs of actions as open work.
  fileprivate mutating func note(in work: OpenWork) {
    encloseActions { _, body in
      let id = work.begin("action", ActionRun.current?.name ?? "without-a-name")
      defer { work.end(id) }
      try await body()
    }
  }
}
