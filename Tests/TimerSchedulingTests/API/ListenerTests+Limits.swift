import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The last ticks of a timer, and the listeners that get them.
extension ListenerTests {
  @Test func `A limit counts what one listener has taken, and the others get what they are owed`() async {
    let timer = scheduler.timer(on: .every(1).limit(2))
    let quick = Consumer(timer.firings)
    let slow = timer.firings
    for _ in 0..<2 {
      await advance(1)
      #expect(await quick.next() != nil)
    }
    #expect(await quick.next() == nil)
    #expect(timer.state == .finished(.completed))
    var iterator = slow.makeAsyncIterator()
    let tick = await iterator.next()
    #expect(tick?.index == 1)
    #expect(tick?.missedCount == 1)
    #expect(await iterator.next() == nil)
  }

  @Test func `Others get the last tick of a stream, though its loop has ended`() async throws {
    let stream = Consumer(scheduler.ticks(on: .after(1), name: "stream"))
    let timer = try #require(await scheduler.timer(named: "stream"))
    var firings = timer.firings.makeAsyncIterator()
    await advance(1)
    #expect(await stream.next() == start + 1)
    await stream.waitUntilDone()
    #expect(await firings.next()?.date == start + 1)
    #expect(await firings.next() == nil)
    #expect(timer.state == .finished(.completed))
  }

  @Test func `An action gets the last tick, though a listener has taken it and the timer was paused`() async {
    let (runs, latches) = (Journal<TimerTick>(), [Latch(), Latch()])
    let timer = scheduler.schedule(.every(1).limit(2)) { tick in
      runs.note(tick)
      await latches[tick.index].wait()
    }
    var firings = timer.firings.makeAsyncIterator()
    await advance(1)
    #expect(await runs.next()?.index == 0)
    #expect(await firings.next()?.index == 0)
    await advance(1)
    #expect(await firings.next()?.index == 1)
    timer.pause()
    latches[0].open()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
    #expect(await runs.next()?.index == 1)
    latches[1].open()
    #expect(await timer.waitUntilFinished() == .completed)
  }

  @Test func `Ticks that a listener leaves untaken don't count against the limit of another`() async {
    let timer = scheduler.timer(on: .every(1).missedTicks(.burst).limit(5))
    var first: Consumer? = Consumer(timer.firings.prefix(1))
    let behind = timer.firings
    await advance(1)
    #expect(await first?.next()?.index == 0)
    await first?.waitUntilDone()
    first = nil
    await advance(10)
    let second = Consumer(timer.firings)
    do { _ = consume behind }
    for index in 1..<5 {
      await advance(1)
      #expect(await second.next()?.index == index)
    }
    #expect(await second.next() == nil)
    #expect(timer.state == .finished(.completed))
  }

  @Test func `A listener that leaves gives its tick below a limit to one that waits`() async {
    // Settles, so that the second listener waits before the first leaves.
    let clock = VirtualClock()
    let timer = clock.makeScheduler().timer(on: .every(1).missedTicks(.burst).limit(3))
    await clock.advance(by: .seconds(3))
    let behind = clock.addTask {
      var firings = timer.firings.makeAsyncIterator()
      for index in 0..<2 { #expect(await firings.next()?.index == index) }
      try await clock.sleep(for: .seconds(10))
      _ = await firings.next()
    }
    await clock.advance(by: .zero)
    let waiting = Consumer(timer.firings)
    // The tick at 3 s is the third for as long as the first listener may take it.
    await clock.advance(by: .seconds(1))
    #expect(timer.state == .scheduled)
    behind.cancel()
    #expect(await waiting.next()?.index == 2)
    #expect(await waiting.next() == nil)
    #expect(timer.state == .finished(.completed))
  }

  @Test func `A single tick that was taken isn't there for one that comes later`() async {
    let timer = scheduler.timer(on: .after(.seconds(1)))
    do {
      var first = timer.firings.makeAsyncIterator()
      await advance(1)
      #expect(await first.next()?.index == 0)
    }
    var second = timer.firings.makeAsyncIterator()
    #expect(await second.next() == nil)
  }
}
