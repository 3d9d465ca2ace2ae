import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Runs that wait for each other by any of the three waits.
@Suite(.tags(.threads), .limited, .guarantee("G51", "G100")) struct CrossedWaitTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  enum Wait: CaseIterable, Sendable {
    case cancelAndWait, waitUntilFinished, shutdownAndWait

    /// Waits, and returns whether it has a result: only `waitUntilFinished()` may return without one.
    func callAsFunction(for timer: ScheduledTimer?, on scheduler: TimerScheduler) async -> Bool {
      switch self {
      case .cancelAndWait: await timer?.cancelAndWait()
      case .waitUntilFinished: return await timer?.waitUntilFinished() != nil
      case .shutdownAndWait: await scheduler.shutdownAndWait()
      }
      return true
    }
  }

  /// Two one-shots' runs that wait for each other once both have begun. Returns the results of their waits.
  private func cross(_ waits: [Wait], on schedulers: [TimerScheduler], begin: () async -> Void) async
    -> [Bool]
  {
    let (begun, latch, results) = (Journal<Int>(), Latch(), Journal<Bool>())
    let timers = Box<[ScheduledTimer]>()
    timers.value = waits.enumerated().map { number, wait in
      schedulers[number].schedule(.after(.milliseconds(1))) { _ in
        begun.note(number)
        await latch.wait()
        results.note(await wait(for: timers.value?[1 - number], on: schedulers[1 - number]))
      }
    }
    await begin()
    for _ in waits { _ = await begun.next() }
    latch.open()
    var all: [Bool] = []
    for _ in waits { if let result = await results.next() { all.append(result) } }
    for scheduler in schedulers { await scheduler.shutdownAndWait() }
    return all
  }

  // Hangs where a wait isn't over though its target waits for it.
  @Test(arguments: Wait.allCases, Wait.allCases)
  func `Two runs that wait for each other go on`(first: Wait, second: Wait) async {
    for count in Array(repeating: [1, 2], count: rounds(50)).joined() {
      let virtual = (0..<count).map { _ in clock.makeScheduler() }
      let real = (0..<count).map { _ in TimerScheduler() }
      let results = [
        await cross([first, second], on: [virtual[0], virtual[count - 1]]) {
          await clock.advance(by: .seconds(1))
        },
        await cross([first, second], on: [real[0], real[count - 1]]) {},
      ]
      // Of two that wait for a finish only one has to do without.
      if first == .waitUntilFinished, second == .waitUntilFinished {
        for result in results { #expect(result.count(where: \.self) == 1) }
      }
    }
  }

  @Test func `The last run of a timer doesn't wait for the timer's end`() async {
    let (timer, result) = (Box<ScheduledTimer>(), Journal<TimerFinishReason?>())
    timer.value = scheduler.schedule(.after(1)) { _ in
      result.note(await timer.value?.waitUntilFinished())
    }
    await advance(1)
    #expect(await result.next() == .some(nil))
    #expect(await timer.value?.waitUntilFinished() == .completed)
  }

  @Test func `A run that isn't its timer's last waits for the timer's end`() async {
    let (timer, results) = (Box<ScheduledTimer>(), Journal<TimerFinishReason?>())
    let begun = Latch()
    timer.value = scheduler.schedule(.every(1)) { _ in
      begun.open()
      results.note(await timer.value?.waitUntilFinished())
    }
    await advance(1)
    await begun.wait()
    timer.value?.cancel()
    #expect(await results.next() == .cancelled)
    await scheduler.shutdownAndWait()
  }

  enum LastDate: CaseIterable { case schedule, pause }

  @Test(arguments: LastDate.allCases)
  func `A run doesn't wait for its timer's end once it has become the last`(by last: LastDate) async {
    let (timer, result, begun) = (Box<ScheduledTimer>(), Journal<TimerFinishReason?>(), Latch())
    timer.value = scheduler.schedule(.every(1).until(start + 2.25)) { _ in
      begun.open()
      result.note(await timer.value?.waitUntilFinished())
    }
    await advance(1)
    await begun.wait()
    // The move settles first, so the run waits by now.
    await advance(0.5)
    switch last {
    case .schedule: timer.value?.reschedule(.rule(Answering { _ in nil }))
    case .pause:
      timer.value?.pause()
      await advance(1)
      timer.value?.resume(.keepingPhase)
    }
    #expect(await result.next() == .some(nil))
    #expect(await timer.value?.waitUntilFinished() == .completed)
  }

  @Test func `A run that becomes its timer's last just as it begins to wait doesn't wait`() async {
    let (scheduler, count) = (TimerScheduler(), rounds(5_000))
    let (waiting, results) = (Box<ScheduledTimer>(), Journal<TimerFinishReason?>())
    async let changes = Threads.run(1) { _ in
      for round in 0..<count {
        // It doesn't sleep, so that it calls as soon as it sees the timer, or a little later.
        var timer: ScheduledTimer?
        while timer == nil { timer = waiting.value }
        waiting.value = nil
        for _ in 0..<round % 40 { _ = waiting.value }
        timer?.reschedule(.rule(Answering { _ in nil }))
      }
    }
    for _ in 0..<count {
      let timer = Box<ScheduledTimer>()
      timer.value = scheduler.schedule(.every(0.001)) { _ in
        while timer.value == nil { await Task.yield() }
        waiting.value = timer.value
        results.note(await timer.value?.waitUntilFinished())
      }
      #expect(await results.next() == .some(nil))
      #expect(await timer.value?.waitUntilFinished() == .completed)
    }
    _ = await changes
  }

  @Test func `A wait inside a run goes on though the run was cancelled`() async {
    let (begun, latch, order) = (Journal<Int>(), Latch(), Journal<String>())
    let target = scheduler.schedule(.after(1)) { _ in
      begun.note(0)
      await latch.wait()
      order.note("target ends")
    }
    let waiting = scheduler.schedule(.every(1)) { _ in
      begun.note(1)
      await target.cancelAndWait()
      order.note(Task.isCancelled ? "waited" : "not cancelled")
    }
    await advance(1)
    for _ in 0..<2 { _ = await begun.next() }
    waiting.cancel()
    latch.open()
    await waiting.cancelAndWait()
    #expect(order.entries == ["target ends", "waited"])
  }

  @Test func `A task of an earlier run waits for the present one`() async {
    let (runs, latch, order) = (Journal<Int>(), Latch(), Journal<String>())
    let box = Box<ScheduledTimer>()
    box.value = scheduler.schedule(.every(1).missedTicks(.burst)) { tick in
      runs.note(tick.index)
      switch tick.index {
      case 0:
        Task {
          _ = await runs.next()
          _ = await runs.next()
          order.note("wait")
          latch.open()
          await box.value?.cancelAndWait()
          order.note("waited")
        }
      default:
        await latch.wait()
        order.note("end")
      }
    }
    await clock.stall(for: .seconds(2))
    while await order.next() != "waited" {}
    #expect(order.entries == ["wait", "end", "waited"])
  }
}
