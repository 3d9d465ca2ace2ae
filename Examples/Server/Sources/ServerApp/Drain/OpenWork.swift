import Synchronization
import TimerLogging

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

  /// Notes the beginning of work of a kind. Its name comes from outside, and is written as `LoggedText`.
  func begin(_ kind: String, _ name: String) -> ID {
    let description = "\(kind) \(LoggedText(name, upTo: 200))"
    return state.withLock { state in
      state.lastNumber += 1
      let id = ID(number: state.lastNumber)
      state.work[id] = description
      return id
    }
  }

  func end(_ id: ID) {
    state.withLock { $0.work[id] = nil }
  }
}
