import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Texts from outside: those that nearly are schedules, and those that overflow.
@Suite(.guarantee("G14", "G16")) struct HostileTextTests {
  private static let dates = [
    // Days and times that don't exist.
    "2026-02-30T09:00:00Z", "2026-02-29T09:00:00Z", "2100-02-29T09:00:00Z", "2026-04-31T09:00:00Z",
    "2026-13-01T09:00:00Z", "2026-00-10T09:00:00Z", "2026-01-00T09:00:00Z", "2026-01-32T09:00:00Z",
    "2026-11-22T24:00:00Z", "2026-11-22T25:00:00Z", "2026-11-22T09:60:00Z", "2026-11-22T09:00:60Z",
    "0000-01-01T00:00:00Z",
    // Parts or digits missing or too many.
    "2026-11-22", "2026-11-22T09:00:00", "2026-11-22T09:00:00.5", "2026-11-22T09:00Z", "2026-11-22T09Z",
    "2026-11-22T09:00:00.Z",
    "26-11-22T09:00:00Z", "02026-11-22T09:00:00Z", "2026-1-22T09:00:00Z", "2026-11-2T09:00:00Z",
    "2026-11-22T9:00:00Z", "2026-11-22T09:0:00Z", "2026-11-22T09:00:0Z", "2026-11T09:00:00Z",
    "-2026-11-22T09:00:00Z", "+2026-11-22T09:00:00Z", "2026-+1-22T09:00:00Z", "2026-11-22T-9:00:00Z",
    // Other forms of ISO 8601, and other formats.
    "20261122T090000Z", "2026-W47-7T09:00:00Z", "2026-326T09:00:00Z", "2026-11-22 09:00:00Z",
    "2026-11-22t09:00:00Z", "2026-11-22T09:00:00z", "2026/11/22T09:00:00Z", "2026-11-22T09-00-00Z",
    "2026-11-22T09:00:00,5Z", "2026-11-22T09:00:00..5Z", "2026-11-22T09:00:00.5.5Z", "2026-11-22T09:00.5Z",
    "2026-11-22T09:00:00+0100", "2026-11-22T09:00:00+01", "2026-11-22T09:00:00+1:00",
    "2026-11-22T09:00:00+24:00", "2026-11-22T09:00:00+01:60", "2026-11-22T09:00:00-00:00",
    "2026-11-22T09:00:00+01:00Z", "2026-11-22T09:00:00Z+01:00", "2026-11-22T09:00:00ZZ",
    "2026-11-22T09:00:00GMT", "2026-11-22T09:00:00 Z", "2026-11-22T09:00:00Z now", "2026-11-22T09:00:00Z\0",
    "Sun, 22 Nov 2026 09:00:00 GMT", "1795338000", "1e9", "now", "noon", "inf", "nan", "distantfuture", "",
    // Other characters.
    "٢٠٢٦-١١-٢٢T٠٩:٠٠:٠٠Z", "２０２６-11-22T09:00:00Z", "2026-11-22T०९:00:00Z", "2\u{301}026-11-22T09:00:00Z",
    "2026-11-22T09:00:00\u{301}Z", "2026-11-22T09:00:00Z\u{301}", "2026-11-22T09:00:00.5\u{301}Z",
    "2026-11-22T09:00:00.٥Z", "2026\u{2212}11\u{2212}22T09:00:00Z", "2026-11-22T09:00:00\u{2212}01:00",
    "2026-11-22Ｔ09:00:00Z", "2026-11-22T09：00：00Z", "\u{A0}2026-11-22T09:00:00Z",
    "2026-11-22T09:00:00Z\u{A0}", "2026-11-22T09:00:00Z\u{200B}", "2026-11-22T09:00:00Z\n",
    "\t2026-11-22T09:00:00Z", "\u{FEFF}2026-11-22T09:00:00Z",
    // Dates that the clock doesn't reach.
    "9999-12-31T23:59:59Z", "2262-04-11T23:47:17Z", "1677-09-21T00:12:43Z", "0001-01-01T00:00:00Z",
  ]

  private static let durations = [
    "", "5", "s", "+5s", "-5s", "--5s", ".5s", "5.s", "5..5s", "1.5.5s", "1e3s", "1e400s", "1E3s", "0x10s",
    "0b1s", "1_000s", "1,000s", "1 000s", "1'000s", "inf s", "infinity", "nan s", "NaN", "½s", "²s", "Ⅴs",
    "五s", "5S", "5M", "5H", "5sec", "5seconds", "5 mins", "5y", "5w", "5ks", "5s.", "5s5", "5s;", "5s\0",
    "5\0s", "5s # often", "5s s", "٥s", "５s", "५s", "5\u{301}s", "5s\u{301}", "5\u{200D}s", "5ｓ", "5с",
    "5\u{A0}s", "5\u{3000}s", "5\ts", "5\ns", "5s\n", "5s\t", "5s\u{2028}", "5s\u{200B}", "\t5s",
    "\u{A0}5s", "\u{FEFF}5s", "\u{2212}5s", "5/2s", "5*2s", "(5s)", "\"5s\"", "PT5S", "00:05", "5:00",
  ]

  private static let schedules = [
    "Every 5m", "EVERY 5m", "every5m", "ｅvery 5m", "evеry 5m", "every\u{301} 5m", "every\t5m",
    "every\u{A0}5m", "\u{A0}every 5m", "\nevery 5m", "\u{FEFF}every 5m", "\0every 5m", ", every 5m",
    "every, 5m", "every 5m,", "every 5m, ", "every 5m,,limit 3", "every 5m; limit 3", "every 5m limit 3",
    "every 5m every 5m", "every every 5m", "every 5m，limit 3", "every 5m, limit 3, limit 3",
    "every 5m, paused, paused", "every 5m, paused yes", "every 5m, Paused", "every 5m, limit3",
    "every 5m, limit -1", "every 5m, limit +1", "every 5m, limit 1.0", "every 5m, limit 1e3",
    "every 5m, limit 1_000", "every 5m, limit ٣", "every 5m, limit 3\u{301}", "every 5m, limit ３",
    "every 5m, limit 0x3", "every 5m, limit 9223372036854775808", "every 5m, limit inf",
    "every 5m, tolerance", "every 5m, tolerance -1s", "every 5m, tolerance1s", "every 5m, jitter -1s",
    "every 5m, jitter5s", "every 5m, missed skip", "every 5m, missed ticksskip",
    "every 5m, missed ticks Skip", "every 5m, missed ticks", "every 5m, missedticks skip",
    "every 5m, starting", "every 5m, starting after5s", "every 5m, starting after -5s",
    "every 5m, starting afterInterval", "every 5m, starting at noon", "every 5m, starting aligned 10m",
    "every 5m, starting aligned soon 10m", "every 5m, starting aligned offset",
    "every 5m, starting aligned offset 10",
    "every 5m, starting aligned offset +10m", "every 5m, starting aligned offset - 10m",
    "every 5m, starting aligned offset --10m", "every 5m, starting aligned offset10m",
    "every 5m, starting aligned Offset 10m", "every 5m, starting aligned offset 10m offset 10m",
    "every 5m, starting aligned, offset 10m", "every 5m, starting offset 10m", "every 5m, starting spread",
    "every 5m, starting aligned\u{301} offset 10m", "after 5m, starting aligned offset 10m",
    "every 5m, starting at 2300-01-01T00:00:00Z", "every 5m, until 9999-12-31T23:59:59Z",
    "every 5m, until 1600-01-01T00:00:00Z", "after 5s, starting immediately", "after5s",
    "at2026-11-22T09:00:00Z", "countdown 10 s", "countdown from 10 s", "countdown from 10 s to 0 s",
    "countdown from 10 s to 0 s every", "countdown from 10 s to 0 s every -1 s",
    "countdown from - 1 s to 0 s every 1 s", "countdown from +1 s to 0 s every 1 s",
    "countdown from 10.0 seconds to 0.0 seconds every 1 s", "rule Daily()", "null", "{}", "5m", "", " ",
  ]

  @Test(arguments: dates.map { "at \($0)" } + durations.map { "after \($0)" } + schedules)
  func `A text that is nearly a schedule is refused, in JSON too`(text: String) throws {
    let error = #expect(throws: TimerScheduleError.self) { try TimerSchedule(parsing: text) }
    guard case .unreadable(text, let offset, let expected) = error else {
      Issue.record("\(text) is \(String(describing: error))")
      return
    }
    #expect(0...text.count ~= offset && !expected.isEmpty)
    let data = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([TimerSchedule].self, from: data) }
  }

  @Test(
    arguments: [
      ("at 2026-11-22T09:00:00.125000000999Z", 1_795_338_000.125),
      ("at 2026-11-22T09:00:00.5+01:30", 1_795_332_600.5), ("at 2026-11-22T09:00:00-12:00", 1_795_381_200),
      ("at 2026-11-22T09:00:00+00:00", 1_795_338_000), ("at 2028-02-29T00:00:00Z", 1_835_395_200),
      ("at 2000-02-29T23:59:59Z", 951_868_799), ("at 1677-09-21T00:12:44Z", -9_223_372_036),
      ("at 2262-04-11T23:47:16Z", 9_223_372_036), ("at 1700-01-01T00:00:00Z", -8_520_336_000),
    ])
  func `A date is read to the nanosecond`(text: String, seconds: TimeInterval) throws {
    #expect(try TimerSchedule(parsing: text) == .at(Date(timeIntervalSince1970: seconds)))
  }

  @Test(arguments: SeededGenerator.seeds(1)) func `Dates are those of the calendar`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<rounds(2_000) {
      let date = Date(
        timeIntervalSince1970: Double(Int.random(in: -9_223_372_036...9_223_372_036, using: &generator)))
      let text = "at \(date.formatted(.iso8601))"
      #expect(TimerSchedule.at(date).description == text)
      #expect(try TimerSchedule(parsing: text) == .at(date))
    }
  }

  @Test func `An error says what was given and what is allowed`() {
    func message(_ text: String) -> String {
      do {
        return try TimerSchedule(parsing: text).description
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message("at 2026-02-30T09:00:00Z, limit 3") == """
        "at 2026-02-30T09:00:00Z, limit 3" isn't a schedule: there is "2026-02-30T09:00:00Z" at character 4, where a \
        date such as 2026-11-22T09:00:00Z or 2026-11-22T10:00:00+01:00 is expected.
        """)
    #expect(
      message("at 9999-12-31T23:59:59Z") == """
        "at 9999-12-31T23:59:59Z" isn't a schedule: there is "9999-12-31T23:59:59Z" at character 4, where a \
        date from 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z is expected.
        """)
    let expected = "where a unit of time (d, h, m, s, ms, us or ns) is expected."
    #expect(message("every 5x").hasSuffix("isn't a schedule: there is \"x\" at character 8, \(expected)"))
    #expect(message("every 5") == "\"every 5\" isn't a schedule: it ends, \(expected)")
    #expect(throws: TimerScheduleError.notPositive(0)) { try TimerSchedule(parsing: "every 0 s") }
    #expect(message("after 5\u{301}s").contains("there is \"5\u{301}s\" at character 7"))
  }

  // MARK: Limits

  /// The limits of the integer types and their neighbors, powers of ten, and many digits.
  private static let numbers: [String] = {
    var numbers = ["340282366920938463463374607431768211456", "-170141183460469231731687303715884105729"]
    for bits in [8, 16, 32, 64, 128] {
      let most = UInt128.max >> UInt128(128 - bits)
      for limit in [most, most / 2] {
        numbers += ["\(limit - 1)", "\(limit)", limit < .max ? "\(limit + 1)" : "0", "-\(limit / 2 + 1)"]
      }
    }
    for zeros in [0, 1, 9, 17, 18, 19, 20, 21, 37, 38, 39, 40, 60, 400, 1_000] {
      numbers += ["1" + String(repeating: "0", count: zeros), String(repeating: "9", count: zeros + 1)]
    }
    return numbers + ["1e400", "1e-400", "9e99999999999999999999", String(repeating: "0", count: 60) + "7"]
  }()

  private static let units = ["d", "h", "m", "min", "s", "ms", "us", "µs", "ns", ""]

  @Test(arguments: numbers) func `No number traps, in text or JSON`(number: String) throws {
    let values = [number, "0.\(number)", "\(number).\(number)"]
    var texts = values.flatMap { value in Self.units.map { "\(value)\($0)" } }.flatMap { duration in
      [
        "every \(duration)", "after \(duration) \(duration)", "every 1s, starting after \(duration)",
        "every 1s, tolerance \(duration), jitter \(duration)",
        "every 7s, starting aligned offset \(duration)", "every 7s, starting aligned offset -\(duration)",
        "every \(duration), starting aligned offset \(duration) \(duration)",
        "countdown from \(duration) to -\(duration) every \(duration)",
      ]
    }
    texts += values.map { "every 1s, limit \($0)" }
    for place in [
      "\(number)-11-22T09:00:00Z", "2026-\(number)-22T09:00:00Z", "2026-11-\(number)T09:00:00Z",
      "2026-11-22T\(number):00:00Z", "2026-11-22T09:\(number):00Z", "2026-11-22T09:00:\(number)Z",
      "2026-11-22T09:00:00.\(number)Z", "2026-11-22T09:00:00+\(number):00",
      "2026-11-22T09:00:00+01:\(number)",
    ] {
      texts += ["at \(place)", "every 1s, starting at \(place)", "every 1s, until \(place)"]
    }
    for text in texts {
      let schedule = try? TimerSchedule(parsing: text)
      if let schedule { #expect(try TimerSchedule(parsing: schedule.description) == schedule, "\(text)") }
      let decoded = try? JSONDecoder().decode([TimerSchedule].self, from: JSONEncoder().encode([text]))
      #expect(decoded?.first == schedule, "\(text)")
      _ = schedule.map { Array($0.dates(after: Date(timeIntervalSince1970: 1e9)).prefix(2)) }
    }
  }

  @Test func `A sum of many numbers saturates`() throws {
    let days = String(repeating: "99999999999999999999d ", count: 20_000)
    #expect(try TimerSchedule(parsing: "after \(days)") == .after(.seconds(Int64.max)))
    let most = "170141183460469231731.687303715884105727 s"
    let end = "-\(most) 0.000000001 ns"
    let text = "countdown from \(most) to \(end) every 1 h"
    guard case .countdown(let scale) = try TimerSchedule(parsing: text).cadence else {
      Issue.record("\(text) is no countdown.")
      return
    }
    #expect(scale.start == Duration(attoseconds: .max) && scale.end == Duration(attoseconds: .min))
  }

  @Test(arguments: [
    "5", "-1e400", "null", "{}", "[]", "true", "\"every 5m", "\"\\ud800\"", "\"every 5\\u0301m\"",
  ])
  func `JSON that isn't a text of a schedule is an error`(json: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode([TimerSchedule].self, from: Data("[\(json)]".utf8))
    }
  }
}
