import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The consumers that the clock waits for, and those that it doesn't.
@Suite(.limited, .guarantee("G128")) struct SettlingTests: VirtualTimeSuite {
  let time = VirtualTime.reporting()

  // MARK: Consumers

  @Test func `A consumer that takes its time misses nothing`() async {
    let log = Journal<Int>()
    let loop = clock.addTask { [clock, scheduler] in
      for await tick in scheduler.timer(on: .every(.milliseconds(1)).limit(50)).firings {
        // Real time, in which a clock that doesn't wait would go on.
        try? await Task.sleep(for: .milliseconds(1))
        log.note(tick.missedCount)
        #expect(clock.date == tick.date)
      }
    }
    await clock.advance(by: .seconds(1))
    _ = await loop.result
    #expect(log.entries == Array(repeating: 0, count: 50))
    #expect(lines.entries.isEmpty)
  }

  @Test func `A loop that ends isn't waited for`() async {
    let log = Journal<Date>()
    let loop = Task { [scheduler] in
      for await tick in scheduler.ticks(every: 1) {
        log.note(tick)
        if log.entries.count == 3 { break }
      }
    }
    await clock.waitForConsumers()
    await clock.advance(by: .seconds(10))
    await loop.value
    #expect(log.entries == [start + 1, start + 2, start + 3])
    #expect(await scheduler.timerCount == 0)
    #expect(lines.entries.isEmpty)
  }

  @Test func `A loop over a timer that has fired gets what is kept for it, and all that follows`() async {
    let timer = scheduler.timer(on: .every(1))
    await clock.advance(by: .seconds(5))
    let (log, firings) = (Journal<TimerTick>(), timer.firings)
    let loop = Task {
      for await tick in firings { log.note(tick) }
    }
    await clock.advance(by: .seconds(3))
    #expect(log.entries.map(\.scheduledDate) == [5, 6, 7, 8].map { start + $0 })
    #expect(log.entries.map(\.missedCount) == [4, 0, 0, 0])
    loop.cancel()
  }

  @Test func `A task that is cancelled isn't waited for`() async {
    let timer = scheduler.timer(on: .every(1))
    let firings = timer.firings
    let loop = Task {
      for await _ in firings {}
    }
    await clock.advance(by: .seconds(1))
    loop.cancel()
    await clock.advance(by: .seconds(1))
    await loop.value
    #expect(timer.state == .scheduled)
    #expect(lines.entries.isEmpty)
  }

  @Test func `A consumer that waits for a tick of another timer isn't waited for`() async {
    let log = Journal<Date>()
    let (often, seldom) = (scheduler.ticks(every: 1), scheduler.ticks(every: 10))
    let loop = Task {
      var rest = seldom.makeAsyncIterator()
      for await _ in often {
        guard let tick = await rest.next() else { break }
        log.note(tick)
      }
    }
    await clock.advance(by: .seconds(35))
    #expect(log.entries == [start + 10, start + 20, start + 30])
    #expect(lines.entries.isEmpty)
    loop.cancel()
  }

  @Test func `A consumer that waits for the end of a timer isn't waited for`() async {
    let log = Journal<Date>()
    let firings = scheduler.timer(on: .every(1)).firings
    let other = scheduler.schedule(.after(5)) { _ in }
    let loop = Task { [clock] in
      for await _ in firings {
        await other.waitUntilFinished()
        log.note(clock.date)
      }
    }
    await clock.advance(by: .seconds(6))
    #expect(log.entries.first == start + 5)
    #expect(lines.entries.isEmpty)
    loop.cancel()
  }

  @Test func `A consumer that sleeps after a countdown's first value isn't waited for`() async {
    let (log, values) = (Journal<Duration>(), scheduler.countdown(from: .seconds(5)).values)
    let loop = Task { [clock] in
      for await value in values {
        log.note(value)
        try? await clock.sleep(for: .seconds(10))
      }
    }
    await clock.advance(by: .seconds(20))
    await loop.value
    #expect(log.entries == [.seconds(5), .zero])
    #expect(lines.entries.isEmpty)
  }

  @Test(arguments: 0..<50) func `A loop gets a tick that was fired by hand before it has asked`(round: Int)
    async
  {
    let timer = scheduler.timer(on: .every(1))
    let (log, firings) = (Journal<Int>(), timer.firings)
    let loop = Task {
      for await tick in firings { log.note(tick.index) }
    }
    timer.fire()
    await clock.advance(by: .zero)
    #expect(log.entries == [0])
    loop.cancel()
  }

  // MARK: Actions

  @Test func `An action that waits for consumers isn't waited for`() async {
    let (log, firings) = (Journal<Date>(), scheduler.timer(on: .every(1)).firings)
    scheduler.schedule(.after(1)) { [clock] _ in
      await clock.waitForConsumers(2)
      log.note(clock.date)
    }
    let first = Task { for await _ in firings {} }
    await clock.advance(by: .seconds(5))
    let second = Task { [scheduler] in
      for await _ in scheduler.ticks(every: 1) {}
    }
    await clock.waitForConsumers(2)
    await clock.advance(by: .zero)
    #expect(log.entries == [start + 5])
    #expect(lines.entries.isEmpty)
    for loop in [first, second] { loop.cancel() }
  }

  @Test func `An action may advance the clock, when the present advance has ended`() async {
    let log = Journal<Date>()
    let action = scheduler.schedule(.after(1)) { [clock] _ in
      await clock.advance(by: .seconds(10))
      log.note(clock.date)
    }
    await clock.advance(by: .seconds(5))
    #expect(clock.date >= start + 5)
    await action.waitUntilFinished()
    #expect(log.entries == [start + 15])
    #expect(lines.entries.isEmpty)
  }
}
