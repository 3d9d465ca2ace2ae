public import ArgumentParser
import Foundation
public import Logging
import Metrics
import PrometheusRegistry
import ServerApp
import TimerOperatorPage
import TimerScheduling

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Server", abstract: "A small service whose periodic work and timeouts are timers.")

  @Option(help: "The address to listen on.")
  var host = ServerOptions().host

  @Option(help: "The port to listen on.")
  var port = ServerOptions().port

  @Option(help: "A further name, or an address such as [fd00::3], under which browsers may reach the server.")
  var allowedHost: [String] = []

  @Option(
    help: """
      A token of 16 characters or more, or NAME:TOKEN, with which an operator logs in on the page. It may be given more \
      than once. In the variable ADMIN_TOKEN of the environment, separated by spaces, tokens aren't in the list of processes.
      """)
  var adminToken: [String] = []

  @Flag(help: "Let every client see the page. Only actions need a token then.")
  var publicPage = false

  @Option(
    help:
      "The address of a proxy, or a range such as 10.0.0.0/8, whose X-Forwarded-For and X-Forwarded-Host are believed."
  )
  var trustedProxy: [String] = []

  @Option(help: "How many seconds a session may be idle.")
  var sessionTimeout = 1800.0

  @Flag(help: "Let sessions live until they are deleted, without timers.")
  var noSessionTimeouts = false

  @Option(help: "The number of sessions that there may be at a time.")
  var sessionLimit = ServerOptions().sessionLimit

  @Option(help: "After how many seconds to refresh the cache, up to a fifth later.")
  var refreshInterval = 5.0

  @Option(help: "How many seconds the upstream, which is made up, takes to answer.")
  var upstreamLatency = 0.05

  @Option(help: "How many connections there may be at a time. Each is an open file.")
  var connectionLimit = ServerOptions().connectionLimit

  @Option(help: "How many seconds to wait at the end for what is under way. A second signal ends the wait.")
  var drainLimit = 20.0

  @Flag(help: "Have the upstream ignore that it is cancelled, to see how the service ends then.")
  var stubbornUpstream = false

  @Option(help: "A file to write the metrics to on each minute.")
  var metricsFile: String?

  @Option(help: "What to log: trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.info

  /// The longest time that can be given, of thirty years. Far beyond it there is no `Duration`.
  private static let maximumSeconds = 1e9

  private static let maximumConnectionCount = 1_000_000

  static func main() async {
    endAtOnceOnSignals()
    await main(nil)
  }

  func validate() throws {
    guard UInt16(exactly: port) != nil else { throw ValidationError("A port is a number from 0 to 65535.") }
    for (limit, name) in [(sessionLimit, "sessions"), (connectionLimit, "connections")] where limit < 1 {
      throw ValidationError("A limit of \(name) is 1 or more, but \(limit) was given.")
    }
    // The scheduler says what is wrong with a number.
    do {
      _ = try TimerSchedule(validatingEvery: sessionTimeout)
      _ = try TimerSchedule(validatingEvery: refreshInterval)
      _ = try TimerSchedule(validatingAfter: upstreamLatency)
      _ = try TimerSchedule(validatingAfter: drainLimit)
      _ = try tokens
    } catch {
      throw ValidationError("\(error)")
    }
    for seconds in [sessionTimeout, refreshInterval, upstreamLatency, drainLimit]
    where seconds > Self.maximumSeconds {
      throw ValidationError("A time has at most 1e9 seconds, but \(seconds) was given.")
    }
    for text in trustedProxy where AddressRange(text) == nil {
      throw ValidationError(
        "A proxy is an address such as 10.0.0.3 or a range such as 10.0.0.0/8, but \"\(text)\" was given.")
    }
    guard connectionLimit <= Self.maximumConnectionCount else {
      throw ValidationError(
        "A limit of connections is \(Self.maximumConnectionCount) or less, but \(connectionLimit) was given.")
    }
    if try tokens.isEmpty, !isLoopback || !trustedProxy.isEmpty || !allowedHost.isEmpty {
      throw ValidationError(
        """
        Without a token, every client that reaches the server, directly or by a proxy, could pause and cancel timers. \
        Give a token in the variable ADMIN_TOKEN ("openssl rand -hex 16" makes one), or listen on 127.0.0.1 without a proxy.
        """)
    }
    if let metricsFile { try checkWritable(metricsFile) }
  }

  /// Whether only this machine reaches the address that is listened on.
  private var isLoopback: Bool {
    host == "localhost" || host == "::1" || AddressRange("127.0.0.0/8")?.contains(host) == true
  }

  /// Refuses a file that can't be written: metrics are written to a new file in its folder, which then takes
  /// its place.
  private func checkWritable(_ file: String) throws {
    let folder = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
    var isFolder: ObjCBool = false
    let isThere = unsafe FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
    guard FileManager.default.isWritableFile(atPath: folder), !(isThere && isFolder.boolValue) else {
      throw ValidationError(
        "The metrics can't be written to \(file). Give a file in a folder that can be written.")
    }
  }

  func run() async throws {
    let registry = ServerApp.makeRegistry()
    MetricsSystem.bootstrap(registry)
    var logger = Logger(label: "server")
    logger.logLevel = logLevel
    let app = ServerApp(
      options: try options,
      upstream: DemoUpstream(latency: .seconds(upstreamLatency), isStubborn: stubbornUpstream),
      registry: registry,
      logger: logger)
    try await app.run()
  }

  /// The tokens of the options, or else those of the environment.
  private var tokens: [OperatorToken] {
    get throws {
      let variable = ProcessInfo.processInfo.environment["ADMIN_TOKEN"].map { [$0] } ?? []
      return try (adminToken.isEmpty ? variable : adminToken).flatMap { text throws in
        try OperatorToken.parse(text)
      }
    }
  }

  private var options: ServerOptions {
    get throws {
      var options = ServerOptions()
      options.host = host
      options.port = port
      options.allowedHosts = Set(allowedHost)
      let tokens = try tokens
      options.access = tokens.isEmpty ? .open : .tokens(tokens, isPublic: publicPage)
      options.trustedProxies = trustedProxy.compactMap { AddressRange($0) }
      options.connectionLimit = connectionLimit
      options.drainLimit = .seconds(drainLimit)
      options.sessionTimeout = noSessionTimeouts ? nil : .seconds(sessionTimeout)
      options.sessionLimit = sessionLimit
      options.refreshInterval = .seconds(refreshInterval)
      options.refreshJitter = .seconds(refreshInterval / 5)
      options.metricsFile = metricsFile
      return options
    }
  }

  /// Until the service group listens for signals there is nothing to drain, and the process ends with
  /// success.
  private static func endAtOnceOnSignals() {
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
