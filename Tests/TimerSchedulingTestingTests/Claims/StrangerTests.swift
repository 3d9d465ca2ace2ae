import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// To which world a task belongs: rule T2. `ExactSleepTests` and `VirtualNowTests` have the kinds of births.
@Suite(.limited, .guarantee("G202")) struct StrangerTests {
  // MARK: K8

  @Test func `A stranger that was born on an actor stays one when a body resumes it`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      for _ in 0..<5 {
        let (pool, born) = (AsyncLock(isHeld: true), Born())
        let stranger = await born.start(pool)
        while await !born.hasBegun { await Task.yield() }
        try await withVirtualClock { clock in
          await pool.unlock()
          try await Task.sleep(for: .seconds(10))
        }
        let slept = await stranger.value
        #expect(slept >= .milliseconds(30))
      }
    }
  }

  @Test func `A stranger on a shared actor sees and sleeps real time, beside a body that uses the actor`()
    async throws
  {
    let shared = Shared()
    for _ in 0..<rounds(200) {
      let stranger = Task.detached {
        let (began, now) = (realTime(), ContinuousClock.now)
        try await shared.nap(.milliseconds(2))
        return (realTime() - began, now.duration(to: .now))
      }
      try await withVirtualClock { clock in
        for step in 1...20 {
          try await shared.nap(.seconds(1_000))
          #expect(clock.now.offset == .seconds(1_000 * step))
        }
      }
      let (real, seen) = try await stranger.value
      #expect(real >= .milliseconds(2))
      #expect(seen < .seconds(1_000))
      if real < .milliseconds(2) || seen >= .seconds(1_000) { break }
    }
  }

  // MARK: K22

  @Test func `Each clock of a test sees the test's tasks`() async {
    await BusyLoops.run {
      for round in BusyLoops.rounds {
        let saw = await sees(after: 1 + round % 3)
        #expect(saw, "round \(round)")
        if !saw { break }
      }
    }
  }

  @Test func `Each clock of a task that an earlier clock's task has made sees its tasks`() async {
    await BusyLoops.run {
      for _ in BusyLoops.rounds {
        let first = VirtualClock()
        let saw = await Task { () -> Bool in
          withExtendedLifetime(first) {}
          let saw = await sees(after: 1)
          return await sees(after: 2) && saw
        }.value
        #expect(saw)
        if !saw { break }
      }
    }
  }

  @Test func `Each clock of an actor's method sees its tasks`() async {
    let owner = ClockOwner()
    await BusyLoops.run {
      for _ in BusyLoops.rounds {
        let saw = await owner.makeClocks()
        #expect(saw)
        if !saw { break }
      }
    }
  }

  @Test func `A clock before a body and one after it see the test's tasks`() async throws {
    try await BusyLoops.run {
      for _ in BusyLoops.rounds {
        let before = await sees(after: 1)
        let within = try await withVirtualClock { clock in
          try await Task.sleep(for: .seconds(1))
          return clock.now.offset
        }
        let after = await sees(after: 2)
        #expect(before && after)
        #expect(within == .seconds(1))
        if !before || !after { break }
      }
    }
  }

  @Test func `Clocks of many tasks, one after the other in each, see their own tasks`() async {
    await BusyLoops.run {
      let missedCount = await withTaskGroup { group in
        for _ in 0..<50 {
          group.addTask {
            var missedCount = 0
            for _ in 0..<BusyLoops.rounds.count / 50 where await !sees(after: 1) { missedCount += 1 }
            return missedCount
          }
        }
        return await group.reduce(0, +)
      }
      #expect(missedCount == 0)
    }
  }
}

/// Whether a clock that is made here waits for a task that is made after it.
private func sees(after seconds: Int) async -> Bool {
  let (clock, seen) = (VirtualClock(), Counter())
  let task = Task {
    try? await clock.sleep(for: .seconds(seconds))
    seen.add()
  }
  await clock.advance(by: .seconds(seconds))
  let isSeen = seen.value == 1
  task.cancel()
  await task.value
  return isSeen
}

private actor ClockOwner {
  func makeClocks() async -> Bool {
    let saw = await sees(after: 1)
    return await sees(after: 2) && saw
  }
}

/// An actor on which a task is born that belongs to no world.
private actor Born {
  private(set) var hasBegun = false

  func start(_ pool: AsyncLock) -> Task<Duration, Never> {
    Task {
      hasBegun = true
      await pool.lock()
      let began = realTime()
      try? await Task.sleep(for: .milliseconds(30))
      return realTime() - began
    }
  }
}
