import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited, .guarantee("G80", "G99")) struct ShutdownTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let runs = Journal<TimerTick>()

  @Test func `A shutdown ends every timer and finishes every stream`() async {
    let consumers = [
      Consumer(scheduler.ticks(every: 1)), Consumer(scheduler.timer(on: .every(1), name: "a").ticks),
    ]
    let waiting = scheduler.ticks(every: 1)
    let paused = scheduler.timer(on: .every(1))
    paused.pause()
    let countdown = scheduler.countdown(from: .seconds(5))
    await advance(1)
    for consumer in consumers { #expect(await consumer.next() != nil) }
    scheduler.shutdown()
    scheduler.shutdown()
    // A tick had fired.
    var iterator = waiting.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    for consumer in consumers { #expect(await consumer.next() == nil) }
    #expect(paused.state == .finished(.schedulerShutDown))
    #expect(await countdown.timer.waitUntilFinished() == .schedulerShutDown)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(clock.armedCount == 0)
  }

  @Test func `A timer asked of a scheduler that has shut down has finished`() async {
    await scheduler.shutdownAndWait()
    #expect(scheduler.timer(on: .every(1), name: "a").state == .finished(.schedulerShutDown))
    #expect(await Consumer(scheduler.ticks(every: 1)).next() == nil)
    #expect(await Consumer(scheduler.countdown(from: .seconds(5)).values).next() == nil)
    let owner = TimerOwner()
    let timer = scheduler.schedule(.every(1), owner: owner) { _, tick in runs.note(tick) }
    timer.fire()
    #expect(await timer.waitUntilFinished() == .schedulerShutDown)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(!scheduler.hasOwners)
  }

  @Test(.guarantee("G100"))
  func `A run under way goes on to its end, and a shutdown that waits returns after it`() async {
    let latch = Latch()
    let ended = Box<Bool>()
    let timer = scheduler.schedule(.every(1)) { [runs] tick in
      runs.note(tick)
      await latch.wait()
      ended.value = Task.isCancelled
    }
    await advance(1)
    _ = await runs.next()
    scheduler.shutdown()
    #expect(timer.state == .finished(.schedulerShutDown))
    let waiting = Task { [scheduler] in
      await scheduler.shutdownAndWait()
      return ended.value
    }
    latch.open()
    #expect(await waiting.value == false)
  }

  // seconds            0    1    2    3
  // run                     [=========]
  // waits of the run             [
  @Test(arguments: [1.5, 2.5]) func `A run that waits for a shutdown doesn't end the wait of others`(
    from seconds: Double
  ) async throws {
    let (clock, ends) = (VirtualClock(), Journal<String>())
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.after(1)) { _ in
      try await clock.sleep(for: .seconds(1))
      async let first: Void = scheduler.shutdownAndWait()
      async let second: Void = scheduler.shutdownAndWait()
      _ = await (first, second)
      try await clock.sleep(for: .seconds(1))
      ends.note("run")
    }
    let waiting = clock.addTask {
      try await clock.sleep(for: .seconds(seconds))
      await scheduler.shutdownAndWait()
      ends.note("wait")
    }
    await clock.advance(by: .seconds(3))
    try await waiting.value
    #expect(ends.entries == ["run", "wait"])
  }

  @Test func `A task that has outlived its run waits like any other`() async {
    let latch = Latch()
    let outlived = Journal<TimerTick>()
    scheduler.schedule(.after(1)) { [scheduler] tick in
      Task {
        await latch.wait()
        await scheduler.shutdownAndWait()
        outlived.note(tick)
      }
    }
    await advance(1)
    await scheduler.waitUntilActionsHaveEnded()
    latch.open()
    #expect(await outlived.next()?.index == 0)
  }

  @MainActor
  @Test func `A run that begins as the one before ends is waited for`() async {
    // The end of a run is noted on the pool, which is kept busy.
    let busy = (0..<4).map { _ in
      Task.detached {
        while !Task.isCancelled { await Task.yield() }
      }
    }
    var (begun, ended) = (0, 0)
    for _ in 0..<rounds(300) {
      let scheduler = TimerScheduler()
      let runs = Journal<TimerTick>()
      let timer = scheduler.schedule(.every(3600)) { @MainActor tick in
        begun += 1
        runs.note(tick)
        if tick.index == 1 { await Task.yield() }
        ended += 1
      }
      timer.fire()
      _ = await runs.next()
      timer.fire()
      _ = await runs.next()
      await scheduler.shutdownAndWait()
      #expect(ended == begun)
    }
    for task in busy { task.cancel() }
  }

  // MARK: Scopes

  private struct Failure: Error {}

  @Test(.guarantee("G102"))
  func `A scope returns what its body does, and leaves nothing behind`() async throws {
    let box = Box<ScheduledTimer>()
    let ended = Box<Bool>()
    let value = await withTimerScheduler { scheduler in
      let runs = Journal<Void>()
      box.value = scheduler.schedule(.every(.milliseconds(1))) { _ in
        runs.note()
        try? await Task.sleep(for: .milliseconds(5))
        ended.value = Task.isCancelled
      }
      await runs.next()
      return 5
    }
    #expect(value == 5)
    #expect(box.value?.state == .finished(.schedulerShutDown))
    // The scope let the run finish, and waited for it.
    #expect(ended.value == false)
    await #expect(throws: Failure.self) {
      try await withTimerScheduler { scheduler in
        box.value = scheduler.timer(on: .every(1))
        throw Failure()
      }
    }
    #expect(box.value?.state == .finished(.schedulerShutDown))
  }

  @Test(.guarantee("G102"), arguments: [false, true])
  func `A cancelled scope ends at once and cancels what runs, though its timer was replaced`(
    isReplaced: Bool
  ) async {
    let (runs, ended, timer) = (Journal<Void>(), Box<Bool>(), Box<ScheduledTimer>())
    let task = Task {
      await withTimerScheduler { scheduler in
        timer.value = scheduler.schedule(.every(.milliseconds(1)), name: "job") { _ in
          if isReplaced { scheduler.schedule(.after(3600), name: "job") { _ in } }
          runs.note()
          try? await Task.sleep(for: .seconds(3600))
          ended.value = Task.isCancelled
        }
        for await _ in scheduler.ticks(every: .seconds(3600)) {}
      }
    }
    await runs.next()
    task.cancel()
    await task.value
    #expect(ended.value == true)
    #expect(timer.value?.state == .finished(isReplaced ? .replaced : .schedulerShutDown))
  }
}
