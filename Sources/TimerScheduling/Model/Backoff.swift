public import TimerSchedulingFoundation

/// The wait between a failed attempt and the next. ``withRetries(_:backoff:on:if:_:)`` has an example.
public struct Backoff: Sendable, Hashable {
  private let first: Duration
  private let longest: Duration
  private let isConstant: Bool

  /// The same wait before each attempt. A wait below zero counts as zero.
  public static func constant(_ wait: Duration) -> Backoff {
    Backoff(first: wait, longest: wait, isConstant: true)
  }

  /// The same wait before each attempt, a finite number of seconds.
  @_disfavoredOverload
  public static func constant(_ seconds: TimeInterval) -> Backoff {
    constant(.orStop(seconds: seconds, as: "A wait"))
  }

  /// A random wait between zero and a limit that doubles with each attempt, from the first to the longest.
  ///
  /// As each wait is drawn from the whole range, clients that have failed together don't come back together:
  /// "full jitter" in Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. A first or
  /// longest wait below zero counts as zero.
  public static func exponential(from first: Duration, upTo longest: Duration) -> Backoff {
    Backoff(first: first, longest: longest, isConstant: false)
  }

  /// A random wait between zero and a limit that doubles with each attempt, from the first to the longest,
  /// which are finite numbers of seconds.
  @_disfavoredOverload
  public static func exponential(from first: TimeInterval, upTo longest: TimeInterval) -> Backoff {
    exponential(from: .orStop(seconds: first, as: "A wait"), upTo: .orStop(seconds: longest, as: "A wait"))
  }

  /// Returns the wait after an attempt, the first of which has the number 1. It follows from a random number.
  func wait(after attempt: Int, random: UInt64) -> Duration {
    if isConstant { return max(first, .zero) }
    let (first, longest) = (Interval(max(first, .zero)), Interval(max(longest, .zero)))
    let limit = first.nanoseconds.multipliedSaturated(by: 1 << min(attempt - 1, 62))
    let most = min(limit, longest.nanoseconds)
    return .nanoseconds(Int64(random.mixed.scaled(below: UInt64(most))))
  }
}
