/// A task that waits for what others do.
struct Expectation: Sendable {
  enum Subject {
    /// That nobody has anything left to do.
    case settlement
    case consumers(Int)
    case sleepers(Int)
    /// Nothing any more, as it took too long.
    case nothing
  }

  private(set) var subject: Subject
  let continuation: CheckedContinuation<Void, Never>
  /// The task, unless it counts as waiting anyway.
  var task: TaskIdentity?
  /// How many looks more the watch may take before it says that this takes long. Nil if it has said so.
  private var patience: Int? = Self.patience
  /// How many looks more there may be before it is given up. Nil if it never is.
  private var looksUntilEnd: Int?

  /// Looks in a settling timeout. The first may come at any time.
  private static let patience = 10 + 1

  /// How many notes there were at the last look, and how many looks more there may be while something is noted.
  private var noted: UInt64 = 0
  private var looksLeft = 10 * Self.patience

  init(
    _ subject: Subject, continuation: CheckedContinuation<Void, Never>, task: TaskIdentity? = nil,
    looksUntilEnd: Int? = nil
  ) {
    self.subject = subject
    self.continuation = continuation
    self.task = task
    self.looksUntilEnd = looksUntilEnd.map { max(1, $0) }
  }

  /// Whether there is anything to say of it at a later look.
  var isWatched: Bool { patience != nil || looksUntilEnd != nil }

  /// What there is to say at a look.
  enum Finding { case nothing, takesLong, isGivenUp }

  /// As long as something is noted between one look and the next, others get on, which is waited for, within limits.
  mutating func look(noted: UInt64) -> Finding {
    if let left = looksUntilEnd {
      looksUntilEnd = left > 1 ? left - 1 : nil
      if left == 1 {
        subject = .nothing
        return .isGivenUp
      }
    }
    guard var left = patience else { return .nothing }
    looksLeft -= 1
    if self.noted != noted { left = min(Self.patience, looksLeft) }
    self.noted = noted
    patience = left > 1 ? left - 1 : nil
    return left > 1 ? .nothing : .takesLong
  }
}
