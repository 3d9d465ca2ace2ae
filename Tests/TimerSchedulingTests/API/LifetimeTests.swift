import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited) struct LifetimeTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // MARK: Streams

  @Test(.hazard("Y9"), .guarantee("G75"), arguments: [0.0, 5])
  func `A stream that is dropped ends its timer, though a tick may wait`(seconds: Double) async {
    var stream: AsyncStream<Date>? = scheduler.ticks(every: 1)
    await advance(seconds)
    #expect(await scheduler.timerCount == 1)
    _ = stream
    stream = nil
    #expect(await scheduler.timerCount == 0)
    #expect(clock.armedCount == 0)
  }

  @Test(.guarantee("G75")) func `A task that is cancelled while it waits ends its timer`() async {
    let stream = scheduler.ticks(every: 1)
    let consumer = Consumer(stream)
    await clock.advance(by: .seconds(1))
    #expect(await consumer.next() == start + 1)
    consumer.cancel()
    #expect(await consumer.next() == nil)
    #expect(await scheduler.timerCount == 0)
    await clock.advance(by: .seconds(1))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == nil)
  }

  @Test(.guarantee("G75", "G81"))
  func `A tick that waits isn't delivered to a task that was cancelled`() async {
    let stream = scheduler.ticks(every: 1)
    await clock.advance(by: .seconds(1))
    let task = Task { () -> Date? in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }
    #expect(await task.value == nil)
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.guarantee("G75")) func `A second task gets the ticks that the first leaves`() async throws {
    // A clock that waits until both tasks wait. The timer wakes one of them.
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    for _ in 0..<50 {
      let stream = scheduler.ticks(on: .every(1).missedTicks(.burst).until(clock.date + 3))
      let tasks = (0..<2).map { task in
        clock.addTask { for await _ in stream where task == 0 { break } }
      }
      await clock.advance(by: .zero)
      clock.letPass(.seconds(10))
      await clock.advance(by: .zero)
      for task in tasks { await task.value }
    }
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.hazard("T5"), .guarantee("G92"))
  func `A timer that was replaced doesn't free the name of its successor`() async {
    var old: AsyncStream<Date>? = scheduler.ticks(every: 1, name: "refresh")
    let new = scheduler.ticks(every: 1, name: "refresh")
    _ = old
    old = nil
    #expect(scheduler.nameCount == 1)
    #expect(await scheduler.timerCount == 1)
    withExtendedLifetime(new) {}
    // A countdown whose last value is untaken.
    let countdown = scheduler.countdown(from: .seconds(1), name: "code")
    var values = countdown.values.makeAsyncIterator()
    #expect(await values.next() == .seconds(1))
    await clock.advance(by: .seconds(1))
    let successor = scheduler.countdown(from: .seconds(30), name: "code")
    #expect(await values.next() == nil)
    countdown.cancel()
    #expect(scheduler.countdown(named: "code")?.value == .seconds(30))
    #expect(successor.timer.state == .scheduled)
  }

  @Test(.guarantee("G92")) func `An empty name is a name like any other`() async {
    let old = scheduler.timer(on: .every(1), name: "")
    let unnamed = scheduler.timer(on: .every(1))
    #expect(scheduler.timer(named: "") == old)
    #expect(scheduler.countdown(named: "") == nil)
    let new = scheduler.countdown(from: .seconds(5), name: "")
    #expect(old.state == .finished(.replaced))
    #expect(unnamed.state == .scheduled)
    #expect(scheduler.countdown(named: "")?.timer.state == new.timer.state)
    #expect(scheduler.timer(named: "none") == nil)
  }

  @Test(.guarantee("G87")) func `A scheduler without timers and references is released`() async {
    let (clock, releases) = (VirtualClock.manual(), Journal<Void>())
    weak var scheduler: TimerScheduler?
    weak var driver: TimerDriver?
    let queue: DispatchQueue
    do {
      let local = TimerScheduler(clock: clock, configuration: .init { releases.note() })
      (scheduler, driver, queue) = (local, local.driver, local.executor.queue)
      let streams = (0..<10).map { _ in local.ticks(every: 1) }
      await clock.advance(by: .seconds(1))
      withExtendedLifetime(streams) {}
    }
    await releases.next()
    // A block of the queue holds the driver until it has returned.
    queue.sync {}
    let areReleased = scheduler == nil && driver == nil
    #expect(areReleased)
    #expect(clock.armedCount == 0)
  }

  @Test(.guarantee("G90")) func `A rule is released when its timer ends, and not on the timer queue`() async {
    let releases = Journal<Void>()
    var stream: AsyncStream<Date>?
    do {
      let probe = ReleaseProbe { [queue = scheduler.executor.queue] in
        dispatchPrecondition(condition: .notOnQueue(queue))
        releases.note()
      }
      let rule = Answering { date in withExtendedLifetime(probe) { date + 10 } }
      stream = scheduler.ticks(on: .rule(rule))
    }
    await clock.advance(by: .seconds(10))
    await clock.setWallClock(by: .seconds(-100))
    await clock.advance(by: .seconds(10))
    #expect(releases.entries.isEmpty)
    _ = stream
    stream = nil
    // A task that asks the rule again may still hold it.
    await releases.next()
  }
}
