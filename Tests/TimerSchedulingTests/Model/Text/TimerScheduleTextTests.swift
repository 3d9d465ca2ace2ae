import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Schedules as texts, and whether two are equal.
@Suite(.guarantee("G14", "G15")) struct TimerScheduleTextTests {
  private static let date = Date(timeIntervalSince1970: 1_795_338_000)

  private static let texts: [(TimerSchedule, String)] = [
    (.every(.seconds(300)).tolerance(.seconds(1)).limit(3), "every 5 m, tolerance 1 s, limit 3"),
    (.every(.seconds(90)), "every 90 s"),
    (.every(0.5), "every 500 ms"),
    (.every(.seconds(86_400), starting: .aligned), "every 24 h, starting aligned"),
    (aligned(.seconds(600)), "every 1 h, starting aligned offset 10 m"),
    (
      .every(0.5, starting: .aligned(offset: .microseconds(1_500))),
      "every 500 ms, starting aligned offset 1500 us"
    ),
    (.every(.seconds(1), starting: .immediately), "every 1 s, starting immediately"),
    (.every(.seconds(1), starting: .after(.zero)), "every 1 s, starting after 0 s"),
    (.every(.seconds(1), starting: .at(date)), "every 1 s, starting at 2026-11-22T09:00:00Z"),
    (.after(.nanoseconds(1_500)), "after 1500 ns"),
    (.after(.microseconds(1_500)).missedTicks(.burst), "after 1500 us, missed ticks burst"),
    (.every(.seconds(5)).limit(3).paused(), "every 5 s, limit 3, paused"),
    (.every(1).missedTicks(.delay).jitter(upTo: .seconds(60)), "every 1 s, missed ticks delay, jitter 1 m"),
    (.at(date), "at 2026-11-22T09:00:00Z"),
    (.at(date + 0.25), "at 2026-11-22T09:00:00.25Z"),
    (.every(1).until(date), "every 1 s, until 2026-11-22T09:00:00Z"),
    (.at(Date(timeIntervalSince1970: -0.5)), "at 1969-12-31T23:59:59.5Z"),
    (.at(.distantFuture), "at distantFuture"),
    (.at(.distantPast), "at distantPast"),
    (.every(.seconds(Int64.max)), "every 9223372036854775807 ns"),
    (.every(1).limit(0), "every 1 s, limit 0"),
    (.at(Date(timeIntervalSince1970: -9e9)), "at 1684-10-19T08:00:00Z"),
    (
      .every(60, starting: .at(Date(timeIntervalSince1970: -11_676_096_000))),
      "every 1 m, starting at 1600-01-01T00:00:00Z"
    ),
    (.every(1, starting: .at(.distantPast)), "every 1 s, starting at distantPast"),
    (countdown(from: .seconds(10), to: .zero), "countdown from 10 s to 0 s every 1 s"),
    (
      countdown(from: .seconds(-90), to: Duration(attoseconds: 1)),
      "countdown from -90 s to 0.000000001 ns every 1 s"
    ),
  ]

  /// A schedule of every hour.
  private static func aligned(_ offset: Duration) -> TimerSchedule {
    .every(.seconds(3_600), starting: .aligned(offset: offset))
  }

  private static func countdown(from start: Duration, to end: Duration) -> TimerSchedule {
    TimerSchedule(cadence: .countdown(CountdownScale(from: start, to: end, every: .seconds(1))))
  }

  @Test(arguments: texts)
  func `A schedule says what it is, and is read back`(schedule: TimerSchedule, text: String) throws {
    #expect(schedule.description == text)
    #expect(try TimerSchedule(parsing: text) == schedule)
  }

  @Test(arguments: [
    ("every 5m", TimerSchedule.every(.seconds(300))),
    ("  every  5 min ,tolerance 1s,limit 3  ", .every(.seconds(300)).tolerance(.seconds(1)).limit(3)),
    ("every 1h30m", .every(.seconds(5_400))),
    ("every 1 h 30 m 0.5 s", .every(.milliseconds(5_400_500))),
    ("after 30s", .after(.seconds(30))),
    ("after 0.000000000000000000001 s", .after(.nanoseconds(1))),
    ("after 1.5us", .after(.nanoseconds(1_500))),
    ("after 2 µs", .after(.microseconds(2))),
    ("every 2d", .every(.seconds(172_800))),
    ("every 99999999999999999999999999999999999999999 d", .every(.seconds(Int64.max))),
    ("every 00000000000000000000000000000000000000005 s", .every(.seconds(5))),
    ("at 2026-11-22T10:00:00+01:00", .at(date)),
    ("at 2026-11-22T09:00:00.250000000000Z", .at(date + 0.25)),
    ("every 1s, missed ticks skip", .every(1)),
    ("every 1h, starting aligned offset 0s", .every(.seconds(3_600), starting: .aligned)),
    ("every 1h ,starting  aligned  offset  1h 10m ,limit 3", aligned(.seconds(600)).limit(3)),
    ("every 1h, starting aligned offset -10m", aligned(.seconds(3_000))),
    ("every 1h, starting aligned offset 0.0000005 s", aligned(.microseconds(1))),
  ]) func `A schedule is read as people write it`(text: String, schedule: TimerSchedule) throws {
    #expect(try TimerSchedule(parsing: text) == schedule)
  }

  @Test(arguments: [
    ("", 0), ("  ", 2), ("each 5m", 0), ("every", 5), ("every 5", 7), ("every 5x", 7), ("every m", 6),
    ("every -5 s", 6), ("every 5. s", 8), ("every 5m limit 3", 9), ("every 5m, limit", 15),
    ("every 5m, limit 3, limit 4", 19), ("every 5m, limit 3.5", 17), ("every 5m, limits 3", 10),
    ("every 5m,", 9), ("every 5m, starting", 18), ("every 5m, starting now", 19),
    ("after 5s, starting aligned", 10), ("every 5m, starting aligned 10m", 27),
    ("every 5m, starting aligned offset", 33), ("every 5m, starting aligned offset 10", 36),
    ("at noon", 3), ("at 2026-11-22", 3), ("at 2026-11-22T09:00:00.Z", 3), ("every 5m, missed ticks", 22),
    ("every 5m, missed skip", 17), ("every 5m, limit 99999999999999999999", 16), ("cron 0 9 * * *", 0),
  ]) func `A text that isn't a schedule is an error that says where`(text: String, offset: Int) {
    do throws(TimerScheduleError) {
      let schedule = try TimerSchedule(parsing: text)
      Issue.record("\(text) was read as \(schedule).")
    } catch {
      guard case .unreadable(text, let found, let expected) = error else {
        Issue.record("\(text) is \(error)")
        return
      }
      #expect(found == offset, "\(text)")
      #expect(!expected.isEmpty)
    }
  }

  @Test(arguments: SeededGenerator.seeds(1, 2))
  func `Any schedule is read back from its description`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<rounds(5_000) {
      let schedule = Self.schedule(&generator)
      let copy = try TimerSchedule(parsing: schedule.description)
      #expect(copy == schedule, "\(schedule), seed \(seed)")
      #expect(copy.description == schedule.description, "seed \(seed)")
      #expect(copy.hashValue == schedule.hashValue, "\(schedule), seed \(seed)")
      let data = try JSONEncoder().encode([schedule])
      #expect(try JSONDecoder().decode([TimerSchedule].self, from: data) == [schedule], "seed \(seed)")
    }
  }

  private static func schedule(_ generator: inout SeededGenerator) -> TimerSchedule {
    func duration(from least: Int64 = 0) -> Duration {
      .nanoseconds(
        Int64.random(in: least...(1 << Int64.random(in: 1..<62, using: &generator)), using: &generator))
    }
    // Also dates beyond the clock's range, and beyond the years of a text.
    func date() -> Date {
      let most = Double.random(in: 0..<10, using: &generator) < 1 ? 1e12 : 9.2e9
      return Date(timeIntervalSince1970: Double.random(in: -most...most, using: &generator))
    }
    func value() -> Duration {
      let bits = Int128.random(in: .min...(.max), using: &generator)
      return Duration(attoseconds: bits >> Int128.random(in: 0..<128, using: &generator))
    }
    let scale = CountdownScale(from: value(), to: value(), every: duration(from: 1))
    let starts: [TimerSchedule.Start] = [
      .afterInterval, .immediately, .after(duration()), .at(date()), .aligned, .aligned(offset: duration()),
      .aligned(offset: value()), .spread(by: "\(value())", over: duration(from: 1)),
    ]
    let kinds: [TimerSchedule] = [
      .every(duration(from: 1), starting: starts.randomElement(using: &generator) ?? .aligned),
      .after(duration()), .at(date()), TimerSchedule(cadence: .countdown(scale)),
    ]
    var schedule = kinds.randomElement(using: &generator) ?? .after(1)
    if Bool.random(using: &generator) { schedule = schedule.tolerance(duration()) }
    if Bool.random(using: &generator) {
      schedule = schedule.limit(Int.random(in: 0...(.max), using: &generator))
    }
    if Bool.random(using: &generator) { schedule = schedule.until(date()) }
    if Bool.random(using: &generator) { schedule = schedule.jitter(upTo: duration()) }
    if Bool.random(using: &generator) { schedule = schedule.paused() }
    let behaviors: [MissedTickBehavior] = [.skip, .burst, .delay]
    return schedule.missedTicks(behaviors.randomElement(using: &generator) ?? .skip)
  }

  // MARK: As data

  @Test func `A schedule is encoded as its text`() throws {
    let schedules: [String: TimerSchedule] = ["refresh": .every(.seconds(300)).limit(3)]
    let data = try JSONEncoder().encode(schedules)
    #expect(String(decoding: data, as: UTF8.self) == #"{"refresh":"every 5 m, limit 3"}"#)
    #expect(try JSONDecoder().decode([String: TimerSchedule].self, from: data) == schedules)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([TimerSchedule].self, from: Data(#"["every 5x"]"#.utf8))
    }
  }

  private struct EachSecond: TickRule, Hashable {
    func nextTick(after date: Date) -> Date? { date + 1 }
  }

  private final class Object: TickRule {
    func nextTick(after date: Date) -> Date? { date + 1 }
  }

  @Test func `A schedule by a rule can't be encoded`() {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([TimerSchedule.rule(EachSecond())]) }
  }

  @Test func `Rules are equal by their values, or as objects`() {
    let object = Object()
    #expect(TimerSchedule.rule(EachSecond()) == .rule(EachSecond()))
    #expect(TimerSchedule.rule(EachSecond()).hashValue == TimerSchedule.rule(EachSecond()).hashValue)
    #expect(TimerSchedule.rule(object) == .rule(object))
    #expect(TimerSchedule.rule(object).hashValue == TimerSchedule.rule(object).hashValue)
    #expect(TimerSchedule.rule(object) != .rule(Object()))
    #expect(TimerSchedule.rule(object) != .rule(EachSecond()))
    let unequal = TimerSchedule.rule(Answering { $0 + 1 })
    #expect(unequal != unequal)
  }

  @Test func `Schedules that differ in anything are unequal`() {
    let others: [TimerSchedule] = [
      .every(2), .after(1), .at(Self.date), .every(1, starting: .immediately),
      .every(1, starting: .after(.seconds(1))),
      .every(1, starting: .at(Self.date)), .every(1).limit(1), .every(1).until(Self.date),
      .every(1, starting: .aligned), .every(1, starting: .aligned(offset: .microseconds(1))),
      .every(1).tolerance(.zero),
      .every(1).jitter(upTo: .seconds(1)), .every(1).missedTicks(.burst), .rule(EachSecond()),
    ]
    for (index, schedule) in others.enumerated() {
      #expect(schedule != .every(1))
      for other in others[(index + 1)...] { #expect(schedule != other) }
    }
  }
}
