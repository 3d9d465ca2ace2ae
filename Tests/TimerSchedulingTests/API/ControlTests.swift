import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited) struct ControlTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // deadlines     |         |         |         |
  // tolerance     |=====    |===      |===      |===
  // ticks              x       x         x         x
  @Test(.hazard("M5"), .guarantee("G34"))
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

  @Test(.guarantee("G34"))
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

  @Test func `A task that waits for the end is told why`() async throws {
    // A clock that waits until both tasks wait.
    let clock = VirtualClock()
    let timer = TimerScheduler(clock: clock).timer(on: .every(1))
    let waiting = clock.addTask { await timer.waitUntilFinished() }
    let cancelled = clock.addTask { await timer.waitUntilFinished() }
    await clock.advance(by: .zero)
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    timer.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(await timer.waitUntilFinished() == .cancelled)
  }

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

  @Test(.hazard("W5"), .guarantee("G32")) func `A scope resumes on every way out`() async {
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

  @Test(.guarantee("G72")) func `A pause isn't lateness`() async {
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
    #expect(await scheduler.snapshots.map(\.lastLateness) == [.zero, .zero])
    for index in firings.indices {
      let tick = await firings[index].next()
      #expect(tick?.scheduledDate == start + 4)
      #expect(tick?.date == start + 3_602)
      #expect(tick?.lateness == .zero)
    }
  }
}
