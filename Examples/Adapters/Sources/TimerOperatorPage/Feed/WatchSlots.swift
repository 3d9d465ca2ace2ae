/// Shares the places for open pages among clients, so that no client takes all of them.
package struct WatchSlots: Sendable {
  /// A client for which pages are open.
  package struct Viewer: Sendable, Hashable {
    private let network: IPAddress?
    fileprivate let isOperator: Bool

    package init(address: IPAddress?, isOperator: Bool) {
      network = address?.ofNetwork
      self.isOperator = isOperator
    }

    /// An operator whose address isn't known.
    package static let unknown = Viewer(address: nil, isOperator: true)

    fileprivate var hasAddress: Bool { network != nil }
  }

  /// The number of pages that may be open.
  package static let count = 100
  /// The number of pages that may be open for clients who aren't operators. The others are kept for
  /// operators.
  package static let anonymousCount = 50
  /// The number of pages that may be open for one client.
  package static let countPerClient = 25

  private var counts: [Viewer: Int] = [:]

  package init() {}

  /// Takes a place. Returns false if there is none for this client.
  package mutating func take(for viewer: Viewer) -> Bool {
    let all = counts.values.reduce(0, +)
    let anonymous = counts.reduce(0) { $1.key.isOperator ? $0 : $0 + $1.value }
    let own = counts[viewer, default: 0]
    guard all < Self.count, viewer.isOperator || anonymous < Self.anonymousCount,
      !viewer.hasAddress || own < Self.countPerClient
    else { return false }
    counts[viewer] = own + 1
    return true
  }

  /// Gives a place back.
  package mutating func leave(_ viewer: Viewer) {
    let left = counts[viewer, default: 0] - 1
    counts[viewer] = left > 0 ? left : nil
  }
}
