import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The timeouts of actions, and limits inside them.
extension TimeoutTests {
  @Test func `The timeout of an action cancels its run, and is its failure`() async {
    let log = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: log))
    let ended = Journal<TimeInterval>()
    let timer = scheduler.schedule(every: .seconds(10), timeout: .seconds(3)) {
      [clock, scheduler, start] tick in
      try? await scheduler.sleep(for: tick.index.isMultiple(of: 2) ? .seconds(2) : .seconds(4))
      ended.note(clock.date.timeIntervalSince(start))
    }
    await clock.advance(by: .seconds(35))
    #expect(ended.entries == [12, 23, 32])
    #expect(timer.failure as? TimeoutError == TimeoutError(limit: .seconds(3)))
    timer.cancel()
    await scheduler.shutdownAndWait()
    let failures = log.entries.filter { event in
      if case .actionFailed(let error) = event.kind { error is TimeoutError } else { false }
    }
    #expect(failures.count == 1)
    #expect(lines.entries.isEmpty)
  }

  @Test func `A run with a timeout is cancelled with its timer, and goes on after a shutdown`() async {
    let ends = Journal<String>()
    let cancelled = scheduler.schedule(after: .seconds(1), timeout: .seconds(60)) { [scheduler] _ in
      do { try await scheduler.sleep(for: .seconds(30)) } catch { ends.note("cancelled") }
    }
    scheduler.schedule(after: .seconds(1), timeout: .seconds(60)) { [clock] _ in
      try await clock.sleep(for: .seconds(59))
      ends.note("shut down")
    }
    await clock.advance(by: .seconds(2))
    await cancelled.cancelAndWait()
    #expect(ends.entries == ["cancelled"])
    scheduler.shutdown()
    await clock.advance(by: .seconds(100))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(ends.entries == ["cancelled", "shut down"])
  }

  @MainActor @Test
  func `An action of the main actor doesn't run after the main actor has cancelled its timer`() async {
    for _ in 0..<200 {
      let (count, isCancelled) = (Counter(), Counter())
      let scheduler = TimerScheduler(clock: clock)
      let timer = scheduler.schedule(.every(1), timeout: .seconds(3)) { @MainActor _ in
        if isCancelled.count > 0 { count.count += 1 }
      }
      async let moved: Void = clock.advance(by: .seconds(1))
      for _ in 0..<Int.random(in: 0..<10) { await Task.yield() }
      timer.cancel()
      isCancelled.count += 1
      await moved
      #expect(count.count == 0)
    }
  }

  @Test func `The owner of an action with a timeout is held for its run`() async {
    let owner = TimerOwner()
    let runs = Journal<Bool>()
    scheduler.schedule(every: .seconds(1), limit: 2, owner: owner, timeout: .seconds(1)) {
      [weak owner] given, _ in
      runs.note(given === owner)
    }
    await clock.advance(by: .seconds(5))
    #expect(runs.entries == [true, true])
  }
}
