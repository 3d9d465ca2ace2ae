import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited, .guarantee("G35")) struct ListenerTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test func `When most of the waiting listeners leave, each of the others gets the next tick`() async {
    let timer = scheduler.timer(on: .every(1))
    let tasks = (0..<200).map { _ in Task { await timer.firings.first { _ in true }?.index } }.shuffled()
    await clock.waitForConsumers(200)
    for task in tasks[..<190] { task.cancel() }
    for task in tasks[..<190] { #expect(await task.value == nil) }
    await advance(1)
    for task in tasks[190...] { #expect(await task.value == 0) }
  }

  @Test(.hazard("Y9"), .guarantee("G77"), arguments: [false, true])
  func `A timer without name ends with its last handle and listener`(hasOneLeft: Bool) async {
    var timer: ScheduledTimer? = scheduler.timer(on: .every(1))
    #expect(await scheduler.timerCount == 1)
    // Before its first tick.
    if hasOneLeft { _ = timer?.ticks }
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

  @Test func `A listener that is discarded leaves the tick that was kept to the next`() async {
    let timer = scheduler.timer(on: .every(1))
    await advance(1.5)
    _ = timer.ticks
    var ticks = timer.ticks.makeAsyncIterator()
    #expect(await ticks.next() == start + 1)
  }

  @Test func `Listeners come and go on many threads, and one that stays gets its tick`() async {
    let timer = scheduler.timer(on: .every(1))
    let stays = timer.firings
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for count in 0..<rounds(2_000) {
        // Some are held for a while, so that they leave in another order.
        let listeners = (0..<(count + number) % 4).map { _ in timer.firings }
        withExtendedLifetime(listeners) {}
      }
    }
    await advance(1)
    #expect(await stays.first { _ in true }?.index == 0)
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
    _ = scheduler.timer(named: "job")?.ticks
    let stranger = scheduler.timer(named: "job").map { Consumer($0.ticks) }
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
        return scheduler.timer(named: "job")
      }
      Thread.detachNewThread { timer.cancel() }
      #expect(await waiting.value == nil)
    }
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
}
