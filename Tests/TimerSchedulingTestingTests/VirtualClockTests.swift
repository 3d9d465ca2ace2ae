import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G144")) struct VirtualClockTests: VirtualTimeSuite {
  let time = VirtualTime()
  private let log = Journal<Double>()

  /// Notes the seconds at which a schedule ticks.
  private func note(_ schedule: TimerSchedule) {
    scheduler.schedule(schedule) { [log, start] in log.note($0.date.timeIntervalSince(start)) }
  }

  // MARK: Moving

  @Test func `The clock shows the date it was given, until it is moved`() async {
    let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_000))
    #expect(clock.date == Date(timeIntervalSince1970: 1_000))
    await clock.advance(by: .milliseconds(1))
    #expect(clock.date == Date(timeIntervalSince1970: 1_000.001))
  }

  @Test func `The clock advances to a date`() async {
    note(.every(1))
    await clock.advance(to: start + 3)
    #expect(log.entries == [1, 2, 3])
    await clock.advance(to: start - 100)
    #expect(clock.date == start + 3)
  }

  @Test func `The clock runs until nothing is pending`() async {
    note(.after(10))
    note(.every(100).limit(3))
    #expect(await clock.runUntilIdle())
    #expect(log.entries == [10, 100, 200, 300])
    #expect(clock.date == start + 300)
  }

  @Test func `The clock runs no farther than its limit`() async {
    note(.every(100))
    #expect(await clock.runUntilIdle(limit: .seconds(250)) == false)
    #expect(log.entries == [100, 200])
    #expect(clock.date == start + 250)
  }

  // MARK: The wall clock

  @Test func `A date that the wall clock is set to or beyond is delivered by that call`() async {
    let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Date>())
    let scheduler = TimerScheduler(clock: clock)
    for seconds in [10.0, 20, 30] {
      scheduler.schedule(.at(Date(timeIntervalSinceReferenceDate: seconds))) { log.note($0.date) }
    }
    await clock.advance(by: .zero)
    await clock.setWallClock(to: Date(timeIntervalSinceReferenceDate: 20))
    #expect(log.entries == [20, 20].map { Date(timeIntervalSinceReferenceDate: $0) })
    #expect(clock.now.offset == .zero)
  }

  @Test func `A rule is asked for the dates of a clock that was set back`() async {
    struct EveryMinute: TickRule {
      func nextTick(after date: Date) -> Date? {
        let minutes = (date.timeIntervalSinceReferenceDate / 60).rounded(.down)
        return Date(timeIntervalSinceReferenceDate: 60 * (minutes + 1))
      }
    }
    note(.rule(EveryMinute()))
    await clock.advance(by: .seconds(60))
    await clock.setWallClock(to: start - 3600)
    await clock.advance(by: .seconds(240))
    #expect(log.entries.first == 60)
    #expect(log.entries.dropFirst().allSatisfy { $0 < -3300 })
    #expect(log.entries.suffix(2) == [-3420, -3360])
  }

  @Test func `Jitter is drawn alike in every run`() async {
    var runs: [[Double]] = []
    for _ in 0..<2 {
      let (clock, log) = (VirtualClock(), Journal<Double>())
      let scheduler = TimerScheduler(clock: clock)
      for _ in 0..<3 {
        scheduler.schedule(.every(10).jitter(upTo: .seconds(5))) { [start] in
          log.note($0.date.timeIntervalSince(start))
        }
      }
      await clock.advance(by: .seconds(100))
      runs.append(log.entries)
    }
    #expect(runs[0] == runs[1])
    #expect(Set(runs[0]).count == runs[0].count)
  }

  // MARK: Sleeping

  @Test func `Sleepers wake in the order of their deadlines, at their deadlines`() async {
    for seconds in [3.0, 1, 2, 1.5] {
      clock.addTask { [clock, log, start] in
        try await clock.sleep(for: .seconds(seconds))
        log.note(clock.date.timeIntervalSince(start))
      }
    }
    await clock.advance(by: .seconds(10))
    #expect(log.entries == [1, 1.5, 2, 3])
  }

  @Test func `A sleep that is over before it begins doesn't wait`() async throws {
    try await clock.sleep(until: clock.now)
    try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)), tolerance: .seconds(1))
  }

  @Test func `A sleep that is cancelled throws`() async {
    let sleepers = [
      Task { [clock] in try await clock.sleep(for: .seconds(1)) },
      Task { [clock] in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await clock.sleep(for: .seconds(1))
      },
    ]
    await clock.waitForSleepers()
    #expect(clock.pendingSleeps == [clock.now.advanced(by: .seconds(1))])
    for sleeper in sleepers {
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
    #expect(clock.pendingSleeps.isEmpty)
    await clock.advance(by: .seconds(10))
  }

  @Test func `A task of the clock's is waited for from its beginning to its end`() async throws {
    let task = clock.addTask { [clock, log, start] in
      for delay in [1.0, 2, 4] {
        try? await Task.sleep(for: .milliseconds(2))
        try await clock.sleep(for: .seconds(delay))
        log.note(clock.date.timeIntervalSince(start))
      }
      try? await Task.sleep(for: .milliseconds(2))
      return log.entries.count
    }
    await clock.advance(by: .seconds(7))
    #expect(log.entries == [1, 3, 7])
    #expect(try await task.value == 3)
  }

  @Test(arguments: ClockMisuse.allCases)
  func `An argument that makes no sense stops the process with a sentence`(misuse: ClockMisuse) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
      await misuse.commit()
    }
    // Release builds stop too, but the compiler leaves the sentence out.
    #if DEBUG
    let output = try #require(result).standardErrorContent
    #expect(String(decoding: output, as: UTF8.self).contains(misuse.sentence))
    #endif
  }

  @Test func `The longest limit and settling timeout count as no limit`() async {
    await #expect(processExitsWith: .success) {
      let longest = Duration.seconds(Int64.max)
      let clock = VirtualClock(settlingTimeout: longest)
      let scheduler = TimerScheduler(clock: clock)
      let loop = Task { for await _ in scheduler.ticks(every: 1) {} }
      await clock.waitForConsumers(1, limit: longest)
      await VirtualClock().waitForSleepers(0, limit: longest)
      loop.cancel()
    }
  }
}

