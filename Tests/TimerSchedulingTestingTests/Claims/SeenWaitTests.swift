import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Which tasks time waits for, where they meet tasks, threads and executors from outside: rules T2 and T3.
@Suite(.limited, .guarantee("G203")) struct SeenWaitTests {
  // MARK: K5

  @Test func `A sleep that begins on a stranger's thread ends at its deadline`() async throws {
    let shared = Shared()
    try await BusyLoops.run {
      try await keepBusy(shared) {
        for _ in BusyLoops.rounds {
          let offset = try await withVirtualClock { clock in
            let scheduler = TimerScheduler(clock: clock)
            scheduler.schedule(every: 7) { _ in }
            try await shared.nap(.seconds(1))
            return clock.now.offset
          }
          #expect(offset == .seconds(1))
          if offset != .seconds(1) { break }
        }
      }
    }
  }

  // MARK: K6

  @Test(arguments: [false, true])
  func `A sleep on another executor ends at its deadline, and then the task is under way`(withLoop: Bool)
    async throws
  {
    let executor = QueueTaskExecutor(label: "other")
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(every: 0.25) { _ in }
      let loop = Task { if withLoop { for await _ in scheduler.ticks(every: 10) {} } }
      for round in 1...20 {
        try await withTaskExecutorPreference(executor) { try await Task.sleep(for: .seconds(1)) }
        #expect(clock.now.offset == .seconds(round))
      }
      loop.cancel()
    }
  }

  // MARK: K9

  @Test func `A task on an actor that a stranger keeps busy is waited for`() async {
    let shared = Shared()
    await BusyLoops.run {
      await keepBusy(shared) {
        for _ in BusyLoops.rounds {
          let (time, log) = (VirtualTime(), Counter())
          time.scheduler.schedule(every: 1, limit: 1) { _ in
            Task {
              await shared.work()
              log.add()
            }
          }
          await time.clock.advance(by: 5)
          #expect(log.value == 1)
          if log.value != 1 { break }
        }
      }
    }
  }

  // MARK: K28

  @Test func `A sleep that a thread cancels just as it begins leaves nothing in the clock`() async throws {
    try await BusyLoops.run {
      for _ in BusyLoops.rounds {
        let (sleepCount, isIdle, distance) = try await withVirtualClock { clock in
          let task = Task { try await Task.sleep(for: .seconds(1)) }
          startThread { task.cancel() }
          _ = await task.result
          let (sleepCount, offset) = (clock.pendingSleeps.count, clock.now.offset)
          return (sleepCount, await clock.runUntilIdle(), clock.now.offset - offset)
        }
        #expect(sleepCount == 0)
        #expect(isIdle)
        #expect(distance == .zero)
        if sleepCount > 0 || !isIdle || distance != .zero { break }
      }
    }
  }
}
