/// Somebody who waits for what others do.
struct Expectation: Sendable {
  enum Subject {
    /// That nobody has anything left to do.
    case settlement
    case consumers(Int)
    case sleepers(Int)
  }

  let subject: Subject
  let continuation: CheckedContinuation<Void, Never>
  /// The task, unless it counts as waiting anyway.
  var task: TaskIdentity?
  /// How often the watch may find it waiting before that is too long. Nil if it never is.
  var patience: Int?

  /// Looks in a settling timeout. The first may come at any time.
  static let patience = 10 + 1

  /// How many notes there were at the last look, and how many looks more there may be at all.
  var noted: UInt64 = 0
  var looksLeft = 10 * Self.patience

  /// Returns true when it has just taken too long.
  ///
  /// As long as something is noted between one look and the next, somebody gets on, which is waited for, within limits.
  mutating func losePatience(noted: UInt64) -> Bool {
    guard var left = patience else { return false }
    looksLeft -= 1
    if self.noted != noted { left = min(Self.patience, looksLeft) }
    self.noted = noted
    patience = left > 1 ? left - 1 : nil
    return left == 1
  }
}