/// A caller's mistake, and the message that it causes.
enum ClockMisuse: String, Codable, CaseIterable {
  case advance, endlessAdvance, stall, run, consumers, sleepers, limit, settlingTimeout
  case date, advanceToNoDate, setToNoDate

  func commit() async {
    let noDate = Date(timeIntervalSinceReferenceDate: .nan)
    switch self {
    case .advance: await VirtualClock().advance(by: .seconds(-1))
    case .endlessAdvance: await VirtualClock().advance(by: TimeInterval.infinity)
    case .stall: await VirtualClock().stall(for: .seconds(-1))
    case .run: await VirtualClock().runUntilIdle(limit: .seconds(-1))
    case .consumers: await VirtualClock().waitForConsumers(-1)
    case .sleepers: await VirtualClock().waitForSleepers(-1)
    case .limit: await VirtualClock().waitForSleepers(1, limit: .seconds(-1))
    case .settlingTimeout: _ = VirtualClock(settlingTimeout: .seconds(-1))
    case .date: _ = VirtualClock(date: noDate)
    case .advanceToNoDate: await VirtualClock().advance(to: noDate)
    case .setToNoDate: await VirtualClock().setWallClock(to: noDate)
    }
  }

  var sentence: String {
    switch self {
    case .advance: "An advance must be zero or more, but -1.0 seconds was given."
    case .endlessAdvance: "must be a finite number of seconds, but inf was given."
    case .stall: "A stall must be zero or more, but -1.0 seconds was given."
    case .run: "A limit of a run must be zero or more, but -1.0 seconds was given."
    case .consumers, .sleepers: "A count must be zero or more, but -1 was given."
    case .limit: "A limit must be zero or more, but -1.0 seconds was given."
    case .settlingTimeout: "A settling timeout must be zero or more, but -1.0 seconds was given."
    case .date, .advanceToNoDate, .setToNoDate: "A clock's date must be a number, but NaN was given."
    }
  }
}
