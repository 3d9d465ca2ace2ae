import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The faults of TimerTicker and its manager, which counted down by keys.
@Suite(.timeLimit(.minutes(30))) struct TimerTickerHazards {
  private let clock = VirtualClock.manual()
  private let scheduler: TimerScheduler
  private let start: Date

  init() {
    scheduler = clock.makeScheduler()
    start = clock.date
  }

  private func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
    await scheduler.waitUntilActionsHaveEnded()
  }

  // A value was the start less the number of ticks, so that late and merged ticks made a countdown run long.
  // Fails where values or the end come from counting.
  //
  // seconds    0         4.5       8.7  10
  // values     10        6         2    0
  @Test func `T1: A countdown that missed ticks ends on time`() async {
    let countdown = scheduler.countdown(from: .seconds(10))
    var values = countdown.values.makeAsyncIterator()
    #expect(await values.next() == .seconds(10))
    clock.letPass(.milliseconds(4_500))
    await advance(0)
    #expect(countdown.value == .milliseconds(5_500))
    #expect(await values.next() == .seconds(6))
    clock.letPass(.milliseconds(4_200))
    await advance(0)
    #expect(await values.next() == .seconds(2))
    await advance(1.3)
    #expect(await values.next() == .zero)
    #expect(await values.next() == nil)
    #expect(countdown.state == .finished(.completed))
    #expect(clock.date == start + 10)
  }

  // The end was tested before a value was shown, so the last one wasn't, and steps of 0.3 were taken off a
  // sum of binary fractions: 2.1 had eight. Fails where values are accumulated or the end value isn't the
  // last.
  @Test func `T2: 2.1 to 0 by 0.3 is eight values in seven steps, the last of them 0`() async {
    var values = scheduler.countdown(from: 2.1, to: 0, every: 0.3).values.makeAsyncIterator()
    for milliseconds in [2_100, 1_800, 1_500, 1_200, 900, 600, 300] {
      #expect(await values.next() == .milliseconds(milliseconds))
      await clock.advance(by: .milliseconds(300))
    }
    #expect(await values.next() == .zero)
    #expect(clock.date == start + 2.1)
    #expect(await values.next() == nil)
  }

  // A step of 0 ran every nanosecond with values that weren't numbers. Fails where one gets through.
  @Test(arguments: BadStep.allCases)
  func `T3: A step that isn't greater than zero stops the process`(step: BadStep) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [step] in
      step.countDown()
    }
    // Release builds stop too, but the compiler leaves the sentence out.
    #if DEBUG
    let output = try #require(result).standardErrorContent
    #expect(String(decoding: output, as: UTF8.self).contains("A countdown"))
    #endif
  }

  // The step's sign gave the direction, opposite to its documentation, and the wrong sign stopped the countdown at
  // once without a message. Fails where the direction isn't that from the start to the end.
  @Test(arguments: [
    (3.0, 0.0, [3.0, 2, 1, 0]), (0, 3, [0, 1, 2, 3]), (-1, 1.5, [-1, 0, 1, 1.5]),
    (1, -1.5, [1, 0, -1, -1.5]),
  ])
  func `T3: The direction is that from the start to the end`(
    from first: Double, to last: Double, expected: [Double]
  ) async {
    var values = scheduler.countdown(from: first, to: last).values.makeAsyncIterator()
    var seen: [Duration] = []
    while let value = await values.next() {
      seen.append(value)
      await advance(1)
    }
    #expect(seen == expected.map { .seconds($0) })
  }

  // A countdown that had come to its end by itself still said that it was running. Fails where only a call
  // from outside finishes a timer, and where one without listeners doesn't finish.
  @Test func `T4: After its natural end a countdown says that it has completed`() async {
    let heard = scheduler.countdown(from: .seconds(3), name: "heard")
    let unheard = scheduler.countdown(from: .seconds(3), name: "unheard")
    let action = scheduler.schedule(.every(1).limit(3), name: "action") { _ in }
    var values = heard.values.makeAsyncIterator()
    for _ in 1...3 {
      #expect(await values.next() != nil)
      #expect(heard.state == .scheduled)
      #expect(unheard.state == .scheduled)
      await advance(1)
    }
    #expect(await values.next() == .zero)
    #expect(heard.state == .finished(.completed))
    #expect(unheard.state == .finished(.completed))
    #expect(unheard.value == .zero)
    #expect(action.state == .finished(.completed))
    #expect(await heard.waitUntilFinished() == .completed)
    #expect(await scheduler.countdown(named: "heard") == nil)
    #expect(scheduler.nameCount == 0)
  }

  // The end of a run was told by a block on the main queue that removed the key, which by then could be that
  // of a new run. Fails where a late end acts by name: of a countdown whose last value is untaken, and of an
  // action that is still running.
  @Test func `T5: The late end of a countdown that was started again doesn't end the new one`() async {
    var old: Countdown? = scheduler.countdown(from: .seconds(3), name: "code")
    var oldValues = old?.values.makeAsyncIterator()
    #expect(await oldValues?.next() == .seconds(3))
    let latch = Latch()
    let oldJob = scheduler.schedule(.after(3), name: "job") { _ in await latch.wait() }
    await clock.advance(by: .seconds(3))

    let new = scheduler.countdown(from: .seconds(30), name: "code")
    let newJob = scheduler.schedule(.after(3), name: "job") { _ in }
    #expect(await oldValues?.next() == nil)
    old?.cancel()
    old = nil
    oldValues = nil
    oldJob.cancel()
    latch.open()
    await scheduler.waitUntilActionsHaveEnded()

    #expect(await scheduler.timer(named: "job") == newJob)
    #expect(newJob.remainingTime == .seconds(3))
    #expect(new.state == .scheduled)
    await advance(1)
    #expect(await scheduler.countdown(named: "code")?.value == .seconds(29))
    await advance(2)
    #expect(newJob.state == .finished(.completed))
  }

  // Values were delivered by dispatch_sync to the main thread: each timer held a thread of the pool until main
  // had time, a lock that main waited for was a deadlock, and what came after a stop was out of date. Fails
  // where a hundred timers of a busy main thread hold up the scheduler or others, or where they come twice.
  @Test func `T6: A busy main thread delays neither the scheduler nor other timers`() async {
    let main = await BusyMainThread()
    let shown = Journal<Int>()
    let countdowns = (0..<100).map { _ in
      scheduler.schedule(.every(1)) { @MainActor tick in shown.note(tick.missedCount) }
    }
    let others = Consumer(scheduler.ticks(every: 1))
    await withTaskCancellationHandler {
      for second in 1...5 {
        await clock.advance(by: .seconds(1))
        #expect(await others.next() == start + Double(second))
      }
    } onCancel: {
      // The test is over its time.
      main.letGo()
    }
    #expect(shown.entries.isEmpty)
    for stopped in countdowns.prefix(50) { stopped.cancel() }
    main.letGo()
    await main.waitUntilFree()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(shown.entries == Array(repeating: 4, count: 50))
  }

  // With start and end the same the delegate was called before the call that started it had returned. Fails
  // where a first value comes on the caller's stack: here the caller is the action's own actor, which it
  // doesn't leave.
  @MainActor
  @Test func `T7: A countdown from its end has one value, and nothing runs on the caller's stack`() async {
    let countdown = scheduler.countdown(from: .seconds(5), to: .seconds(5))
    var values = countdown.values.makeAsyncIterator()
    #expect(await values.next() == .seconds(5))
    #expect(await values.next() == nil)
    #expect(countdown.state == .finished(.completed))

    let runs = Journal<Int>()
    scheduler.schedule(.every(1, starting: .immediately)) { @MainActor tick in runs.note(tick.index) }
    scheduler.schedule(.after(0)) { @MainActor tick in runs.note(tick.index) }
    let byHand = scheduler.schedule(.every(1)) { @MainActor tick in runs.note(tick.index) }
    byHand.fire()
    #expect(runs.entries.isEmpty)
    await advance(0)
    #expect(runs.entries == [0, 0, 0])
  }

  // There was one delegate, and removing one removed any delegate that was there: a screen that left silenced the
  // one that had come. Fails where listeners share a place.
  @Test func `T8: A listener that leaves doesn't silence the one that came after it`() async {
    let countdown = scheduler.countdown(from: .seconds(3), name: "code")
    let oldScreen = Consumer(countdown.values)
    #expect(await oldScreen.next() == .seconds(3))
    await advance(1)
    #expect(await oldScreen.next() == .seconds(2))

    let newScreen = Consumer(countdown.values)
    #expect(await newScreen.next() == .seconds(2))
    oldScreen.cancel()
    #expect(await oldScreen.next() == nil)
    await advance(1)
    #expect(await newScreen.next() == .seconds(1))
    newScreen.cancel()
    #expect(await newScreen.next() == nil)

    // Without a listener it goes on, and a listener that comes back finds it.
    await clock.advance(by: .milliseconds(500))
    let found = await scheduler.countdown(named: "code")
    #expect(found?.value == .milliseconds(500))
    var values = found?.values.makeAsyncIterator()
    #expect(await values?.next() == .seconds(1))
    await clock.advance(by: .milliseconds(500))
    #expect(await values?.next() == .zero)
    #expect(await values?.next() == nil)
  }

  // The dictionary had no lock, and an entry that had come to its end stayed in it. Fails, or is seen by the
  // thread sanitizer, where eight tasks over the same names leave anything behind.
  @Test(.tags(.threads)) func `T9: Timers that have finished leave nothing behind`() async {
    let scheduler = scheduler
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<500 {
            let name = "\(round % 20)"
            switch (task + round) % 4 {
            case 0: scheduler.countdown(from: .seconds(1), name: name).cancel()
            case 1: scheduler.schedule(.after(1), name: name) { _ in }
            case 2: _ = scheduler.timer(on: .every(1).limit(1), name: name)
            default: await scheduler.timer(named: name)?.cancel()
            }
          }
        }
      }
    }
    for number in 0..<20 { _ = scheduler.countdown(from: .seconds(1), name: "\(number)") }
    #expect(await scheduler.timerCount == 20)
    #expect(scheduler.nameCount == 20)
    await advance(1)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(await scheduler.snapshots.isEmpty)
    #expect(clock.armedCount == 0)
  }
}
