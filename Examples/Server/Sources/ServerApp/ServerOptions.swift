public import TimerOperatorPage

/// The options of the service.
public struct ServerOptions: Sendable {
  /// The address to listen on. Only this machine reaches the default.
  public var host = "127.0.0.1"
  /// Further names under which browsers may reach the operator's page, if it is to be reached from elsewhere.
  public var allowedHosts: Set<String> = []
  /// The port to listen on.
  public var port = 8080
  /// The rule by which clients may look at the operator's page, and act there.
  public var access = PageAccess.open
  /// The addresses of proxies whose word on the client's address and the host is taken. Without tokens none
  /// is.
  public var trustedProxies: [AddressRange] = []
  /// The time that a session may be idle. With nil, sessions live until they are deleted.
  public var sessionTimeout: Duration? = .seconds(30 * 60)
  /// The number of sessions that there may be at a time.
  public var sessionLimit = 1_000_000
  /// The interval at which the cache is refreshed.
  public var refreshInterval: Duration = .seconds(5)
  /// The longest delay of a refresh, drawn anew each time, so that processes don't all ask the upstream at
  /// once.
  public var refreshJitter: Duration = .seconds(1)
  /// A file that the metrics are written to on each minute. Nil for none.
  public var metricsFile: String?
  /// The time that open work has to end after a signal, before it is cancelled.
  ///
  /// The default is below the 30 seconds after which Kubernetes kills.
  public var drainLimit: Duration = .seconds(20)
  /// The number of connections that are served at a time. Further ones wait in the system's queue.
  public var connectionLimit = 1_000

  /// Creates the default options.
  public init() {}
}
