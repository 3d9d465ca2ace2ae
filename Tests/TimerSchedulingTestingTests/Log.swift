import TimerScheduling

/// What code under test has said, in order.
final class Log<Entry: Sendable>: Sendable {
  /// Guards the entries.
  private let state = Lock<[Entry]>([])

  var entries: [Entry] { state.withLock { $0 } }

  func note(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
