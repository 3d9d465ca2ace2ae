/// A task that waits for consumers, for sleepers, for the end of a scheduler's runs or until all tasks have settled.
struct Expectation: Sendable {
  enum Subject {
    /// No task has anything left to do.
    case settlement
    case consumers(Int)
    case sleepers(Int)
    /// No run of the scheduler with this number is under way. The scheduler itself finds that out.
    case shutdown(of: UInt64)
    /// Nothing any more, because it took too long.
    case nothing
  }

  private(set) var subject: Subject
  /// Resumes the waiting task.
  let resume: @Sendable () -> Void
  /// The waiting task, or nil if it counts as waiting anyway.
  var task: TaskIdentity?
  /// The number of further looks before the expectation is reported as slow. Nil once it has been reported.
  private var looksUntilReport: Int? = Self.looksPerTimeout
  /// The number of further looks before the expectation is given up. Nil if it never is.
  private var looksUntilEnd: Int?

  /// The number of looks in a settling timeout, plus one, as the first may come at any time.
  private static let looksPerTimeout = 10 + 1

  /// The number of noted events at the last look.
  private var noted: UInt64 = 0
  /// The number of further looks during which notes still prolong the wait.
  private var looksLeft = 10 * Self.looksPerTimeout

  init(
    _ subject: Subject, task: TaskIdentity? = nil, looksUntilEnd: Int? = nil,
    resume: @escaping @Sendable () -> Void
  ) {
    self.subject = subject
    self.resume = resume
    self.task = task
    self.looksUntilEnd = looksUntilEnd.map { max(1, $0) }
  }

  /// Whether a later look may report anything.
  var isWatched: Bool { looksUntilReport != nil || looksUntilEnd != nil }

  /// The result of a look.
  enum Finding { case nothing, takesLong, isGivenUp }

  /// Counts a look. If anything was noted since the last one, other tasks make progress, and the count starts again,
  /// within a limit.
  mutating func look(noted: UInt64) -> Finding {
    if let left = looksUntilEnd {
      looksUntilEnd = left > 1 ? left - 1 : nil
      if left == 1 {
        subject = .nothing
        return .isGivenUp
      }
    }
    guard var left = looksUntilReport else { return .nothing }
    looksLeft -= 1
    if self.noted != noted { left = min(Self.looksPerTimeout, looksLeft) }
    self.noted = noted
    looksUntilReport = left > 1 ? left - 1 : nil
    return left > 1 ? .nothing : .takesLong
  }
}
