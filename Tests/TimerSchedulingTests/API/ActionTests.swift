import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited, .guarantee("G76")) struct ActionTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let runs = Journal<TimerTick>()

  @Test(
    .hazard("Y7"),
    .guarantee("G46"),
    arguments: [
      (MissedTickBehavior.skip, [1.0, 5, 6], 3), (.burst, [1, 2, 3, 4, 5, 6], 0), (.delay, [1, 5, 6.5], 3),
    ])
  func `Runs don't overlap, and ticks that fall due meanwhile follow the missed-tick behavior`(
    behavior: MissedTickBehavior, expected: [Double], missed: Int
  ) async {
    let latch = Latch()
    scheduler.schedule(.every(1).missedTicks(behavior)) { [runs] tick in
      runs.note(tick)
      if tick.index == 0 { await latch.wait() }
    }
    await advance(1)
    #expect(await runs.next()?.scheduledDate == start + 1)
    await advance(4.5)
    #expect(clock.wakeupCount == 2)
    latch.open()
    var due: [Date?] = [start + 1]
    for count in 2...expected.count {
      // The last one comes with the time, the others when the first run has ended.
      if count == expected.count { await advance(1) }
      let tick = await runs.next()
      due.append(tick?.scheduledDate)
      #expect(tick?.missedCount == (count == 2 ? missed : 0))
    }
    #expect(due == expected.map { start + $0 })
  }

  @MainActor
  @Test(.guarantee("G46", "G49"))
  func `An action runs on the isolation it was written for, and none on the timer queue`() async {
    let queue = scheduler.executor.queue
    let elsewhere = Journal<TimerTick>()
    scheduler.schedule(.after(1)) { @MainActor [runs] tick in
      MainActor.assertIsolated()
      runs.note(tick)
    }
    scheduler.schedule(.after(1)) { @Sendable tick in
      dispatchPrecondition(condition: .notOnQueue(queue))
      elsewhere.note(tick)
    }
    await advance(1)
    #expect(await runs.next()?.index == 0)
    #expect(await elsewhere.next()?.index == 0)
  }

  // MARK: Control

  @Test(.hazard("Z7"), .guarantee("G50"))
  func `Cancelling a timer cancels the task of a run, and waits for it if asked to`() async {
    let ends = Journal<Bool>()
    let timer = scheduler.schedule(.every(1)) { [runs] tick in
      runs.note(tick)
      try? await Task.sleep(for: .seconds(3600))
      ends.note(Task.isCancelled)
    }
    await advance(1)
    _ = await runs.next()
    await timer.cancelAndWait()
    #expect(ends.entries == [true])
    #expect(timer.state == .finished(.cancelled))
  }

  @Test(.guarantee("G50")) func `A timer that its own action cancels doesn't wait for itself`() async {
    let box = Box<ScheduledTimer>()
    box.value = scheduler.schedule(.every(1)) { [runs] tick in
      await box.value?.cancelAndWait()
      await withTaskGroup { group in
        group.addTask { await box.value?.cancelAndWait() }
      }
      runs.note(tick)
    }
    await advance(1)
    #expect(await runs.next()?.index == 0)
    #expect(box.value?.state == .finished(.cancelled))
  }

  @Test(.guarantee("G28", "G50")) func `An action controls its own timer`() async {
    let box = Box<ScheduledTimer>()
    box.value = scheduler.schedule(.every(1)) { [runs] tick in
      switch tick.index {
      case 0: box.value?.reschedule(.every(5))
      case 1: box.value?.fire()
      case 2: box.value?.pause()
      default: box.value?.cancel()
      }
      runs.note(tick)
    }
    await advance(1)
    #expect(await runs.next()?.date == start + 1)
    await advance(5)
    #expect(await runs.next()?.date == start + 6)
    #expect(await runs.next()?.date == start + 6)
    #expect(box.value?.state == .paused)
    box.value?.resume()
    await advance(5)
    #expect(await runs.next()?.date == start + 11)
    #expect(box.value?.state == .finished(.cancelled))
  }

  @Test(.hazard("T5"), .guarantee("G50"))
  func `Replacing a timer cancels the run of the old one and lets the new one tick`() async {
    let cancellations = Journal<Void>()
    scheduler.schedule(.every(1), name: "job") { [runs] tick in
      runs.note(tick)
      await withTaskCancellationHandler {
        try? await Task.sleep(for: .seconds(3600))
      } onCancel: {
        cancellations.note()
      }
    }
    await advance(1)
    _ = await runs.next()
    let new = Journal<TimerTick>()
    scheduler.schedule(.every(1), name: "job") { new.note($0) }
    await cancellations.next()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(scheduler.timer(named: "job")?.remainingTime == .seconds(1))
    await advance(1)
    #expect(await new.next()?.date == start + 2)
  }

  @Test(.hazard("Z2"), .guarantee("G48", "G50"), arguments: [false, true])
  func `A run that replaces its own timer goes on to its end`(hasOwner: Bool) async {
    let owner = TimerOwner()
    let outcomes = Journal<Bool>()
    let (new, latch) = (Journal<TimerTick>(), Latch())
    let action = { @Sendable [scheduler] (_: TimerTick) async in
      await latch.wait()
      if hasOwner {
        scheduler.schedule(.after(1), name: "job", owner: owner) { _, tick in new.note(tick) }
      } else {
        scheduler.schedule(.after(1), name: "job") { new.note($0) }
      }
      // Throws at once in a task that is cancelled.
      let isUndisturbed = (try? await Task.sleep(for: .microseconds(1))) != nil
      outcomes.note(isUndisturbed && !Task.isCancelled)
    }
    let timer =
      hasOwner
      ? scheduler.schedule(.after(1), name: "job", owner: owner) { _, tick in await action(tick) }
      : scheduler.schedule(.after(1), name: "job", perform: action)
    await advance(1)
    latch.open()
    #expect(await outcomes.next() == true)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(timer.state == .finished(.replaced))
    let successor =
      hasOwner ? scheduler.timer(named: "job", owner: owner) : scheduler.timer(named: "job")
    #expect(successor?.remainingTime == .seconds(1))
    await advance(1)
    #expect(await new.next()?.date == start + 2)
  }
}
