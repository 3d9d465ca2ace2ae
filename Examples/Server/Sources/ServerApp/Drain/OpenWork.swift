import Synchronization

/// The requests and the runs of actions that haven't ended.
package final class OpenWork: Sendable {
  package struct ID: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var work: [ID: String] = [:]
  }

  /// Guards the descriptions.
  private let state = Mutex(State())

  package init() {}

  /// A description of each, such as `GET /timers/events` or `action refresh`.
  package var descriptions: [String] { state.withLock { $0.work.values.sorted() } }

  func begin(_ description: String) -> ID {
    state.withLock { state in
      state.lastNumber += 1
      let id = ID(number: state.lastNumber)
      state.work[id] = String(description.prefix(200))
      return id
    }
  }

  func end(_ id: ID) {
    state.withLock { $0.work[id] = nil }
  }
}
