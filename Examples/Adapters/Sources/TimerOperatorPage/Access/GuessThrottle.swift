/// Has a client that gives wrong tokens wait, twice as long after each one.
///
/// The delay is a second after the first wrong token and a minute at most. Wrong tokens that are given
/// meanwhile don't make it longer. A quarter of an hour after its end a client starts afresh, and not before:
/// a right token of one operator says nothing of guesses at another's.
package struct GuessThrottle: Sendable {
  private struct Client {
    var failureCount = 0
    var nextTry = Duration.zero
  }

  package static let maximumDelay = Duration.seconds(60)
  private static let memory = Duration.seconds(15 * 60)
  /// Beyond this number of clients half of them are forgotten, those that may try first, so that the memory
  /// is bounded.
  package static let clientLimit = 10_000

  /// By the network of the client. Nil stands for all clients whose address isn't known.
  private var clients: [IPAddress?: Client] = [:]

  package init() {}

  /// The time that a client has to wait after its last wrong token. Zero if there is none.
  package func delay(of client: IPAddress?, at now: Duration) -> Duration {
    max((clients[client?.ofNetwork]?.nextTry ?? .zero) - now, .zero)
  }

  /// Notes a wrong token.
  package mutating func noteFailure(of client: IPAddress?, at now: Duration) {
    let network = client?.ofNetwork
    if clients[network] == nil, clients.count >= Self.clientLimit { forgetHalf() }
    var record = clients[network] ?? Client()
    if record.nextTry + Self.memory <= now { record = Client() }
    record.failureCount += 1
    record.nextTry = now + min(.seconds(1 << min(record.failureCount - 1, 6)), Self.maximumDelay)
    clients[network] = record
  }

  private mutating func forgetHalf() {
    let first = clients.sorted { $0.value.nextTry < $1.value.nextTry }.prefix(Self.clientLimit / 2)
    for client in first { clients[client.key] = nil }
  }
}
