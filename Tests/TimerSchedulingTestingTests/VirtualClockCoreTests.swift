import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A test that drops its clock while timers are live leaves nothing behind.
@Suite(.limited, .guarantee("G142")) struct VirtualClockCoreTests {
  /// An object that a test holds besides its clock until its end, or a task that goes on.
  struct Leftover: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let leave: @Sendable (VirtualClock, TimerScheduler, Witness) async -> Void
  }

  static let leftovers = [
    Leftover(testDescription: "an action") { _, scheduler, object in
      scheduler.schedule(.every(60)) { _ in object.use() }
    },
    Leftover(testDescription: "an action with a name") { _, scheduler, object in
      scheduler.schedule(.every(60), name: "a") { _ in object.use() }
    },
    Leftover(testDescription: "an action at a date") { _, scheduler, object in
      scheduler.schedule(.at(.distantFuture)) { _ in object.use() }
    },
    Leftover(testDescription: "an action that has run") { clock, scheduler, object in
      scheduler.schedule(.every(1)) { _ in object.use() }
      await clock.advance(by: .seconds(3))
    },
    Leftover(testDescription: "an action that is paused") { clock, scheduler, object in
      let timer = scheduler.schedule(.every(1)) { _ in object.use() }
      await clock.advance(by: .seconds(1))
      timer.pause()
    },
    Leftover(testDescription: "an owner") { clock, scheduler, object in
      scheduler.schedule(.every(1), name: "a", owner: object) { owner, _ in owner.use() }
      await clock.advance(by: .zero)
    },
    Leftover(testDescription: "a timer owner") { clock, scheduler, object in
      let owner = TimerOwner()
      object.content.withLock { $0 = owner }
      scheduler.schedule(.every(1), owner: owner) { _, _ in object.use() }
      await clock.advance(by: .seconds(1))
    },
    Leftover(testDescription: "a loop in a task") { clock, scheduler, object in
      let ticks = scheduler.ticks(every: 1)
      Task { for await _ in ticks { object.use() } }
      await clock.waitForConsumers()
      await clock.advance(by: .seconds(2))
    },
    Leftover(testDescription: "a loop over details in a task of the clock") { clock, scheduler, object in
      let firings = scheduler.timer(on: .every(1)).firings
      clock.addTask { for await _ in firings { object.use() } }
      await clock.advance(by: .seconds(2))
    },
    Leftover(testDescription: "a countdown's loop") { clock, scheduler, object in
      let values = scheduler.countdown(from: 10.0, name: "a").values
      clock.addTask { for await _ in values { object.use() } }
      await clock.advance(by: .seconds(2))
    },
  ]

  @Test(arguments: leftovers)
  func `A clock that is dropped releases what its live timers hold`(leftover: Leftover) async {
    let log = Journal<String>()
    do {
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let scheduler = TimerScheduler(clock: clock)
      await leftover.leave(clock, scheduler, Witness(notOn: scheduler.executor.queue, tellingOfRelease: log))
    }
    #expect(await log.next() == "released")
  }

  @Test func `Dropped clocks release as many timers as there are`() async {
    let log = Journal<String>()
    do {
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let schedulers = (0..<10).map { _ in TimerScheduler(clock: clock) }
      for number in 0..<1000 {
        let scheduler = schedulers[number % 10]
        let object = Witness(notOn: scheduler.executor.queue, tellingOfRelease: log)
        scheduler.schedule(.every(Double(1 + number))) { _ in object.use() }
      }
      await clock.advance(by: .seconds(10))
    }
    await log.next(1000)
    #expect(log.entries.count == 1000)
  }

  // In an optimized build, a clock is released after its last use, long before a test ends.
  @Test func `Schedulers shut down when their clock is dropped`() async throws {
    let log = Journal<String>()
    let (scheduler, timer): (TimerScheduler, ScheduledTimer)
    var ticks: AsyncStream<Date>.Iterator
    do {
      let clock = VirtualClock(settlingTimeout: .zero)
      scheduler = TimerScheduler(clock: clock)
      let object = Witness(notOn: scheduler.executor.queue, tellingOfRelease: log)
      ticks = scheduler.ticks(every: 2).makeAsyncIterator()
      timer = scheduler.schedule(.every(60), name: "a") { _ in object.use() }
      scheduler.schedule(.every(5), name: "b") { _ in object.use() }
      await clock.advance(by: .seconds(3))
    }
    #expect(await timer.waitUntilFinished() == .schedulerShutDown)
    #expect(await log.next() == "released")
    #expect(await ticks.next() == nil)
    #expect(scheduler.timer(on: .every(1)).state == .finished(.schedulerShutDown))
  }

  @Test(.guarantee("G86")) func `A live timer keeps its scheduler while the clock lives`() async {
    let (log, clock) = (Journal<Date>(), VirtualClock(settlingTimeout: .seconds(60)))
    let start = clock.date
    TimerScheduler(clock: clock).schedule(.every(1)) { tick in
      // While it runs, nothing is armed.
      try await clock.sleep(for: .seconds(0.5))
      log.note(tick.date)
    }
    let paused = TimerScheduler(clock: clock).schedule(.every(1)) { log.note($0.date + 0.25) }
    paused.pause()
    await clock.advance(by: .seconds(2.75))
    #expect(log.entries == [start + 1, start + 2])
    paused.resume()
    await clock.advance(by: .seconds(1))
    #expect(log.entries.contains(start + 3.75 + 0.25))
    await clock.advance(by: .seconds(1))
    #expect(clock.armedCount == 2)
  }
}

/// An object that reports its release, which must not be on a timer queue.
final class Witness: Sendable {
  /// Guards an object that lives as long as this one.
  let content = Lock<(any AnyObject & Sendable)?>(nil)
  private let queue: DispatchQueue
  private let log: Journal<String>

  init(notOn queue: DispatchQueue, tellingOfRelease log: Journal<String>) {
    self.queue = queue
    self.log = log
  }

  deinit {
    dispatchPrecondition(condition: .notOnQueue(queue))
    log.note("released")
  }

  func use() {}
}
