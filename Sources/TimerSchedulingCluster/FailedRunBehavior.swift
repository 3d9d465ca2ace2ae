public import TimerScheduling

/// The treatment of a date whose action has thrown an error.
public enum FailedRunBehavior: Sendable, Hashable {
  /// The run is recorded as failed.
  case leave
  /// The date is run again after the backoff's wait, on any replica, until it was begun `attempts` times in
  /// all. The store keeps the moment, so a crash doesn't forget it. Later dates wait.
  ///
  /// Failed and abandoned runs of a date count together. After an abandoned one, ``AbandonedRunBehavior``
  /// must allow the next attempt as well.
  case retry(attempts: Int, backoff: Backoff)

  var attempts: Int { if case .retry(let attempts, _) = self { attempts } else { 1 } }
}
