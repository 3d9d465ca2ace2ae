import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Runs of actions that share tasks, seen from outside.
@Suite(.tags(.threads), .limited) struct SharedTaskTests {
  // With as many workers as processors, the last action would never run.
  @Test(.guarantee("G108")) func `An action that blocks its thread delays no other action`() async {
    let scheduler = TimerScheduler()
    let latch = DispatchSemaphore(value: 0)
    let blockedCount = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    let begun = Journal<TimerTick>()
    for _ in 0..<blockedCount {
      scheduler.schedule(.after(.zero)) { tick in
        begun.note(tick)
        latch.wait()
      }
    }
    for _ in 0..<blockedCount { _ = await begun.next() }
    let last = scheduler.schedule(.after(.milliseconds(1))) { _ in
      for _ in 0..<blockedCount { latch.signal() }
    }
    #expect(await last.waitUntilFinished() == .completed)
    await scheduler.shutdownAndWait()
  }

  // If a runner went on with another run after its task was cancelled, it would cancel that run, too.
  @Test(.guarantee("G109"))
  func `Only the runs of timers that are cancelled find themselves cancelled`() async {
    let scheduler = TimerScheduler()
    let wrongCount = Counter()
    let others = (0..<50).map { _ in
      scheduler.schedule(.every(.microseconds(20))) { _ in
        if Task.isCancelled { wrongCount.add() }
      }
    }
    for round in 0..<rounds(5_000) {
      let timer = scheduler.schedule(.after(.zero)) { _ in
        for _ in 0..<round % 50 where Task.isCancelled { return }
      }
      if round.isMultiple(of: 3) { await Task.yield() }
      timer.cancel()
    }
    // The others aren't cancelled before.
    #expect(wrongCount.value == 0)
    for other in others { await other.cancelAndWait() }
    await scheduler.shutdownAndWait()
  }

  @Test(.guarantee("G109")) func `A run sees its own timer, also after it was suspended`() async {
    let scheduler = TimerScheduler()
    let wrongCount = Counter()
    let timers = (0..<200).map { number in
      scheduler.schedule(.every(.microseconds(50)).limit(20), name: "\(number)") { tick in
        if ActionRun.current?.name != "\(number)" { wrongCount.add() }
        if tick.index.isMultiple(of: 3) { await Task.yield() }
        if ActionRun.current?.name != "\(number)" { wrongCount.add() }
      }
    }
    for timer in timers { await timer.waitUntilFinished() }
    await scheduler.shutdownAndWait()
    #expect(wrongCount.value == 0)
  }

  @Test(.guarantee("G110"))
  func `Under virtual time, actions begin in the order in which their timers were made`() async {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    for round in 0..<rounds(1_000) {
      let journal = Journal<Int>()
      for number in 0..<20 { scheduler.schedule(.after(1)) { _ in journal.note(number) } }
      await clock.advance(by: .seconds(1))
      #expect(journal.entries == Array(0..<20), "round \(round)")
    }
  }

  @MainActor @Test(.guarantee("G110"))
  func `Actions of the main actor begin in the order in which timers were made`() async {
    let scheduler = TimerScheduler()
    var (roundCount, lead) = (0, 0.002)
    while roundCount < rounds(200) {
      let journal = Journal<Int>()
      let date = Date.now + lead
      let timers = (0..<50).map { number in
        scheduler.schedule(.at(date)) { @MainActor _ in journal.note(number) }
      }
      let areMadeInTime = Date.now < date
      for timer in timers { await timer.waitUntilFinished() }
      // Timers that are made after the date are due at once, and others may be first.
      guard areMadeInTime else {
        lead *= 2
        continue
      }
      roundCount += 1
      #expect(journal.entries == Array(0..<50), "round \(roundCount)")
    }
    await scheduler.shutdownAndWait()
  }
}
