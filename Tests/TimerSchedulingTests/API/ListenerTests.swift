import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited, .guarantee("G34")) struct ListenerTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test func `Every listener gets every tick`() async {
    let timer = scheduler.timer(on: .every(1).limit(3))
    let consumers = (0..<5).map { _ in Consumer(timer.firings) }
    for index in 0..<3 {
      await advance(1)
      for consumer in consumers {
        let tick = await consumer.next()
        #expect(tick?.index == index)
        #expect(tick?.date == start + Double(index + 1))
      }
    }
    for consumer in consumers { #expect(await consumer.next() == nil) }
    #expect(timer.state == .finished(.completed))
  }

  @Test func `When most of the waiting listeners leave, each of the others gets the next tick`() async {
    let timer = scheduler.timer(on: .every(1))
    let tasks = (0..<200).map { _ in Task { await timer.firings.first { _ in true }?.index } }
    await clock.waitForConsumers(200)
    for task in tasks[..<190] { task.cancel() }
    for task in tasks[..<190] { #expect(await task.value == nil) }
    await advance(1)
    for task in tasks[190...] { #expect(await task.value == 0) }
  }

  @Test func `A timer without listeners keeps its newest tick for the first one`() async {
    let timer = scheduler.timer(on: .every(1))
    await advance(3.5)
    var first = timer.firings.makeAsyncIterator()
    let tick = await first.next()
    #expect(tick?.scheduledDate == start + 3)
    #expect(tick?.missedCount == 2)
    let late = Consumer(timer.firings)
    await advance(0.5)
    #expect(await late.next()?.scheduledDate == start + 4)
    #expect(await first.next()?.scheduledDate == start + 4)
  }

  @Test func `A slow listener misses ticks independently of the others`() async {
    let timer = scheduler.timer(on: .every(1))
    let fast = Consumer(timer.firings)
    let slow = timer.firings
    for second in 1...4 {
      await advance(1)
      #expect(await fast.next()?.missedCount == 0)
      #expect(clock.date == start + Double(second))
    }
    var iterator = slow.makeAsyncIterator()
    let tick = await iterator.next()
    #expect(tick?.scheduledDate == start + 4)
    #expect(tick?.missedCount == 3)
    #expect(tick?.index == 3)
  }

  @Test(.hazard("T8")) func `A listener that leaves doesn't end the timer or the others`() async {
    let timer = scheduler.timer(on: .every(1))
    let first = Consumer(timer.ticks)
    let second = Consumer(timer.ticks)
    await advance(1)
    #expect(await first.next() == start + 1)
    #expect(await second.next() == start + 1)
    first.cancel()
    #expect(await first.next() == nil)
    #expect(timer.state == .scheduled)
    await advance(1)
    #expect(await second.next() == start + 2)
  }

  @Test func `A cancelled listener gets nothing any more, and a new one does`() async {
    let timer = scheduler.timer(on: .every(1))
    let firings = timer.firings
    let task = Task { () -> TimerTick? in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      var iterator = firings.makeAsyncIterator()
      return await iterator.next()
    }
    #expect(await task.value == nil)
    var iterator = firings.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    let consumer = Consumer(timer.firings)
    await advance(1)
    #expect(await consumer.next()?.date == start + 1)
  }

  @Test(.hazard("Y9"), .guarantee("G75"))
  func `A timer without name ends with its last handle and listener`() async {
    var timer: ScheduledTimer? = scheduler.timer(on: .every(1))
    #expect(await scheduler.timerCount == 1)
    let consumer = timer.map { Consumer($0.ticks) }
    timer = nil
    await advance(1)
    #expect(await consumer?.next() == start + 1)
    #expect(await scheduler.timerCount == 1)
    consumer?.cancel()
    await consumer?.waitUntilDone()
    #expect(await scheduler.timerCount == 0)
    timer = scheduler.timer(on: .every(1))
    timer = nil
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A listener that left before its first tick holds no timer when another has come`() async {
    var timer: ScheduledTimer? = scheduler.timer(on: .every(1))
    _ = timer?.ticks
    let consumer = timer.map { Consumer($0.ticks) }
    timer = nil
    await advance(1)
    #expect(await consumer?.next() == start + 1)
    consumer?.cancel()
    await consumer?.waitUntilDone()
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A handle that was found holds a timer without name, too`() async {
    var timer: ScheduledTimer? = scheduler.timer(on: .every(1))
    let id = timer?.id
    let found = await id.asyncMap { await scheduler.timer(id: $0) }
    #expect(found == timer)
    timer = nil
    #expect(found?.state == .scheduled)
    #expect(await scheduler.timerCount == 1)
  }

  @Test func `A handle on a stream's timer doesn't outlive the stream`() async {
    var stream: AsyncStream<Date>? = scheduler.ticks(every: 1, name: "stream")
    let timer = await scheduler.timer(named: "stream")
    let consumer = timer.map { Consumer($0.ticks) }
    timer?.pause()
    #expect(timer?.state == .paused)
    _ = stream
    stream = nil
    #expect(timer?.state == .finished(.cancelled))
    #expect(await consumer?.next() == nil)
  }

  @Test func `A listener that is discarded leaves the tick that was kept to the next`() async {
    let timer = scheduler.timer(on: .every(1))
    await advance(1.5)
    _ = timer.ticks
    var ticks = timer.ticks.makeAsyncIterator()
    #expect(await ticks.next() == start + 1)
  }

  @Test func `A stream's timer belongs to the stream, even if another task finds it first`() async {
    // While the old timer's action is released, the new timer can be found, and its stream isn't there yet.
    let found = DispatchSemaphore(value: 0)
    let openings = Journal<Void>()
    do {
      let probe = ReleaseProbe {
        openings.note()
        found.wait()
      }
      scheduler.schedule(.every(1), name: "job") { _ in withExtendedLifetime(probe) {} }
    }
    let box = Box<AsyncStream<Date>>()
    let ends = Journal<Void>()
    Thread.detachNewThread { [scheduler] in
      box.value = scheduler.ticks(every: 1, name: "job")
      ends.note()
    }
    await openings.next()
    // One listener comes and goes, and one stays.
    _ = await scheduler.timer(named: "job")?.ticks
    let stranger = await scheduler.timer(named: "job").map { Consumer($0.ticks) }
    found.signal()
    await ends.next()
    let consumer = box.value.map { Consumer($0) }
    box.value = nil
    await advance(1)
    #expect(await consumer?.next() == start + 1)
    #expect(await stranger?.next() == start + 1)
    consumer?.cancel()
    #expect(await stranger?.next() == nil)
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A name is free when the tasks that wait for the end are resumed`() async {
    for _ in 0..<500 {
      let timer = scheduler.timer(on: .every(1), name: "job")
      let waiting = Task { [scheduler] in
        await timer.waitUntilFinished()
        return await scheduler.timer(named: "job")
      }
      Thread.detachNewThread { timer.cancel() }
      #expect(await waiting.value == nil)
    }
  }

  @Test func `Each listener gets every tick of a burst`() async {
    let timer = scheduler.timer(on: .every(1).missedTicks(.burst).limit(4))
    let sequences = [timer.firings, timer.firings]
    await advance(10)
    for sequence in sequences {
      var due: [Date] = []
      for await tick in sequence {
        due.append(tick.scheduledDate)
        if due.count == 4 { break }
      }
      #expect(due == (1...4).map { start + Double($0) })
    }
    #expect(timer.state == .finished(.completed))
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(_ transform: (Wrapped) async -> Result?) async -> Result? {
    if let self { await transform(self) } else { nil }
  }
}
