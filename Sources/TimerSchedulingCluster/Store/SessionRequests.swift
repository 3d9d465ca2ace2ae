package import TimerSchedulingFoundation

/// What a replica says of itself and its jobs.
///
/// A session is one replica until it was cut off from the store. Then the replica takes a new one.
package struct SessionRegistration: StoreCall, Hashable, Codable {
  package typealias Answer = SessionAnswer
  package static let name = "register"

  package var session: UUID
  /// The name of the replica, shown to operators.
  package var replica: String
  /// The time until the session is over if it isn't renewed, in microseconds.
  package var lease: Int64
  /// The names of the replica's jobs, with the texts of their schedules.
  package var serves: [String: String]
  /// The names of those whose schedules are to be the store's.
  package var declares: [String]
  /// The handlers of the replica, for jobs that were put.
  package var handlers: [String]

  package init(
    session: UUID, replica: String, lease: Int64, serves: [String: String], declares: [String],
    handlers: [String] = []
  ) {
    (self.session, self.replica, self.lease) = (session, replica, lease)
    (self.serves, self.declares, self.handlers) = (serves, declares, handlers)
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
package struct SessionRenewal: StoreCall, Hashable {
  package typealias Answer = RenewalAnswer
  package static let name = "renew"

  package var session: UUID
  /// The time until the session is over if it isn't renewed again, in microseconds.
  package var lease: Int64
  /// Tokens of rows that the session gives up first, as if it were over.
  package var givesUp: [Int64]
}

/// A request to end a session. Others may take the rows that it holds.
package struct SessionClosing: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package init() {}
  }
  package static let name = "close"

  package var session: UUID
}

package struct RenewalAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  /// Whether the session is over. Then it holds nothing, for ever.
  package var isOver: Bool
  /// The tokens of the rows that the session holds.
  package var tokens: [Int64]
  /// The runs among them that an operator has cancelled.
  package var cancelled: [CancelledRun] = []

  package struct CancelledRun: Sendable, Hashable, Codable {
    package var token: Int64
    package var by: String
  }
}
