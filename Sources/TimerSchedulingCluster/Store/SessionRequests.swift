package import TimerSchedulingFoundation

/// A request to register a replica's session, with its jobs and handlers. A replica that was cut off has a
/// new session.
package struct SessionRegistration: RowCall, Hashable, Codable {
  package static let name = "register"

  package var session: UUID
  package var replica: String
  /// The time until the session is over if it isn't renewed, in microseconds.
  package var lease: Int64
  /// The names of the replica's jobs, with the texts of their schedules.
  package var serves: [String: String]
  /// The names of those whose schedules are to be the store's.
  package var declares: [String]
  /// The names of those that the replica has had all along, while another version had declared its own
  /// schedule and is gone. They owe the dates since then.
  package var resumes: [String]
  package var handlers: [String]

  package init(
    session: UUID, replica: String, lease: Int64, serves: [String: String], declares: [String],
    resumes: [String] = [], handlers: [String] = []
  ) {
    (self.session, self.replica, self.lease) = (session, replica, lease)
    (self.serves, self.declares, self.resumes, self.handlers) = (serves, declares, resumes, handlers)
  }
}

package struct SessionAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  /// Whether the session is over. Then nothing was registered.
  package var isOver: Bool
  /// The declared jobs whose rows another transaction has locked. They keep their schedules.
  package var locked: [String] = []
}

/// A request to renew the lease of a session, unless it is over.
package struct SessionRenewal: RowCall, Hashable {
  package static let name = "renew"

  package var session: UUID
  package var lease: Int64
  /// Tokens of rows that the session gives up first, as if it were over.
  package var givesUp: [Int64]

  package init(session: UUID, lease: Int64, givesUp: [Int64]) {
    (self.session, self.lease, self.givesUp) = (session, lease, givesUp)
  }
}

/// A request to end a session. Others may take the rows that it holds.
package struct SessionClosing: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package init() {}
  }
  package static let name = "close"

  package var session: UUID

  package init(session: UUID) { self.session = session }
}

package struct RenewalAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  package var isOver: Bool
  /// The tokens of the rows that the session holds, and the runs among them that an operator has cancelled.
  package var tokens: [Int64]
  package var cancelled: [CancelledRun] = []

  package struct CancelledRun: Sendable, Hashable, Codable {
    package var token: Int64
    package var by: String
  }
}
