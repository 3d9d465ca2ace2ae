import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import MetricsTestKit
import NIOCore
import Synchronization
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// A scheduler in virtual time, with a timer that ticks every second, and a page that shows it.
struct Fixture: Sendable {
  let clock = VirtualClock()
  let scheduler: TimerScheduler
  let page: OperatorPage
  let timer: ScheduledTimer
  let history: TimerHistory
  let log = InMemoryLogHandler()
  let metrics = TestMetrics()

  /// - Parameters:
  ///   - lookDuration: How long the page takes to look at the timers, as it seems to it.
  ///   - clusterClock: The clock that says whether jobs are overdue, by default the fixture's own.
  init(
    access: PageAccess = .open, allowedHosts: Set<String> = [], lookDuration: Duration = .zero,
    others: [ShownScheduler] = [], cluster: TimerCluster? = nil, clusterClock: VirtualClock? = nil
  ) {
    history = TimerHistory { [clock] in clock.date }
    var configuration = TimerScheduler.Configuration()
    configuration.record(in: history)
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let readings = Mutex(0)
    page = OperatorPage(
      schedulers: [ShownScheduler(scheduler, name: "jobs", history: history)] + others,
      cluster: cluster, access: access, allowedHosts: allowedHosts, metrics: metrics,
      grace: .seconds(3_600), now: { [clock = clusterClock ?? clock] in clock.date },
      pacer: TimerScheduler(clock: clock)
    ) { [clock] in
      let reading = readings.withLock { count in
        count += 1
        return count
      }
      return .seconds(clock.date.timeIntervalSinceReferenceDate) + lookDuration * reading
    }
    timer = scheduler.schedule(.every(.seconds(1)), name: "clock") { _ in }
  }

  var app: some ApplicationProtocol {
    let router = Router(context: ProxiedContext.self)
    router.addMiddleware { TrustedProxyMiddleware(proxies: [AddressRange("192.0.2.1")].compactMap(\.self)) }
    page.addRoutes(to: router)
    return Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0)),
      logger: Logger(label: "test") { _ in log })
  }

  /// The lines that the page has logged: the message, and what stands beside it.
  var audit: [InMemoryLogHandler.Entry] { log.entries.filter { "\($0.message)".hasPrefix("Operator") } }

  /// The number of the timer's ticks.
  var tickCount: Int? {
    get async { await scheduler.snapshots.first { $0.id == timer.id }?.tickCount }
  }
}

/// A context of connections that come from a proxy, so that a test chooses the client's address.
struct ProxiedContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress = try? SocketAddress(ipAddress: "192.0.2.1", port: 1)

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

extension PageAccess {
  static let token = "sesame-sesame-sesame"

  /// Access with a token of Ada's.
  static func ada(isPublic: Bool = false) -> PageAccess {
    .tokens([try? OperatorToken(token, of: "ada")].compactMap(\.self), isPublic: isPublic)
  }
}

extension HTTPFields {
  static let adminToken: HTTPFields = [.adminToken: PageAccess.token]

  static func client(_ address: String) -> HTTPFields { [.forwardedFor: address] }

  /// The headers that a browser sends when the page itself makes a request.
  static let ownPage: HTTPFields = [.origin: "http://localhost", .secFetchSite: "same-origin"]
  static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

  func with(_ others: HTTPFields) -> HTTPFields {
    var fields = self
    for field in others { fields[field.name] = field.value }
    return fields
  }
}

extension HTTPField.Name {
  static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
  static let adminToken = HTTPField.Name("X-Admin-Token") ?? .authorization
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}

extension TestClientProtocol {
  /// Sends the form that logs an operator in.
  func logIn(
    headers: HTTPFields = .ownPage, token: String = PageAccess.token
  ) async throws -> TestResponse {
    try await execute(
      uri: "/timers/login?q=clock", method: .post, headers: headers.with(.form),
      body: ByteBuffer(string: "token=\(token)"))
  }

  func page(_ query: String = "") async throws -> TestResponse {
    try await execute(uri: "/timers\(query)", method: .get)
  }

  /// Presses a button.
  @discardableResult
  func post(
    _ action: String, _ id: some CustomStringConvertible, headers: HTTPFields = .ownPage, form: String? = nil
  ) async throws -> TestResponse {
    try await execute(
      uri: "/timers/jobs/\(id)/\(action)", method: .post,
      headers: form == nil ? headers : headers.with(.form),
      body: form.map { ByteBuffer(string: $0) })
  }
}

extension TestResponse {
  /// The header by which the browser shows the cookie that the response has set.
  func shownCookie() throws -> HTTPFields {
    let cookie = try #require(headers[.setCookie])
    return [.cookie: String(cookie.prefix { $0 != ";" })]
  }

  var text: String { String(buffer: body) }

  /// The events that a stream has brought.
  var events: [Event] {
    get throws {
      try text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
        try JSONDecoder().decode(Event.self, from: Data($0.dropFirst(6).utf8))
      }
    }
  }
}

/// The contents of an event.
struct Event: Decodable {
  struct Row: Decodable {
    var key: String
    var name: String
    var state: String
    var due: Double?
    var left: Double?
    var schedule: String
    var ticks: String
  }

  var formToken: String?
  var now: Double
  var age: Double
  var numbers: [[String]]?
  var order: [String]?
  var rows: [Row]
}
