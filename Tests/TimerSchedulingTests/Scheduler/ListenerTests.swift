import Dispatch
import Foundation
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads)) struct ListenerTests {
  private let clock = VirtualClock.manual()
  private let scheduler: TimerScheduler
  private let start: Date

  init() {
    scheduler = clock.makeScheduler()
    start = clock.date
  }

  private func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
  }

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

  @Test func `A timer that nobody listens to keeps its newest tick for the first listener`() async {
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

  @Test func `A listener that is slow misses ticks by itself`() async {
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

  @Test func `A listener that leaves doesn't end the timer or the others`() async {
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

  @Test func `A timer without name ends with its last handle and listener`() async {
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
    let (runs, latches) = (Runs(), [Latch(), Latch()])
    let timer = scheduler.schedule(.every(1).limit(2)) { tick in
      runs.note(tick)
      await latches[tick.index].wait()
    }
    var firings = timer.firings.makeAsyncIterator()
    await advance(1)
    #expect(await runs.next().index == 0)
    #expect(await firings.next()?.index == 0)
    await advance(1)
    #expect(await firings.next()?.index == 1)
    timer.pause()
    latches[0].open()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
    #expect(await runs.next().index == 1)
    latches[1].open()
    #expect(await timer.waitUntilFinished() == .completed)
  }

  @Test func `What a listener leaves untaken doesn't count against the limit of another`() async {
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

  @Test func `A listener that is discarded leaves the tick that was kept to the next`() async {
    let timer = scheduler.timer(on: .every(1))
    await advance(1.5)
    _ = timer.ticks
    var ticks = timer.ticks.makeAsyncIterator()
    #expect(await ticks.next() == start + 1)
  }

  @Test func `A stream's timer is the stream's, whoever finds it first`() async {
    // While the old timer's action is released, the new timer can be found, and its stream isn't there yet.
    let found = DispatchSemaphore(value: 0)
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    do {
      let witness = Farewell {
        opening.yield()
        found.wait()
      }
      scheduler.schedule(.every(1), name: "job") { _ in withExtendedLifetime(witness) {} }
    }
    let box = Box<AsyncStream<Date>>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread { [scheduler] in
      box.value = scheduler.ticks(every: 1, name: "job")
      end.yield()
    }
    _ = await openings.first { true }
    // One that comes and goes, and one that stays.
    _ = await scheduler.timer(named: "job")?.ticks
    let stranger = await scheduler.timer(named: "job").map { Consumer($0.ticks) }
    found.signal()
    _ = await ends.first { true }
    let consumer = box.value.map { Consumer($0) }
    box.value = nil
    await advance(1)
    #expect(await consumer?.next() == start + 1)
    #expect(await stranger?.next() == start + 1)
    consumer?.cancel()
    #expect(await stranger?.next() == nil)
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A name is free when those who wait for the end are told of it`() async {
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
