import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The grids on the wall clock that every process agrees on: their offsets, and those of keys.
@Suite(.guarantee("G17")) struct StartTests {
  private static let hour = Duration.seconds(3_600)
  private static let longest = Duration.nanoseconds(Int64.max - 1)
  private static let endless = Duration.seconds(Int64.max)

  private func schedule(_ start: TimerSchedule.Start, every interval: Duration = hour) -> TimerSchedule {
    .every(interval, starting: start)
  }

  /// The offset of an aligned start in a schedule, in microseconds.
  private func offset(_ start: TimerSchedule.Start, every interval: Duration = hour) throws -> Int64 {
    guard case .aligned(let offset) = try start.bound(to: Interval(interval)) else {
      Issue.record("\(start) isn't aligned.")
      return -1
    }
    #expect(offset >= .zero && offset < Interval(interval).duration, "\(start)")
    let (microseconds, rest) = offset.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
    #expect(rest == 0, "\(start)")
    return Int64(microseconds)
  }

  // MARK: Offsets

  @Test func `Every hour with an offset of ten minutes means at ten past, also before 1970`() {
    let tenPast = schedule(.aligned(offset: .seconds(600)))
    for (now, next) in [
      (0.0, 600.0), (599.999, 600), (600, 4_200), (-1, 600), (-3_000, 600), (-3_001, -3_000),
    ] {
      let dates = tenPast.dates(after: Date(timeIntervalSince1970: now)).prefix(2)
      #expect(dates.map(\.timeIntervalSince1970) == [next, next + 3_600], "after \(now)")
    }
  }

  @Test(
    arguments: [
      (Duration.seconds(600), hour, 600_000_000), (.seconds(-600), hour, 3_000_000_000), (hour, hour, 0),
      (.seconds(-3_600), hour, 0), (.seconds(18_001), hour, 1_000_000),
      (.seconds(-3_601), hour, 3_599_000_000),
      (Duration(attoseconds: .max), hour, 531_687_304), (Duration(attoseconds: .min), hour, 3_068_312_696),
      // To the nearest microsecond, and half of one up.
      (.seconds(1.2), hour, 1_200_000), (.nanoseconds(1_499), hour, 1), (.nanoseconds(1_500), hour, 2),
      (Duration(attoseconds: 1_499_999_999_999), hour, 1), (Duration(attoseconds: 1), hour, 0),
      (.nanoseconds(-501), hour, 3_599_999_999), (.nanoseconds(-500), hour, 0),
      (Duration(attoseconds: -1), hour, 0),
      // Intervals that aren't whole microseconds.
      (.seconds(1), .nanoseconds(1), 0), (.nanoseconds(998), .nanoseconds(999), 0),
      (.microseconds(2), .nanoseconds(1_500), 1), (.nanoseconds(1_501), .nanoseconds(1_500), 0),
      (.nanoseconds(1_600), .nanoseconds(1_900), 0),
      // The longest interval, of 292 years.
      (.seconds(3_000_000_000), longest, 3_000_000_000_000_000),
      (.nanoseconds(Int64.max - 2), longest, 0), (.nanoseconds(Int64.max - 1), longest, 0),
      (.nanoseconds(-1_000), longest, 9_223_372_036_854_775),
    ] as [(Duration, Duration, Int64)])
  func `An offset is reduced modulo the interval, and then rounded to whole microseconds`(
    offset: Duration, interval: Duration, microseconds: Int64
  ) throws {
    #expect(try self.offset(.aligned(offset: offset), every: interval) == microseconds)
    let given = schedule(.aligned(offset: offset), every: interval)
    let reduced = schedule(.aligned(offset: .microseconds(microseconds)), every: interval)
    #expect(given == reduced)
    #expect(given.hashValue == reduced.hashValue)
    #expect(given.description == reduced.description)
    #expect(try TimerSchedule(parsing: given.description) == given)
    let data = try JSONEncoder().encode([given])
    #expect(try JSONDecoder().decode([TimerSchedule].self, from: data) == [given])
  }

  @Test(arguments: [.min, -1_500, -1, 0, 1_499, 3_600_000_000_000, .max] as [Int64])
  func `An interval of more than 292 years leaves the offset as it is`(nanoseconds: Int64) throws {
    let offset = Duration.nanoseconds(nanoseconds)
    let start = TimerSchedule.Start.aligned(offset: offset)
    #expect(try start.bound(to: Interval(Self.endless)) == .aligned(offset: offset))
    #expect(schedule(start, every: .nanoseconds(Int64.max)) == schedule(start, every: Self.endless))
  }

  @Test(arguments: SeededGenerator.seeds(1))
  func `Intervals later and earlier an offset is the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<rounds(5_000) {
      let microseconds = 1 + generator.magnitude(bits: 1...52)
      let interval = Duration.microseconds(microseconds)
      let phase = Int64.random(in: 0..<microseconds, using: &generator)
      let count = Int.random(in: -1_000...1_000, using: &generator)
      // Less than half a microsecond, which is rounded away.
      let rest = Duration(
        attoseconds: Int128.random(in: -500_000_000_000..<500_000_000_000, using: &generator))
      let offset = Duration.microseconds(phase) + interval * count + rest
      #expect(
        try self.offset(.aligned(offset: offset), every: interval) == phase,
        "\(offset) every \(interval), seed \(seed)")
    }
  }

  @Test func `An aligned start without an offset has the offset zero, and the text that it had`() throws {
    #expect(TimerSchedule.Start.aligned == .aligned(offset: .zero))
    for start in [TimerSchedule.Start.aligned, .aligned(offset: .zero), .aligned(offset: .seconds(7_200))] {
      #expect(schedule(start).description == "every 1 h, starting aligned")
      let data = try JSONEncoder().encode([schedule(start)])
      #expect(String(decoding: data, as: UTF8.self) == #"["every 1 h, starting aligned"]"#)
    }
    #expect(schedule(.aligned) != schedule(.aligned(offset: .microseconds(1))))
    #expect(schedule(.aligned) != schedule(.afterInterval))
  }

  @Test func `An offset is the same centuries later`() {
    let start = Date(timeIntervalSince1970: 7_258_118_400)
    let dates = schedule(.aligned(offset: .milliseconds(1_500)), every: .seconds(7)).dates(after: start)
      .prefix(50)
    for date in dates {
      #expect((date.timeIntervalSince1970 - 1.5).truncatingRemainder(dividingBy: 7) == 0)
    }
  }

  // MARK: Keys

  // These never change: processes of different versions must agree on them.
  @Test(
    arguments: [
      ("", 3_447_624_330), ("a", 38_712_590), ("foobar", 904_266_190), ("tenant-1", 1_838_303_579),
      ("tenant-2", 1_599_181_618), ("caf\u{E9}", 3_160_615_536), ("cafe\u{301}", 1_232_469_438),
      ("日本", 2_586_884_297),
    ] as [(String, Int64)])
  func `A key has the offset that it has everywhere`(key: String, microseconds: Int64) throws {
    let start = TimerSchedule.Start.spread(by: key, over: Self.hour)
    #expect(start == .aligned(offset: .microseconds(microseconds)))
    #expect(schedule(start).description == "every 1 h, starting aligned offset \(microseconds) us")
    // Part of another text, its bytes are the same.
    let part = String("<\(key)>".dropFirst().dropLast())
    #expect(start == .spread(by: part, over: Self.hour))
  }

  @Test func `The offset of a key is in proportion to the interval, and reduced to that of the schedule`()
    throws
  {
    let hourly = TimerSchedule.Start.spread(by: "tenant-1", over: Self.hour)
    #expect(try offset(hourly, every: .seconds(60)) == 38_303_579)
    #expect(
      try offset(.spread(by: "tenant-1", over: .seconds(86_400)), every: .seconds(86_400)) == 44_119_285_911)
    #expect(
      try offset(.spread(by: "tenant-1", over: Self.endless), every: Self.endless) == 4_709_821_619_963_381)
    for short in [Duration(attoseconds: 1), .nanoseconds(1), .nanoseconds(999), .nanoseconds(1_999)] {
      #expect(TimerSchedule.Start.spread(by: "tenant-1", over: short) == .aligned)
    }
    #expect(
      TimerSchedule.Start.spread(by: "tenant-1", over: .nanoseconds(3_999))
        == .aligned(offset: .microseconds(1)))
  }

  /// Returns chi squared of numbers below one in a hundred equal parts.
  private func deviation(_ numbers: [Double]) -> Double {
    var counts = [Double](repeating: 0, count: 100)
    for number in numbers { counts[Int(number * 100)] += 1 }
    let expected = Double(numbers.count) / 100
    return counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
  }

  // With FNV-1a alone, chi squared is 7150 for "tenant-" and 16,401 for the UUIDs.
  @Test(arguments: [("tenant-", 1), ("", 1), ("job-", 8), ("6ba7b810-9dad-11d1-80b4-", 12)])
  func `Ten thousand similar keys are spread evenly, as are the distances between neighbors`(
    prefix: String, digits: Int
  ) throws {
    let places = try (1...10_000).map { number in
      let text = "\(number)"
      let zeros = String(repeating: "0", count: max(0, digits - text.count))
      return Double(try offset(.spread(by: prefix + zeros + text, over: Self.hour))) / 3_600_000_000
    }
    #expect(Set(places).count == places.count)
    // Random numbers exceed this once in ten thousand times: there are 99 degrees of freedom.
    let most = 161.0
    #expect(deviation(places) < most)
    for distance in [1, 10, 100] {
      let distances = zip(places, places.dropFirst(distance)).map { $1 >= $0 ? $1 - $0 : $1 - $0 + 1 }
      #expect(deviation(distances) < most, "\(distance) apart")
    }
  }
}
