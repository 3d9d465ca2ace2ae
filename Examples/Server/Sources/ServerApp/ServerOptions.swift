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
  /// The addresses of proxies whose word on the client's address and the host is taken.
  public var trustedProxies: [AddressRange] = []
  /// How long a session may be idle. Nil has sessions live until they are deleted.
  public var sessionTimeout: Duration? = .seconds(30 * 60)
  /// How many sessions there may be at a time.
  public var sessionLimit = 1_000_000
  /// How often the cache is refreshed.
  public var refreshInterval: Duration = .seconds(5)
  /// How much later than that at most, as drawn for each time, so that processes don't all ask the upstream at once.
  public var refreshJitter: Duration = .seconds(1)
  /// A file that the metrics are written to on each minute. Nil for none.
  public var metricsFile: String?
  /// How long to wait at the end for what is under way, before it is cancelled.
  ///
  /// The default is below the 30 seconds after which Kubernetes kills.
  public var drainLimit: Duration = .seconds(20)
  /// How many connections there may be at a time. Further ones wait in the system's queue.
  public var connectionLimit = 1_000

  /// Creates the default options.
  public init() {}
}
