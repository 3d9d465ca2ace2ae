import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Intervals and delays that the clock can't hold, from 292 years on: a deadline after one of them never
/// comes.
@Suite(.guarantee("G16")) struct LongIntervalTests {
  /// A schedule with a long interval, the moment from which it counts, and its dates that can be known.
  struct Row: CustomTestStringConvertible, Sendable {
    let schedule: TimerSchedule
    let start: Date
    let dates: [Date]

    init(_ schedule: TimerSchedule, from start: Date, _ dates: Date...) {
      (self.schedule, self.start, self.dates) = (schedule, start, dates)
    }

    var testDescription: String { "\(schedule) from \(start)" }
  }

  private static func years(_ count: Int) -> Duration { .seconds(count * 31_557_600) }

  /// A moment a number of years of 365.25 days after 1970. Its name is that of the year.
  private static func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }

  private static func everyFourCenturies(_ start: TimerSchedule.Start) -> TimerSchedule {
    .every(years(400), starting: start)
  }

  static let rows = [
    Row(.after(years(400)), from: year(1900)),
    Row(.after(years(400)), from: year(1969)),
    Row(.after(years(400)), from: year(1678)),
    Row(everyFourCenturies(.afterInterval), from: year(1900)),
    Row(.every(years(1), starting: .after(years(400))), from: year(1900)),
    Row(everyFourCenturies(.at(year(1500))), from: year(1750)),
    Row(everyFourCenturies(.at(year(1900))), from: year(2026), year(2026)),
    Row(everyFourCenturies(.aligned(offset: years(350))), from: year(2026)),
    // Also so: an interval of which the clock holds no more, and deadlines that are known without it.
    Row(.every(.nanoseconds(Int64.max)), from: year(1900)),
    Row(everyFourCenturies(.immediately), from: year(1900), year(1900)),
    Row(everyFourCenturies(.after(years(3))), from: year(1900), year(1903)),
    // The newest date, which is 1900, has passed.
    Row(everyFourCenturies(.at(year(1500))), from: year(2026), year(2026)),
    Row(everyFourCenturies(.at(year(1700))), from: year(1750), year(1750)),
    Row(everyFourCenturies(.at(year(2000))), from: year(1690), year(2000)),
    Row(everyFourCenturies(.at(year(2500))), from: year(2026)),
    Row(everyFourCenturies(.aligned), from: year(1690), year(1970)),
    Row(everyFourCenturies(.aligned), from: year(1970)),
    Row(everyFourCenturies(.aligned(offset: years(100))), from: year(1690), year(2070)),
    Row(everyFourCenturies(.aligned(offset: years(-100))), from: year(1690), year(1870)),
    Row(everyFourCenturies(.aligned(offset: years(-350))), from: year(1690)),
  ]

  @Test(arguments: rows) func `A schedule has its true dates, or none`(row: Row) {
    #expect(Array(row.schedule.dates(after: row.start).prefix(5)) == row.dates)
    #expect(Array(row.schedule.until(.distantFuture).dates(after: row.start).prefix(5)) == row.dates)
  }

  @Test(arguments: rows) func `A timer says these dates, and ticks on them`(row: Row) async {
    let clock = VirtualClock(date: row.start)
    let (scheduler, ticks) = (TimerScheduler(clock: clock), Journal<Date>())
    let timer = scheduler.schedule(row.schedule) { ticks.note($0.date) }
    #expect(timer.nextDate == row.dates.first)
    #expect(timer.nextDates(5) == row.dates)
    await clock.advance(by: .seconds(5))
    let ahead = row.dates.filter { $0 > clock.date }
    #expect(timer.nextDate == ahead.first)
    #expect(timer.nextDates(5) == ahead)
    // To the end of one of the clocks, and then of the wall clock.
    await clock.advance(by: min(Self.years(291), .seconds(Self.year(2262).timeIntervalSince(clock.date))))
    await clock.setWallClock(to: Self.year(2262))
    await clock.advance(by: .seconds(5))
    #expect(ticks.entries.count == row.dates.count)
    #expect(timer.nextDate == nil)
    #expect(timer.nextDates(5).isEmpty)
    #expect(timer.state == .scheduled)
  }

  @Test(arguments: [Date?.none, year(2300)])
  func `A deadline that never comes isn't brought back by a pause in which the wall clock is set back`(
    start: Date?
  ) async {
    let clock = VirtualClock.manual(date: Self.year(2026))
    let schedule = Self.everyFourCenturies(.at(start ?? Self.year(1500)))
    let timer = TimerScheduler(clock: clock).schedule(schedule) { _ in }
    timer.pause()
    await clock.setWallClock(to: Self.year(2020))
    timer.resume()
    #expect(timer.nextDate == nil)
    #expect(timer.nextDates(5).isEmpty)
  }

  @Test func `A pause of centuries ends no cadence`() async {
    let clock = VirtualClock.manual(date: Self.year(1690))
    let timer = TimerScheduler(clock: clock).schedule(.every(60, starting: .at(Self.year(1700)))) { _ in }
    timer.pause()
    await clock.setWallClock(to: Self.year(2026))
    timer.resume()
    await clock.advance(by: .seconds(60))
    #expect(timer.nextDates(5).count == 5)
  }

  @Test(arguments: rows, [Duration.zero, .nanoseconds(-1_500), years(-1_000), Duration(attoseconds: .min)])
  func `A schedule is read back from its text, as is one with another offset`(
    row: Row, offset: Duration
  ) throws {
    for schedule in [row.schedule, Self.everyFourCenturies(.aligned(offset: offset))] {
      let text = try TimerSchedule(parsing: schedule.description)
      let data = try JSONEncoder().encode([schedule])
      #expect(text == schedule)
      #expect(text.hashValue == schedule.hashValue)
      #expect(try JSONDecoder().decode([TimerSchedule].self, from: data) == [schedule])
    }
    let aligned = Self.everyFourCenturies(.aligned(offset: offset))
    let scheduler = VirtualClock.manual(date: row.start).kept().makeScheduler()
    #expect(scheduler.schedule(aligned) { _ in }.schedule == aligned)
  }

  // MARK: Random schedules

  /// The dates of a repeating schedule, in nanoseconds from 1970, by arithmetic on integers that hold all of
  /// them.
  struct Cadence {
    /// The moments that the clock can hold.
    static let clock = Int128(Int64.min) + 1...Int128(Int64.max) - 1
    static let longest = Int128(Int64.max) - 1

    let now: Int128
    let interval: Int128

    /// The origin and those of its multiples that are later than `moment`, in order. Without multiples if the
    /// interval is too long.
    private func dates(from origin: Int128, after moment: Int128, back: Bool) -> [Int128] {
      guard interval <= Self.longest else { return [origin].filter { $0 > moment && Self.clock ~= $0 } }
      var first = origin
      if back || first <= moment {
        let distance = moment - origin
        let rest = distance % interval
        first = moment - rest + (rest < 0 ? 0 : interval)
      }
      return (0..<5).map { first + $0 * interval }.filter(Self.clock.contains)
    }

    /// The dates that count from now.
    func dates(after delay: Int128) -> [Int128] {
      guard Self.clock ~= now, delay <= Self.longest else { return [] }
      return dates(from: now + delay, after: now + delay - 1, back: false)
    }

    /// The dates that count from `start`. If the newest date up to now may be one that the clock holds, it is
    /// due now.
    func dates(startingAt start: Int128) -> [Int128] {
      let beginning = max(now, Self.clock.lowerBound - 1)
      let ahead = dates(from: start, after: beginning, back: false)
      let elapsed = beginning - start
      guard elapsed >= 0, Self.clock ~= now else { return ahead }
      let isDue =
        interval <= Self.longest
        ? Self.clock ~= beginning - elapsed % interval : Self.clock ~= start || elapsed > Self.longest
      return isDue ? [now] + ahead : ahead
    }

    /// The dates on multiples of the interval from 1970, and an offset in whole microseconds.
    func dates(alignedTo offset: Int128) -> [Int128] {
      let beginning = max(now, Self.clock.lowerBound - 1)
      guard interval <= Self.longest else { return dates(from: offset, after: beginning, back: false) }
      let phase = ((offset % interval + interval) % interval + 500) / 1_000 * 1_000
      return dates(from: phase < interval ? phase : 0, after: beginning, back: true)
    }
  }

  @Test(arguments: SeededGenerator.seeds(1, 2))
  func `The dates are those of arithmetic on wide integers, from the year 1 to 9999`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let second = 1_000_000_000 as Int128
    func moment() -> Int128 {
      let range: ClosedRange<Int64> =
        generator.chance(60) ? -9_300_000_000...9_300_000_000 : -62_135_596_800...253_402_300_799
      return Int128(Int64.random(in: range, using: &generator)) * second
    }
    func length() -> Int128 {
      let scale = [1, 1, 17].randomElement(using: &generator) ?? 1
      return 1 + Int128(generator.magnitude(bits: 0...63)) * Int128(scale)
    }
    func duration(_ nanoseconds: Int128) -> Duration { Duration(attoseconds: nanoseconds * second) }
    for _ in 0..<rounds(20_000) {
      let cadence = Cadence(now: moment(), interval: length())
      let (start, dates): (TimerSchedule.Start, [Int128])
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: (start, dates) = (.afterInterval, cadence.dates(after: cadence.interval))
      case 1: (start, dates) = (.immediately, cadence.dates(after: 0))
      case 2:
        let delay = length()
        (start, dates) = (.after(duration(delay)), cadence.dates(after: delay))
      case 3:
        let origin = moment()
        (start, dates) = (.at(Date(nanosecondsSince1970: origin)), cadence.dates(startingAt: origin))
      default:
        let offset = length() / 1_000 * (generator.chance(50) ? 1_000 : -1_000)
        (start, dates) = (.aligned(offset: duration(offset)), cadence.dates(alignedTo: offset))
      }
      let schedule = TimerSchedule.every(duration(cadence.interval), starting: start)
      let now = Date(nanosecondsSince1970: cadence.now)
      let expected = dates.prefix(4).map { Date(nanosecondsSince1970: $0) }
      #expect(
        Array(schedule.dates(after: now).prefix(4)) == expected, "\(schedule) from \(now), seed \(seed)")
    }
  }
}
