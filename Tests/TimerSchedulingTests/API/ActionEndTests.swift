import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

private struct Failure: Error, Equatable {
  var number: Int
}

/// The end of actions, and with them of their timers.
@Suite(.tags(.threads), .limited, .guarantee("G76")) struct ActionEndTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let runs = Journal<TimerTick>()

  @Test func `A task that an action has made doesn't keep the scheduler`() async {
    let (latch, releases) = (Latch(), Journal<String>())
    let tasks = Box<Task<Void, Never>>()
    do {
      let local = TimerScheduler(configuration: .init { releases.note("scheduler") })
      let probe = ReleaseProbe { releases.note("captured value") }
      let timer = local.schedule(.after(.zero)) { _ in
        withExtendedLifetime(probe) { tasks.value = Task { await latch.wait() } }
      }
      await timer.waitUntilFinished()
      await local.waitUntilActionsHaveEnded()
      _ = await local.timerCount
    }
    await releases.next(2)
    latch.open()
    await tasks.value?.value
  }

  @Test(.guarantee("G53")) func `An error is kept, and the timer goes on`() async {
    let timer = scheduler.schedule(.every(1)) { [runs] tick in
      runs.note(tick)
      throw Failure(number: tick.index)
    }
    #expect(timer.failure == nil)
    for index in 0..<3 {
      await advance(1)
      #expect(await runs.next()?.index == index)
      await scheduler.waitUntilActionsHaveEnded()
      #expect(timer.failure as? Failure == Failure(number: index))
    }
    #expect(timer.state == .scheduled)
  }

  @Test(.guarantee("G53"), arguments: [1, 2])
  func `An error ends the timer that asks for it, in its last run, too`(limit: Int) async {
    let timer = scheduler.schedule(.every(1).limit(limit), onError: .finish) { tick in
      throw Failure(number: tick.index)
    }
    await advance(1)
    #expect(await timer.waitUntilFinished() == .failed)
    #expect(timer.failure as? Failure == Failure(number: 0))
    #expect(timer.state == .finished(.failed))
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.guarantee("G53"))
  func `An action that fails while it alone holds its owner ends its timer as failed`() async {
    let (begun, latch) = (Latch(), Latch())
    var owner: TimerOwner? = TimerOwner()
    let timer = scheduler.schedule(.after(1), owner: owner ?? TimerOwner(), onError: .finish) { _, _ in
      begun.open()
      await latch.wait()
      throw Failure(number: 0)
    }
    await advance(1)
    await begun.wait()
    owner = nil
    latch.open()
    #expect(await timer.waitUntilFinished() == .failed)
  }
}
