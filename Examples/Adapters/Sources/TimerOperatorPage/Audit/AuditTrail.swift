import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The last actions of operators, the number of failed logins, and for paused timers the action that paused
/// them.
///
/// It is kept in memory, so a restart of the server forgets it. A refusal of a visitor without a token is no
/// entry, since any number of these may come.
package final class AuditTrail: Sendable {
  /// An action of an operator.
  package struct Entry: Sendable {
    package let date: Date
    /// The operator's name. Nil if the page asks for no token.
    package let operatorName: String?
    package let client: String
    package let action: String
    /// The timer, or the query that chose several.
    package let timers: String
    /// The number of timers. Nil for a login.
    package internal(set) var count: Int?
    package internal(set) var outcome: String

    package init(
      date: Date, operatorName: String?, client: String, action: String, timers: String, count: Int?,
      outcome: String
    ) {
      (self.date, self.operatorName, self.client) = (date, operatorName, client)
      (self.action, self.timers, self.count, self.outcome) = (action, timers, count, outcome)
    }
  }

  /// Logins that failed.
  package struct FailedLogins: Sendable, Equatable {
    package internal(set) var count = 0
    package internal(set) var last: Date?
    package internal(set) var lastClient = ""
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var nextNumber = 0
    var failedLogins = FailedLogins()
    var pauses = PauseNotes()
  }

  package static let limit = 500
  private let state = Mutex(State())

  package init() {}

  /// Adds an entry. Returns its number.
  @discardableResult
  package func add(_ entry: Entry) -> Int {
    state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.entries[number] = entry
      state.entries[number - Self.limit] = nil
      return number
    }
  }

  /// Says what has come of an action that takes time.
  package func setOutcome(of number: Int, to outcome: String, count: Int? = nil) {
    state.withLock { state in
      state.entries[number]?.outcome = outcome
      if let count { state.entries[number]?.count = count }
    }
  }

  /// The entries, the newest first.
  package var entries: [Entry] {
    state.withLock { state in
      (max(state.nextNumber - Self.limit, 0)..<state.nextNumber).reversed().compactMap { state.entries[$0] }
    }
  }

  // MARK: Failed logins

  package var failedLogins: FailedLogins { state.withLock(\.failedLogins) }

  package func noteFailedLogin(from client: String, at date: Date = Date()) {
    state.withLock { state in
      state.failedLogins.count += 1
      (state.failedLogins.last, state.failedLogins.lastClient) = (date, client)
    }
  }

  // MARK: Pauses

  /// Notes that an operator has paused timers, some thousands at most at a time.
  package func notePause(of timers: [TimerKey], by operatorName: String?, at date: Date) {
    let note = PauseNote(timers, by: operatorName, at: date)
    state.withLock { $0.pauses.add(note) }
  }

  /// Notes that an operator has resumed timers, some thousands at most at a time.
  package func noteResume(of timers: [TimerKey]) {
    let note = PauseNote(timers, by: nil, at: nil)
    state.withLock { $0.pauses.add(note) }
  }

  /// The newest pause of a timer on the page. Nil if there was none, or if an operator has resumed the timer
  /// since.
  package func pause(of timer: TimerKey) -> (operatorName: String?, date: Date)? {
    state.withLock { $0.pauses.newest(of: timer) }.flatMap { note in note.date.map { (note.operatorName, $0) }
    }
  }
}
