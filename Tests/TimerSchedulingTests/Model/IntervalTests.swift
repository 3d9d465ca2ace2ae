import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G7")) struct IntervalTests {
  @Test(
    arguments: [
      (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(-3), -3_000_000_000),
      (.seconds(1) + .nanoseconds(7), 1_000_000_007),
      (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
      (Duration(secondsComponent: 0, attosecondsComponent: -1), -1),
      (Duration(secondsComponent: 0, attosecondsComponent: 1_499_999_999), 1),
      (Duration(secondsComponent: 0, attosecondsComponent: 1_500_000_000), 2),
    ] as [(Duration, Int64)])
  func `A duration is rounded to nanoseconds, but never to zero`(duration: Duration, nanoseconds: Int64) {
    #expect(Interval(duration).nanoseconds == nanoseconds)
    #expect(Interval(duration).duration == .nanoseconds(nanoseconds))
  }

  @Test func `Durations beyond 292 years saturate`() {
    #expect(Interval(.seconds(Int64.max)) == .max)
    #expect(Interval(Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)) == .max)
    #expect(Interval(.seconds(Int64.min)).nanoseconds == .min)
    // More seconds than an Int64 holds, on which `Duration.components` traps.
    #expect(Interval(.seconds(Int64.max) * 10) == .max)
    #expect(Interval(.seconds(Int64.min) * 10).nanoseconds == .min)
  }

  @Test(
    arguments: [
      (0.1, 100_000_000), (32.3, 32_300_000_000), (1e-10, 1), (-1e-10, -1), (0, 0), (-0.25, -250_000_000),
      (1e30, Int64.max), (.infinity, .max), (-.infinity, .min), (.greatestFiniteMagnitude, .max),
      (.leastNonzeroMagnitude, 1), (9.19e9, 9_190_000_000_000_000_000),
    ] as [(Double, Int64)])
  func `Seconds become the nearest nanosecond`(seconds: Double, nanoseconds: Int64) {
    #expect(Interval(seconds: seconds).nanoseconds == nanoseconds)
  }
}

@Suite(.guarantee("G7")) struct DeadlineTests {
  @Test func `Arithmetic saturates`() {
    let late = Deadline(nanoseconds: .max - 1)
    #expect(late + Interval(nanoseconds: 5) == .never)
    #expect(late + .max == .never)
    #expect(Deadline(nanoseconds: .min + 1) - .max == Deadline(nanoseconds: .min))
    #expect(Deadline.never - Deadline(nanoseconds: -1) == .max)
    #expect(Deadline(nanoseconds: .min) - Deadline(nanoseconds: 1) == Interval(nanoseconds: .min))
  }

  @Test(arguments: [
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
    Date(timeIntervalSince1970: 1_800_000_000.123456), Date(timeIntervalSinceReferenceDate: -0.75),
    Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSince1970: -86_400.5), Date(),
  ])
  func `A date survives the way to a deadline and back`(date: Date) {
    #expect(Date(Deadline(date)) == date)
  }

  @Test func `The wall clock counts from 1970, and dates beyond it become its ends`() {
    #expect(Deadline(Date(timeIntervalSince1970: 1.5)).nanoseconds == 1_500_000_000)
    #expect(Deadline(.distantFuture) == .never)
    #expect(Deadline(.distantPast) == Deadline(nanoseconds: .min))
    #expect(Deadline(Date(timeIntervalSinceReferenceDate: .infinity)) == .never)
    #expect(Date(Deadline.never) < .distantFuture)
    #expect(Date(Deadline(nanoseconds: .min)) > .distantPast)
  }

  @Test func `At the clock's beginning dates keep their order`() {
    let beginning = Deadline(nanoseconds: .min)
    let dates = (0...40).map { Date(beginning + .init(nanoseconds: $0 * 50_000_000)) }
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
  }
}
