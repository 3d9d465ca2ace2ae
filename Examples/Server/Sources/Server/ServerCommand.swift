public import ArgumentParser
import Foundation
public import Logging
import Metrics
import PrometheusRegistry
import ServerApp
import TimerScheduling

@main
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Server", abstract: "A small service whose periodic work and timeouts are timers.")

  @Option(help: "The address to listen on.")
  var host = ServerOptions().host

  @Option(help: "The port to listen on.")
  var port = ServerOptions().port

  @Option(help: "A further name, without a port, under which browsers may reach the page for operators.")
  var allowedHost: [String] = []

  @Option(
    help: """
      What operators have to give to control timers. Without it, whoever reaches the page may. In the variable \
      ADMIN_TOKEN of the environment it isn't in the list of processes.
      """)
  var adminToken: String?

  @Option(help: "How many seconds a session may be idle.")
  var sessionTimeout = 1800.0

  @Flag(help: "Let sessions live until they are deleted, without timers.")
  var noSessionTimeouts = false

  @Option(help: "How many sessions there may be at a time.")
  var sessionLimit = ServerOptions().sessionLimit

  @Option(help: "After how many seconds to refresh the cache, up to a fifth later.")
  var refreshInterval = 5.0

  @Option(help: "How many seconds the upstream, which is made up, takes to answer.")
  var upstreamLatency = 0.05

  @Option(help: "A file to write the metrics to on each minute.")
  var metricsFile: String?

  @Option(help: "What to log: trace, debug, info, notice, warning, error or critical.")
  var logLevel = Logger.Level.info

  /// The longest time that can be given, of thirty years. Far beyond it there is no `Duration`.
  private static let maximumSeconds = 1e9

  static func main() async {
    endAtOnceOnSignals()
    await main(nil)
  }

  func validate() throws {
    if givenToken == "" { throw ValidationError("An admin token that is empty guards nothing.") }
    guard UInt16(exactly: port) != nil else { throw ValidationError("A port is a number from 0 to 65535.") }
    // The scheduler says what is wrong with a number.
    do {
      _ = try TimerSchedule(validatingEvery: sessionTimeout)
      _ = try TimerSchedule(validatingEvery: refreshInterval)
      _ = try TimerSchedule(validatingAfter: upstreamLatency)
    } catch {
      throw ValidationError("\(error)")
    }
    for seconds in [sessionTimeout, refreshInterval, upstreamLatency] where seconds > Self.maximumSeconds {
      throw ValidationError("A time has at most 1e9 seconds, but \(seconds) was given.")
    }
  }

  func run() async throws {
    let registry = PrometheusRegistry()
    MetricsSystem.bootstrap(registry)
    var logger = Logger(label: "server")
    logger.logLevel = logLevel
    let app = ServerApp(
      options: options, upstream: DemoUpstream(latency: .seconds(upstreamLatency)), registry: registry,
      logger: logger)
    try await app.run()
  }

  /// The admin token, which isn't the option's default, as the help would show it.
  private var givenToken: String? { adminToken ?? ProcessInfo.processInfo.environment["ADMIN_TOKEN"] }

  private var options: ServerOptions {
    var options = ServerOptions()
    options.host = host
    options.port = port
    options.allowedHosts = Set(allowedHost)
    options.adminToken = givenToken
    options.sessionTimeout = noSessionTimeouts ? nil : .seconds(sessionTimeout)
    options.sessionLimit = sessionLimit
    options.refreshInterval = .seconds(refreshInterval)
    options.refreshJitter = .seconds(refreshInterval / 5)
    options.metricsFile = metricsFile
    return options
  }

  /// Until the service group listens for signals there is nothing to drain, and the process ends with success.
  private static func endAtOnceOnSignals() {
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
