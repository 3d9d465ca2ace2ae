import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited) struct PauseTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // MARK: Pausing

  @Test(.hazard("Y8")) func `While all timers are paused no wakeup is asked for, on either clock`() async {
    let timer = scheduler.timer(on: .every(1))
    let consumer = Consumer(timer.ticks)
    let others = [
      scheduler.timer(on: .every(0.001)), scheduler.timer(on: .after(60)),
      scheduler.timer(on: .at(start + 90)),
      scheduler.timer(on: .every(60, starting: .aligned)), scheduler.timer(on: .rule(EverySeconds(7))),
      scheduler.schedule(.every(1)) { _ in },
    ]
    await advance(1)
    #expect(await consumer.next() == start + 1)
    await scheduler.pauseAll()
    await advance(0)
    #expect(clock.armedCount == 0)
    let wakeups = clock.wakeupCount
    await advance(100)
    #expect(clock.wakeupCount == wakeups)
    for timer in [timer] + others { #expect(timer.state == .paused) }
    await scheduler.resumeAll()
    await advance(0)
    #expect(clock.armedCount > 0)
  }

  @Test(.hazard("W4"), .guarantee("G25"))
  func `A tick that waits is kept during a pause and delivered after it`() async {
    // A clock that waits until the loop waits.
    let (clock, dates) = (VirtualClock(date: start), Journal<Date>())
    let timer = TimerScheduler(clock: clock).timer(on: .every(1))
    await clock.advance(by: .seconds(1))
    timer.pause()
    clock.addTask { for await date in timer.ticks { dates.note(date) } }
    await clock.advance(by: .seconds(5))
    #expect(dates.entries.isEmpty)
    timer.resume()
    await clock.advance(by: .zero)
    #expect(dates.entries == [start + 1])
    await clock.advance(by: .seconds(1))
    #expect(dates.entries == [start + 1, start + 7])
    timer.cancel()
  }

  @Test func `A deadline that came before the pause is delivered after it`() async {
    let timer = scheduler.timer(on: .every(1))
    let consumer = Consumer(timer.firings)
    await scheduler.waitForQueue()
    // The scheduler doesn't get to fire.
    clock.letPass(.seconds(1.5))
    timer.pause()
    clock.letPass(.seconds(10))
    timer.resume()
    let tick = await consumer.next()
    #expect(tick?.scheduledDate == start + 1)
    await advance(0.5)
    #expect(await consumer.next()?.scheduledDate == start + 12)
  }

  // seconds      0    1    2    3    4    5    6    7
  // paused                 [=============]
  // remaining              x              x    x
  @Test(
    .hazard("W6"),
    .guarantee("G30"),
    arguments: [
      (ResumeBehavior.keepingRemainingTime, [7.5, 9.5]), (.keepingPhase, [8.0, 10.0]),
      (.immediately, [6.5, 8.5]),
    ])
  func `A resumed timer ticks as its behavior says`(behavior: ResumeBehavior, expected: [Double]) async {
    let timer = scheduler.timer(on: .every(2))
    let consumer = Consumer(timer.firings)
    await advance(2)
    #expect(await consumer.next()?.date == start + 2)
    await advance(1)
    timer.pause()
    #expect(timer.remainingTime == .seconds(1))
    #expect(timer.nextDate == nil)
    await advance(3.5)
    #expect(timer.remainingTime == .seconds(1))
    timer.resume(behavior)
    for seconds in expected {
      await advance(seconds - clock.date.timeIntervalSince(start))
      let tick = await consumer.next()
      #expect(tick?.date == start + seconds)
      #expect(tick?.missedCount == 0)
    }
  }

  @Test(.guarantee("G30")) func `Three thousand pauses keep the remainder to the nanosecond`() async {
    var generator = SeededGenerator(seed: 5)
    let timer = scheduler.timer(on: .after(.seconds(3600)))
    let consumer = Consumer(timer.firings)
    var remaining = Duration.seconds(3600)
    for _ in 0..<3_000 {
      let run = Duration.nanoseconds(Int64.random(in: 0..<300_000_000, using: &generator))
      await clock.advance(by: run)
      remaining -= run
      timer.pause()
      #expect(timer.remainingTime == remaining)
      clock.letPass(.nanoseconds(Int64.random(in: 0..<5_000_000_000, using: &generator)))
      timer.resume()
      #expect(timer.remainingTime == remaining)
    }
    await clock.advance(by: remaining - .nanoseconds(1))
    #expect(timer.state == .scheduled)
    await clock.advance(by: .nanoseconds(1))
    #expect(await consumer.next()?.lateness == .zero)
    #expect(await timer.waitUntilFinished() == .completed)
  }

  // MARK: Scopes

  @Test(.guarantee("G31")) func `Scopes nest and overlap, and the timer goes on after the last`() async {
    let timer = scheduler.timer(on: .every(10))
    await advance(3)
    await timer.withPaused {
      await timer.withPaused { #expect(timer.state == .paused) }
      #expect(timer.state == .paused)
      timer.resume()
      #expect(timer.state == .paused)
      await advance(100)
    }
    #expect(timer.state == .scheduled)
    #expect(timer.remainingTime == .seconds(7))
  }

  @Test func `A timer that was paused by a call stays paused after a scope`() async {
    let timer = scheduler.timer(on: .every(10))
    await timer.withPaused { timer.pause() }
    #expect(timer.state == .paused)
    await timer.withPaused {}
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
  }

  @Test(.hazard("W5")) func `A scope resumes on every way out`() async {
    struct Failure: Error {}
    let timer = scheduler.timer(on: .every(10))
    await #expect(throws: Failure.self) {
      try await timer.withPaused {
        #expect(timer.state == .paused)
        throw Failure()
      }
    }
    #expect(timer.state == .scheduled)
    let entries = Journal<Void>()
    let task = Task {
      try await timer.withPaused {
        entries.note()
        try await Task.sleep(for: .seconds(1_000))
      }
    }
    await entries.next()
    #expect(timer.state == .paused)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(timer.state == .scheduled)
    timer.cancel()
    let value = await timer.withPaused { 5 }
    #expect(value == 5)
    #expect(timer.state == .finished(.cancelled))
  }

  // MARK: Lateness

  @Test(.guarantee("G63")) func `A pause isn't lateness`() async {
    let timers = [TimerSchedule.at(start + 4), .after(4)].map { scheduler.timer(on: $0) }
    var firings = timers.map { $0.firings.makeAsyncIterator() }
    await advance(2)
    for timer in timers { timer.pause() }
    await advance(3_600)
    for timer in timers { timer.resume(.keepingPhase) }
    await clock.advance(by: .zero)
    let lateness = await scheduler.statistics.lateness
    #expect(lateness.count == 2)
    #expect(lateness.max == .zero)
    #expect(await scheduler.snapshots.map(\.lateness) == [.zero, .zero])
    for index in firings.indices {
      let tick = await firings[index].next()
      #expect(tick?.scheduledDate == start + 4)
      #expect(tick?.date == start + 3_602)
      #expect(tick?.lateness == .zero)
    }
  }

  // MARK: The clock

  @Test func `Dates on the wall clock aren't moved by a pause`() async {
    let once = scheduler.timer(on: .at(start + 10))
    let aligned = scheduler.timer(on: .every(10, starting: .aligned))
    let rule = scheduler.timer(on: .rule(EverySeconds(10)))
    let consumers = [once, aligned, rule].map { Consumer($0.ticks) }
    await advance(4)
    for timer in [once, aligned, rule] { timer.pause() }
    await advance(2)
    for timer in [once, aligned, rule] { timer.resume() }
    await advance(4)
    for consumer in consumers { #expect(await consumer.next() == start + 10) }
    // Dates that pass during a pause aren't ticks.
    for timer in [aligned, rule] { timer.pause() }
    await advance(25)
    for timer in [aligned, rule] { timer.resume() }
    await advance(5)
    for consumer in consumers.dropFirst() { #expect(await consumer.next() == start + 40) }
  }
}
