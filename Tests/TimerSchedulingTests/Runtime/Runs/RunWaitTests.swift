import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions that wait for each other's end. A wait that closes a cycle would never end.
@Suite(.tags(.threads), .limited, .guarantee("G50", "G96")) struct RunWaitTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  /// Schedules actions that all run at the same time and then each do their part.
  ///
  /// - Returns: The timers, which the parts are given.
  private func runTogether(
    on schedulers: [TimerScheduler], _ parts: [@Sendable ([ScheduledTimer]) async -> Void]
  ) async -> [ScheduledTimer] {
    let (begun, latch) = (Journal<Int>(), Latch())
    let box = Box<[ScheduledTimer]>()
    let timers = parts.enumerated().map { number, part in
      schedulers[number % schedulers.count].schedule(.every(1)) { _ in
        begun.note(number)
        await latch.wait()
        await part(box.value ?? [])
      }
    }
    box.value = timers
    await clock.advance(by: .seconds(1))
    for _ in parts { _ = await begun.next() }
    latch.open()
    return timers
  }

  @Test func `Two actions cancel and wait for each other`() async {
    for _ in 0..<200 {
      let timers = await runTogether(
        on: [scheduler], [{ await $0[1].cancelAndWait() }, { await $0[0].cancelAndWait() }])
      for timer in timers { await timer.cancelAndWait() }
    }
  }

  @Test func `Three actions of three schedulers wait for each other in a circle`() async {
    let schedulers = (0..<3).map { _ in clock.makeScheduler() }
    for _ in 0..<100 {
      let timers = await runTogether(
        on: schedulers, (0..<3).map { number in { await $0[(number + 1) % 3].cancelAndWait() } })
      for timer in timers { await timer.cancelAndWait() }
    }
  }

  @Test func `One action waits for the shutdown as another waits for the first`() async {
    for _ in 0..<200 {
      let scheduler = clock.makeScheduler()
      _ = await runTogether(
        on: [scheduler], [{ _ in await scheduler.shutdownAndWait() }, { await $0[0].cancelAndWait() }])
      await scheduler.shutdownAndWait()
    }
  }

  @Test func `Two actions shut down each other's scheduler`() async {
    for _ in 0..<100 {
      let schedulers = (0..<2).map { _ in clock.makeScheduler() }
      _ = await runTogether(
        on: schedulers,
        [
          { _ in await schedulers[1].shutdownAndWait() }, { _ in await schedulers[0].shutdownAndWait() },
        ])
      for scheduler in schedulers { await scheduler.shutdownAndWait() }
    }
  }

  @Test func `An action waits for one that doesn't wait for it`() async {
    let (latch, order) = (Latch(), Journal<String>())
    let timers = await runTogether(
      on: [scheduler],
      [
        { timers in
          // A wait that has ended before the other one begins closes no cycle with it.
          await timers[2].cancelAndWait()
          await latch.wait()
          order.note("second ends")
        },
        { timers in
          latch.open()
          await timers[0].cancelAndWait()
          order.note("first goes on")
        },
        { _ in },
      ])
    await timers[1].cancelAndWait()
    #expect(order.entries == ["second ends", "first goes on"])
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
