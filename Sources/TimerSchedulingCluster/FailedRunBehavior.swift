/// The treatment of a date whose action has thrown an error.
public enum FailedRunBehavior: Sendable, Hashable {
  /// The run is recorded as failed.
  case leave
  /// The date is run again after a while, on any replica, until it was begun `attempts` times in all. The store keeps the
  /// moment, so a crash doesn't forget it. Later dates wait.
  ///
  /// Failed and abandoned runs of a date count together. Once one was abandoned, the date is run again only while
  /// the number of ``AbandonedRunBehavior`` has room for it, too: with `leave` it isn't.
  case retry(attempts: Int, backoff: RetryBackoff)

  var attempts: Int {
    switch self {
    case .leave: 1
    case .retry(let attempts, _): attempts
    }
  }

  func check() {
    precondition(attempts > 0, "A date has one attempt or more, but \(attempts) was given.")
  }

  /// Returns the time to the next attempt, or nil if there is none.
  func wait(after attempt: Int) -> Duration? {
    guard case .retry(let attempts, let backoff) = self, attempt < attempts else { return nil }
    return backoff.wait(after: attempt)
  }
}

/// The time from a failed attempt to the next.
public struct RetryBackoff: Sendable, Hashable {
  private let first: Duration
  private let factor: Int
  private let longest: Duration

  /// The same time before each attempt.
  public static func constant(_ wait: Duration) -> RetryBackoff {
    RetryBackoff(first: wait, factor: 1, longest: wait)
  }

  /// A time that doubles with each attempt, up to the longest.
  public static func exponential(from first: Duration, upTo longest: Duration) -> RetryBackoff {
    RetryBackoff(first: first, factor: 2, longest: longest)
  }

  func wait(after attempt: Int) -> Duration {
    var wait = first
    for _ in 1..<max(1, attempt) where wait < longest { wait *= factor }
    return max(.zero, min(wait, longest))
  }
}

/// The treatment of a job's runs that don't end as they should.
struct RunPolicy: Sendable {
  let ifAbandoned: AbandonedRunBehavior
  let ifFailed: FailedRunBehavior

  /// Returns the number of times that a range may be begun.
  func attempts(of claim: ClaimedRun) -> Int {
    if claim.isCancelled { return 0 }
    return claim.isLost ? ifAbandoned.attempts : max(ifAbandoned.attempts, ifFailed.attempts)
  }

  /// Returns the time after which a run whose action has failed is tried again, or nil if it isn't.
  func wait(after claim: ClaimedRun) -> Duration? {
    claim.attempt < attempts(of: claim) ? ifFailed.wait(after: claim.attempt) : nil
  }
}
