import Synchronization

/// The requests whose response hasn't ended, of all connections.
package final class OpenRequests: Sendable {
  package struct ID: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var requests: [ID: String] = [:]
  }

  /// Guards the requests.
  private let state = Mutex(State())

  package init() {}

  /// What is asked for by each, such as `GET /timers/events`.
  package var descriptions: [String] { state.withLock { $0.requests.values.sorted() } }

  func begin(_ description: String) -> ID {
    state.withLock { state in
      state.lastNumber += 1
      let id = ID(number: state.lastNumber)
      state.requests[id] = String(description.prefix(200))
      return id
    }
  }

  func end(_ id: ID) {
    state.withLock { $0.requests[id] = nil }
  }
}
