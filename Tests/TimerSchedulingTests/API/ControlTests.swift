import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited) struct ControlTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test(.hazard("M2", "Z3"), .guarantee("G27"))
  func `Control of a timer in any state, in any order, any number of times`() async {
    let timer = scheduler.timer(on: .every(1))
    timer.resume()
    timer.pause()
    timer.pause()
    timer.resume()
    timer.resume()
    #expect(timer.state == .scheduled)
    timer.pause()
    timer.cancel()
    timer.cancel()
    timer.resume()
    timer.pause()
    timer.fire()
    timer.reschedule(.every(2))
    #expect(timer.state == .finished(.cancelled))
    #expect(timer.remainingTime == nil)
    #expect(timer.nextDate == nil)
    await timer.cancelAndWait()
    #expect(await timer.waitUntilFinished() == .cancelled)
    #expect(await Consumer(timer.ticks).next() == nil)
    #expect(await scheduler.timerCount == 0)
    #expect(clock.armedCount == 0)
  }

  // MARK: Firing by hand

  @Test(.guarantee("G32")) func `Firing brings a tick now and leaves the schedule as it is`() async {
    let timer = scheduler.timer(on: .every(10))
    let consumer = Consumer(timer.firings)
    await advance(3)
    timer.fire()
    #expect(await consumer.next()?.date == start + 3)
    #expect(timer.nextDate == start + 10)
    await advance(7)
    let tick = await consumer.next()
    #expect(tick?.date == start + 10)
    #expect(tick?.index == 1)
    #expect(tick?.missedCount == 0)
  }

  @Test(.hazard("M6"), .guarantee("G32")) func `Fired by hand, a timer of one tick has had it`() async {
    let timer = scheduler.timer(on: .after(10))
    let consumer = Consumer(timer.ticks)
    await advance(3)
    timer.fire()
    timer.fire()
    #expect(await consumer.next() == start + 3)
    #expect(await consumer.next() == nil)
    #expect(timer.state == .finished(.completed))
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.guarantee("G32")) func `Nothing is fired by hand while paused`() async {
    let timer = scheduler.timer(on: .every(10))
    let consumer = Consumer(timer.ticks)
    timer.pause()
    timer.fire()
    timer.resume()
    await advance(10)
    #expect(await consumer.next() == start + 10)
  }

  // MARK: Rescheduling

  @Test(.guarantee("G33")) func `Another schedule takes the place of the old, for all listeners`() async {
    let timer = scheduler.timer(on: .every(10))
    let consumers = [Consumer(timer.ticks), Consumer(timer.ticks)]
    await advance(3)
    timer.reschedule(.every(2))
    #expect(timer.nextDate == start + 5)
    for second in [5.0, 7] {
      await advance(2)
      for consumer in consumers { #expect(await consumer.next() == start + second) }
    }
    timer.reschedule(.at(start + 20))
    await advance(13)
    for consumer in consumers {
      #expect(await consumer.next() == start + 20)
      #expect(await consumer.next() == nil)
    }
    timer.reschedule(.every(1))
    #expect(timer.state == .finished(.completed))
  }

  // deadlines     |         |         |         |
  // tolerance     |=====    |===      |===      |===
  // ticks              x       x         x         x
  @Test(.hazard("M5"), .guarantee("G33"))
  func `A schedule with another tolerance takes up the phase of the one before`() async {
    let timer = scheduler.timer(on: .every(10).tolerance(.seconds(5)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(15)
    #expect(await firings.next()?.row == .init(due: 10, at: 15, index: 0))
    await advance(1)
    let rest = timer.remainingTime ?? .zero
    #expect(rest == .seconds(4))
    timer.reschedule(.every(10, starting: .after(rest)).tolerance(.seconds(3)))
    await advance(7)
    #expect(await firings.next()?.row == .init(due: 20, at: 23, index: 1))
    await advance(10)
    #expect(await firings.next()?.row == .init(due: 30, at: 33, index: 2))
  }

  @Test(.guarantee("G25", "G33")) func `A tick that waits is dropped by another schedule`() async {
    let timer = scheduler.timer(on: .every(10))
    let ticks = timer.ticks
    await advance(10)
    timer.reschedule(.after(5))
    await advance(5)
    var iterator = ticks.makeAsyncIterator()
    #expect(await iterator.next() == start + 15)
    #expect(await iterator.next() == nil)
  }

  @Test(.guarantee("G33")) func `A paused timer takes another schedule and stays paused`() async {
    let timer = scheduler.timer(on: .every(10))
    let consumer = Consumer(timer.ticks)
    await advance(3)
    timer.pause()
    timer.reschedule(.every(4))
    await advance(100)
    #expect(timer.state == .paused)
    #expect(timer.remainingTime == .seconds(4))
    timer.resume()
    await advance(4)
    #expect(await consumer.next() == start + 107)
  }

  @Test(.guarantee("G33"))
  func `A timer stays paused over a schedule that has no ticks, while its action runs`() async {
    let (runs, mayEnd) = (Journal<TimerTick>(), Latch())
    let timer = scheduler.schedule(.every(1)) { tick in
      runs.note(tick)
      await mayEnd.wait()
    }
    await advance(1)
    #expect(await runs.next()?.index == 0)
    timer.pause()
    timer.reschedule(.every(1).limit(0))
    #expect(timer.state == .paused)
    timer.reschedule(.every(1))
    #expect(timer.state == .paused)
    mayEnd.open()
    await advance(10)
    timer.resume()
    await advance(1)
    let tick = await runs.next()
    #expect(tick?.index == 1)
    #expect(tick?.scheduledDate == start + 12)
    #expect(tick?.missedCount == 0)
    timer.cancel()
  }

  @Test(.guarantee("G33")) func `A timer that is rescheduled ten thousand times is still one`() async {
    let timer = scheduler.timer(on: .after(30))
    for _ in 0..<10_000 { timer.reschedule(.after(30)) }
    #expect(await scheduler.timerCount == 1)
    #expect(await scheduler.filedCount == 1)
    #expect(timer.remainingTime == .seconds(30))
  }

  // MARK: The end

  @Test func `A task that waits for the end is told why`() async throws {
    // A clock that waits until both tasks wait.
    let clock = VirtualClock()
    let timer = TimerScheduler(clock: clock).timer(on: .every(1))
    let waiting = clock.addTask { await timer.waitUntilFinished() }
    let cancelled = clock.addTask { await timer.waitUntilFinished() }
    await clock.advance(by: .zero)
    cancelled.cancel()
    #expect(try await cancelled.value == nil)
    timer.cancel()
    #expect(try await waiting.value == .cancelled)
    #expect(await timer.waitUntilFinished() == .cancelled)
  }

  @Test(.hazard("T4")) func `The end comes without listeners, too`() async {
    let once = scheduler.timer(on: .after(5))
    let until = scheduler.timer(on: .every(1).until(start + 3.5))
    let countdown = scheduler.countdown(from: .seconds(4))
    await advance(3)
    #expect(once.state == .scheduled)
    #expect(until.state == .finished(.completed))
    await advance(1)
    #expect(countdown.state == .finished(.completed))
    await advance(1)
    #expect(await once.waitUntilFinished() == .completed)
    #expect(await scheduler.timerCount == 0)
    // The first listener gets the tick that was kept.
    #expect(await Consumer(once.ticks).next() == start + 5)
    #expect(await Consumer(once.ticks).next() == nil)
  }

  @Test(.guarantee("G25")) func `After the end no tick is left that waited`() async {
    let timer = scheduler.timer(on: .after(5))
    let ticks = timer.ticks
    await advance(5)
    timer.cancel()
    var iterator = ticks.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    let completed = scheduler.timer(on: .after(5))
    await advance(5)
    #expect(completed.state == .finished(.completed))
    completed.cancel()
    #expect(await Consumer(completed.ticks).next() == nil)
  }
}
