/// How the service works.
public struct ServerOptions: Sendable {
  /// The address to listen on. Nobody but this machine reaches the default.
  public var host = "127.0.0.1"
  /// Further names under which browsers may reach the operator's page, if it is to be reached from elsewhere.
  public var allowedHosts: Set<String> = []
  /// The port to listen on.
  public var port = 8080
  /// What operators have to give to pause, resume, fire or cancel a timer. Nil lets everybody who reaches the page.
  public var adminToken: String?
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
  package var drainLimit: Duration = .seconds(30)

  /// Creates the default options.
  public init() {}
}
