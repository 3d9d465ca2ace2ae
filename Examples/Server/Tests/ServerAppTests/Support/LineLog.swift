import InMemoryLogging
import Logging

/// Keeps lines, and tells a test of each when it is there.
struct LineLog: LogHandler {
  /// The messages, for one reader.
  let lines: AsyncStream<String>
  private let line: AsyncStream<String>.Continuation
  private var handler = InMemoryLogHandler()

  init() {
    (lines, line) = AsyncStream.makeStream()
  }

  var entries: [InMemoryLogHandler.Entry] { handler.entries }

  func log(event: LogEvent) {
    handler.log(event: event)
    line.yield("\(event.message)")
  }

  /// Tells the reader that no line follows.
  func end() { line.finish() }

  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }

  var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }
}
