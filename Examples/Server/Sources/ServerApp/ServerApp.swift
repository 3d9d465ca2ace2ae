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

/// A small service whose periodic work and timeouts are timers.
///
/// It has two schedulers. That of the *jobs* has a few timers with names, which are logged, counted, traced and shown
/// to operators. That of the *timeouts* has one timer for each session, of which only the statistics are of interest.
public struct ServerApp: Sendable {
  package let cache: Cache
  package let sessions: SessionStore
  package let reports = ReportBook()
  package let page: MetricsPage
  private let jobs: TimerScheduler
  private let timeouts: TimerScheduler
  private let history = TimerHistory()
  private let options: ServerOptions
  private let logger: Logger

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
    configuration.label = "jobs"
    configuration.observer = TimerObservers(
      LoggingTimerObserver(logger: logger), MetricsTimerObserver(factory: registry))
    configuration.logActions(to: logger)
    configuration.traceActions()
    configuration.record(in: history)
    jobs = makeScheduler(configuration)
    cache = Cache(upstream: upstream)
    sessions = SessionStore(on: timeouts, timeout: options.sessionTimeout, limit: options.sessionLimit)
    page = MetricsPage(registry: registry, jobs: jobs, timeouts: timeouts, sessions: sessions)
    self.options = options
    self.logger = logger
  }

  /// Serves until the process is told to end, and returns when what was under way has ended.
  public func run() async throws {
    // Begins when the group listens for signals, so that no signal finds jobs under way and nobody to wait for them.
    let work = ClosureService {
      try scheduleJobs()
      try await jobs.run()
    }
    // Services are shut down from the last to the first, each when the one after it has ended. The jobs are the first, as
    // a response that their ticks drive would hold up the server's end. While the server answers its last requests,
    // their sessions' timeouts still work.
    var configuration = ServiceGroupConfiguration(
      services: [timeouts, application, work], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // For clients that don't take their responses.
    configuration.maximumGracefulShutdownDuration = options.drainLimit
    do {
      try await ServiceGroup(configuration: configuration).run()
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
      logger.error("The last metrics weren't written", metadata: ["error": "\(error)"])
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
    jobs.schedule(.every(.seconds(60), starting: .aligned), name: "flush") { [flush] _ in
      try await flush()
    }
    jobs.schedule(.rule(try CronRule("@hourly")), name: "report") { [reports, sessions] tick in
      await reports.rotate(at: tick.scheduledDate, sessions.counts)
    }
  }

  /// The HTTP server.
  package var application: some ApplicationProtocol {
    Application(
      router: router,
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          idleTimeout: .seconds(60),
          httpDecoderConfiguration: .init(maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024))),
      configuration: ApplicationConfiguration(address: .hostname(options.host, port: options.port)),
      logger: logger)
  }

  private var router: Router<ServerContext> {
    let router = Router(context: ServerContext.self)
    // Counts requests, in the metrics system of the process.
    router.addMiddleware { MetricsMiddleware() }
    router.addMiddleware { HostMiddleware(allowedHosts: options.allowedHosts.union([options.host])) }
    router.addMiddleware { OwnSiteMiddleware() }
    router.get { _, _ in Self.index }
    CacheRoutes(cache: cache).addRoutes(to: router)
    SessionRoutes(sessions: sessions).addRoutes(to: router)
    ReportRoutes(book: reports).addRoutes(to: router)
    MetricsRoutes(page: page).addRoutes(to: router)
    operatorPage.addRoutes(to: router)
    return router
  }

  private var operatorPage: OperatorPage {
    OperatorPage(
      schedulers: [
        ShownScheduler(jobs, name: "jobs", history: history), ShownScheduler(timeouts, name: "timeouts"),
      ], adminToken: options.adminToken, allowedHosts: options.allowedHosts)
  }

  private static let index = """
    GET    /cache          what the upstream had last
    POST   /sessions       begins a session: {"user": "ada"}
    GET    /sessions/:id   restarts its timeout
    DELETE /sessions/:id   ends it
    GET    /reports        of the last hours
    GET    /metrics        for Prometheus
    GET    /timers         for operators

    """

  private var flush: MetricsFlush { MetricsFlush(page: page, file: options.metricsFile, logger: logger) }
}
