#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a replica says of itself and its jobs.
///
/// A session is one replica until it was cut off from the store. Then the replica takes a new one.
public struct SessionRegistration: Sendable, Hashable, Codable {
  /// The identifier of the session.
  public var session: UUID
  /// The name of the replica, shown to operators.
  public var replica: String
  /// The time until the session is over if it isn't renewed, in microseconds.
  public var lease: Int64
  /// The names of the replica's jobs, with the texts of their schedules.
  public var serves: [String: String]
  /// The names of those whose schedules are to be the store's.
  public var declares: [String]

  /// Creates a registration.
  public init(session: UUID, replica: String, lease: Int64, serves: [String: String], declares: [String]) {
    (self.session, self.replica, self.lease) = (session, replica, lease)
    (self.serves, self.declares) = (serves, declares)
  }
}

/// The answer to a registration.
public struct SessionAnswer: Sendable, Hashable, Codable {
  /// The store's time.
  public var now: StoreTime
  /// Whether the session is over. Then nothing was registered.
  public var isOver: Bool

  /// Creates an answer.
  public init(now: StoreTime, isOver: Bool) { (self.now, self.isOver) = (now, isOver) }
}

/// The answer to a renewal.
public struct RenewalAnswer: Sendable, Hashable, Codable {
  /// The store's time.
  public var now: StoreTime
  /// Whether the session is over. Then it holds nothing, for ever.
  public var isOver: Bool
  /// The tokens of the rows that the session holds.
  public var tokens: [Int64]

  /// Creates an answer.
  public init(now: StoreTime, isOver: Bool, tokens: [Int64]) {
    (self.now, self.isOver, self.tokens) = (now, isOver, tokens)
  }
}
