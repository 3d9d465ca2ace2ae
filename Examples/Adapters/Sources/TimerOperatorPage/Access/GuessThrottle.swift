/// Has a client that gives wrong tokens wait, twice as long after each one.
///
/// The delay is a second after the first wrong token and a minute at most, so that a client can try some 1,440 tokens a
/// day. A quarter of an hour after its last wrong token a client starts afresh.
package struct GuessThrottle: Sendable {
  private struct Client {
    var failureCount = 0
    var nextTry = Duration.zero
  }

  package static let maximumDelay = Duration.seconds(60)
  private static let memory = Duration.seconds(15 * 60)
  /// More clients than this share the delay of one, so that the memory is bounded.
  package static let clientLimit = 10_000

  /// By the network of the client. Nil stands for clients whose address isn't known, and for those beyond the limit.
  private var clients: [IPAddress?: Client] = [:]

  package init() {}

  /// The time that a client has to wait before its next token is looked at. Zero if it may try now.
  package func delay(of client: IPAddress?, at now: Duration) -> Duration {
    max((clients[key(of: client)]?.nextTry ?? .zero) - now, .zero)
  }

  /// Notes a wrong token.
  package mutating func noteFailure(of client: IPAddress?, at now: Duration) {
    clients = clients.filter { $0.value.nextTry + Self.memory > now }
    let key = key(of: client)
    var record = clients[key] ?? Client()
    record.failureCount += 1
    record.nextTry = now + min(.seconds(1 << min(record.failureCount - 1, 6)), Self.maximumDelay)
    clients[key] = record
  }

  /// Notes a right token.
  package mutating func noteSuccess(of client: IPAddress?) { clients[key(of: client)] = nil }

  private func key(of client: IPAddress?) -> IPAddress? {
    guard let network = client?.ofNetwork else { return nil }
    return clients[network] != nil || clients.count < Self.clientLimit ? network : nil
  }
}
