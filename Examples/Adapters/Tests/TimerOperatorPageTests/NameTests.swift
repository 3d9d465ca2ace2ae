import Foundation
import HummingbirdTesting
import NIOCore
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Names that would do harm if they were markup.
@Suite(.timeLimit(.minutes(30))) struct NameTests {
  static let nasty = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>",
    "</template><img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "\" autofocus onfocus=\"alert(1)",
    "&lt;b&gt;",
    "<!--", "]]>", "\\u003cscript>", "line\nbreak\r\ndata: {}", "a\u{2028}b\u{2029}c", "nul\0nul",
    "\u{202E}gnp.exe",
  ]

  @Test(arguments: nasty)
  func `A name is shown as text`(name: String) async throws {
    let fixture = Fixture()
    fixture.scheduler.schedule(.every(.seconds(1)), name: name) { _ in }
    try await fixture.app.test(.router) { client in
      let text = try await client.page().text
      let plain = try await Fixture().app.test(.router) { try await $0.page().text }
      // As many tags, and attributes in them, as of a timer with a harmless name.
      let harmless = fixture.scheduler.schedule(.every(.seconds(1)), name: "harmless") { _ in }
      let both = try await client.page().text
      harmless.cancel()
      for character in ["<", ">", "\"", "'"] {
        #expect(
          count(character, text) - count(character, plain) == count(character, both) - count(character, text))
      }
      #expect(text.contains("<bdi>\(HTML("\(DisplayName.text(for: name))").text)</bdi>"))
    }
  }

  private func count(_ part: String, _ text: String) -> Int { text.components(separatedBy: part).count }

  @Test(arguments: nasty)
  func `A name doesn't break out of an event`(name: String) async throws {
    let fixture = Fixture()
    fixture.scheduler.schedule(.every(.seconds(1)), name: name) { _ in }
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    var changes = ReportChanges()
    let report = try #require(await reports.next())
    let event = String(buffer: changes.event(for: report, at: .zero))
    #expect(event.hasPrefix("data: {") && event.hasSuffix("}\n\n"))
    let line = event.dropFirst(6).dropLast(2)
    #expect(!line.contains { $0.isNewline })
    let rows = try JSONDecoder().decode(Event.self, from: Data(line.utf8)).rows
    #expect(rows.map(\.name).contains(DisplayName.text(for: name)))
    watch.end()
  }

  @Test func `A long name is cut`() {
    let name = String(repeating: "n", count: 1_000_000)
    #expect(DisplayName.text(for: name) == String(repeating: "n", count: 80) + "…")
    #expect(DisplayName.text(for: String(name.prefix(80))) == String(name.prefix(80)))
    // One character of many scalars.
    let tower = "e" + String(repeating: "\u{301}", count: 100_000)
    #expect(DisplayName.text(for: tower).unicodeScalars.count == 81)
  }

  @Test func `What isn't visible in a name is escaped`() {
    #expect(
      DisplayName.text(for: "a\u{2028}b\0c\u{202E}d\te") == #"a\u{2028}b\u{0}c\u{202E}d\u{9}e"#)
    #expect(DisplayName.text(for: "pay\u{200B}ment") == #"pay\u{200B}ment"#)
    #expect(DisplayName.text(for: " ") == #"\u{20}"#)
    #expect(DisplayName.text(for: " a b ") == #"\u{20}a b\u{20}"#)
    #expect(DisplayName.text(for: "\u{3164}\u{2800}\u{A0}") == #"\u{3164}\u{2800}\u{A0}"#)
    #expect(DisplayName.text(for: "Uhr 時計 🕰") == "Uhr 時計 🕰")
    #expect(DisplayName.text(for: "") == "(empty)")
  }

  @Test func `Text in markup is escaped, and markup isn't`() {
    let text = "<a href='x'>\"&\"</a>"
    let html: HTML = "<b title=\"\(text)\">\(HTML("<i>"))</b>"
    #expect(html.text == "<b title=\"&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;\"><i></b>")
  }
}
