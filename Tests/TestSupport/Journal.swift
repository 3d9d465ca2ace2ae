import TimerScheduling

/// The entries that a test's actions and objects have written, in order.
package final class Journal<Entry: Sendable>: Sendable {
  /// Guards the entries.
  private let noted = Lock<[Entry]>([])
  private let stream: AsyncStream<Entry>
  private let report: AsyncStream<Entry>.Continuation

  package init() {
    (stream, report) = AsyncStream.makeStream(of: Entry.self)
  }

  package func note(_ entry: Entry) {
    noted.withLock { $0.append(entry) }
    report.yield(entry)
  }

  /// All that was noted so far.
  package var entries: [Entry] { noted.withLock { $0 } }

  /// Waits for the next entry. Returns nil if the test is over its time.
  package func next() async -> Entry? {
    await stream.first { _ in true }
  }
}
