import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The dates ahead that a schedule and a timer list, compared with those on which timers tick.
@Suite(.guarantee("G13")) struct DatesAheadTests {
  private static let start = Date(timeIntervalSinceReferenceDate: 0.25)

  private static let schedules: [TimerSchedule] = [
    .every(1), .every(1, starting: .immediately), .every(2, starting: .after(.seconds(5))),
    .every(2, starting: .after(.zero)), .every(3, starting: .aligned), .every(3, starting: .at(start + 4)),
    .every(3, starting: .aligned(offset: .milliseconds(1_250))),
    .every(3, starting: .aligned(offset: .nanoseconds(-1_749_999_600))), .every(3, starting: .at(start - 4)),
    .every(3, starting: .at(start)), .every(.milliseconds(700)).limit(3),
    .every(1).until(start + 4), .every(1).until(start + 4.5), .every(1).until(start - 1), .every(1).limit(0),
    .every(3, starting: .aligned).until(start + 7), .every(1).missedTicks(.burst),
    .every(1).missedTicks(.delay),
    .after(2), .after(0), .at(start + 3), .at(start), .at(start - 3), .at(.distantFuture),
    .after(2).until(start + 1),
    .rule(EverySeconds(2)), .rule(EverySeconds(2)).limit(2), .rule(EverySeconds(2)).until(start + 6),
    .rule(Answering { _ in nil }), .rule(Answering { $0 < start + 5 ? $0 + 2 : nil }),
  ]

  @Test(arguments: schedules)
  func `A timer ticks on the dates that its schedule lists, and that it lists itself at any time`(
    schedule: TimerSchedule
  ) async {
    let clock = VirtualClock(date: Self.start)
    let (scheduler, ticks) = (TimerScheduler(clock: clock), Journal<Date>())
    let timer = scheduler.schedule(schedule) { ticks.note($0.date) }
    var listed: [(now: Date, next: [Date])] = []
    await clock.advance(by: .zero)
    for _ in 0..<20 {
      listed.append((clock.date, timer.nextDates(100)))
      await clock.advance(by: .milliseconds(500))
    }
    let dates = schedule.dates(after: Self.start).prefix { $0 <= Self.start + 10 }
    #expect(dates.elementsEqual(ticks.entries))
    for (now, next) in listed {
      let dates = next.prefix { $0 <= Self.start + 10 }
      #expect(dates.elementsEqual(ticks.entries.filter { $0 > now }))
    }
  }

  @Test func `Dates are found one at a time, as far ahead as the clock reaches`() {
    let asked = Lock(0)
    let rule = Answering { date in
      asked.withLock { $0 += 1 }
      return date + 86_400
    }
    let days = Array(TimerSchedule.rule(rule).dates(after: Self.start).prefix(1_000))
    #expect(days.last == Self.start + 1_000 * 86_400)
    #expect(asked.withLock { $0 } <= 1_001)
    let centuries = Array(TimerSchedule.every(.seconds(3_155_760_000)).dates(after: Self.start))
    #expect(centuries.count == 2)
  }

  @Test func `Jitter moves the dates of a timer, and not those of its schedule`() {
    let scheduler = VirtualClock(date: Self.start).kept().makeScheduler()
    let schedule = TimerSchedule.every(10).jitter(upTo: .seconds(5))
    #expect(schedule.dates(after: Self.start).prefix(3).elementsEqual([10, 20, 30].map { Self.start + $0 }))
    let timer = scheduler.timer(on: schedule)
    let dates = timer.nextDates(3)
    #expect(dates.first == timer.nextDate)
    for (date, due) in zip(dates, [10, 20, 30]) {
      #expect((0..<5).contains(date.timeIntervalSince(Self.start) - Double(due)))
    }
  }

  @Test func `A timer with an untaken tick lists the dates after it`() async {
    let clock = VirtualClock.manual(date: Self.start)
    let scheduler = clock.makeScheduler()
    let timer = scheduler.timer(on: .every(1).limit(3))
    #expect(timer.nextDates(5) == [1, 2, 3].map { Self.start + $0 })
    await clock.advance(by: .milliseconds(2_500))
    #expect(timer.nextDates(5) == [3, 4].map { Self.start + $0 })
  }

  @Test func `A timer that is paused or has ended has no dates`() {
    let timer = VirtualClock(date: Self.start).kept().makeScheduler().timer(on: .every(1))
    timer.pause()
    #expect(timer.nextDates(3).isEmpty)
    timer.resume()
    #expect(timer.nextDates(3).count == 3)
    #expect(timer.nextDates(0).isEmpty)
    timer.cancel()
    #expect(timer.nextDates(3).isEmpty)
  }
}
