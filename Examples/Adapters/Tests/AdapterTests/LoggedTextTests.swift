import InMemoryLogging
import Logging
import Testing
import TimerLogging
import TimerScheduling
import TimerSchedulingTesting

/// Names and errors that would be lines of the log, or values, of their own.
@Suite struct LoggedTextTests {
  /// An error whose text is chosen by who sends a request.
  private struct Forged: Error, CustomStringConvertible {
    let description: String
  }

  private static let hostile = [
    "full\n2026-11-25T10:00:00Z info server: action=cancel operator=ada",
    "full\r\u{1B}[2K\u{1B}[1;32mall is well", "full\u{85}next", "full\u{9B}31m",
    "full\u{2028}next\u{2029}next",
    "full operator=ada", "full\" operator=\"ada", "full\\\" operator=ada", "full\u{202E}lluf", "", " ",
    "\u{0}\u{7}\u{8}\u{7F}",
  ]

  @Test(arguments: ["refresh", "jobs/3", "Failure()", "größe_2", "名前", "#17"])
  func `A plain word stays as it is`(text: String) {
    #expect(LoggedText(text).description == text)
  }

  @Test(arguments: [
    ("two words", #""two words""#), ("a\nb", #""a\u{A}b""#), ("\u{1B}[31m", #""\u{1B}[31m""#),
    (#"a"b"#, #""a\"b""#), (#"a\b"#, #""a\\b""#), (#"\u{A}"#, #""\\u{A}""#), ("a=b", #""a=b""#), ("", #""""#),
    ("\u{2028}", #""\u{2028}""#), ("\u{9B}", #""\u{9B}""#),
  ])
  func `Anything else stands in quotes, with escapes`(text: String, written: String) {
    #expect(LoggedText(text).description == written)
  }

  @Test func `A long text is cut, and the line says how long it was`() {
    let long = String(repeating: "x", count: 10_240)
    #expect(LoggedText(long).description == "\"\(long.prefix(1_000))…\" (cut, 10240 characters)")
    let exact = String(repeating: "x", count: 1_000)
    #expect(LoggedText(exact).description == exact)
    #expect(LoggedText("abc", upTo: 0).description == "\"…\" (cut, 3 characters)")
    #expect(LoggedText("abc", upTo: -1).description == "\"…\" (cut, 3 characters)")
    // Escapes grow a text, to a bound: at most ten characters for a scalar.
    let controls = String(repeating: "\u{1B}", count: 10_240)
    #expect(LoggedText(controls).description.utf8.count < 10_100)
  }

  @Test(arguments: hostile)
  func `Neither a name nor an error ends its value or its line`(text: String) async throws {
    let log = InMemoryLogHandler()
    var handler = log
    handler.logLevel = .trace
    let logger = Logger(label: "timers") { [handler] _ in handler }
    var configuration = TimerScheduler.Configuration()
    configuration.observer = LoggingTimerObserver(logger: logger)
    configuration.logActions(to: logger)
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    scheduler.schedule(.after(.seconds(1)), name: text) { _ in throw Forged(description: text) }
    await clock.advance(by: .seconds(1))

    #expect(log.entries.contains { $0.message == "Timer's action failed" })
    #expect(log.entries.contains { $0.message == "Action began" })
    let ownMessages: Set<String> = [
      "Timer scheduled", "Timer ticked", "Action began", "Action ended", "Timer's action failed",
      "Timer finished",
    ]
    for entry in log.entries {
      #expect(ownMessages.contains("\(entry.message)"))
      for value in ["timer", "error"].compactMap({ entry.metadata[$0] }) { try expectOneValue("\(value)") }
    }
    let error = try #require(log.entries.compactMap { $0.metadata["error"] }.first)
    #expect("\(error)" == LoggedText(text).description)
  }

  /// Reads a value as a reader of the log does: what stands in quotes ends at the first quote without a
  /// backslash.
  private func expectOneValue(_ value: String) throws {
    #expect(value.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
    #expect(!value.contains("\u{2028}") && !value.contains("\u{2029}"))
    try #require(value.first == "\"")
    var (isEscaped, index) = (false, value.index(after: value.startIndex))
    while index < value.endIndex, isEscaped || value[index] != "\"" {
      isEscaped = !isEscaped && value[index] == "\\"
      index = value.index(after: index)
    }
    #expect(index == value.index(before: value.endIndex))
  }
}
