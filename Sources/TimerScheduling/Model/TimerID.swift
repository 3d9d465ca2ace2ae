/// Identifies a timer. No other timer of any scheduler in the process ever has the same identifier.
public struct TimerID: Sendable, Hashable {
  package let number: UInt64
  /// The timer's place in its driver, as far as known. It plays no part in comparing identifiers.
  package var place: UInt32?

  /// Returns whether two identifiers belong to the same timer.
  public static func == (left: TimerID, right: TimerID) -> Bool { left.number == right.number }

  /// Hashes the identity of the timer.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension TimerID: LosslessStringConvertible {
  /// Creates the identifier with this description, such as one sent back by a page that showed it.
  public init?(_ description: String) {
    guard let number = UInt64(description) else { return nil }
    self.number = number
  }

  /// A decimal number.
  public var description: String { String(number) }
}
