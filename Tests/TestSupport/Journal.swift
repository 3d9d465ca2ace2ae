package import TimerScheduling

/// The events of a test, in the order in which its actions, loops and objects have noted them.
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

  /// All entries so far.
  package var entries: [Entry] { noted.withLock { $0 } }

  /// Waits for the next entry. Returns nil after the last one of a journal that is closed.
  @discardableResult
  package func next() async -> Entry? {
    await stream.first { _ in true }
  }

  /// Waits for a number of entries. Returns early if the journal is closed.
  package func next(_ count: Int) async {
    for _ in 0..<count { await next() }
  }

  /// Closes the journal. ``next()`` then returns nil after the last entry.
  package func close() { report.finish() }
}

extension Journal<Void> {
  package func note() { note(()) }
}

extension Journal: TimerObserver where Entry == TimerEvent {
  package func observe(_ event: TimerEvent) { note(event) }
}
