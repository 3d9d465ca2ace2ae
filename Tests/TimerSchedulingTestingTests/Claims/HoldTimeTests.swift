import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Waits for something outside for which the test holds time: rule T4.
@Suite(.limited, .guarantee("G204")) struct HoldTimeTests {
  private struct Broken: Error {}

  // MARK: K3

  @Test func `Time doesn't move while it is held, however long the work outside takes`() async throws {
    try await withVirtualClock { clock in
      let (scheduler, ticks) = (TimerScheduler(clock: clock), Counter())
      scheduler.schedule(every: 1) { _ in ticks.add() }
      let loop = Task { for await _ in scheduler.ticks(every: 1) {} }
      async let hour: Void = Task.sleep(for: .seconds(3_600))
      let answer = await clock.holdTime { await workOutside(for: .milliseconds(200)) }
      #expect(answer == 42)
      #expect(clock.now.offset == .zero)
      #expect(ticks.value == 0)
      try await hour
      #expect(clock.now.offset == .seconds(3_600))
      loop.cancel()
    }
  }

  @Test func `Holds of several tasks count together`() async throws {
    try await withVirtualClock { clock in
      async let sleep: Void = Task.sleep(for: .seconds(1))
      await withTaskGroup { group in
        for milliseconds in [20, 150] {
          group.addTask {
            _ = await clock.holdTime { await workOutside(for: .milliseconds(milliseconds)) }
            #expect(clock.now.offset == .zero)
          }
        }
      }
      try await sleep
      #expect(clock.now.offset == .seconds(1))
    }
  }

  @Test func `An action and a task that is added hold time`() async throws {
    try await withVirtualClock { clock in
      let (scheduler, ends) = (TimerScheduler(clock: clock), Journal<Duration>())
      scheduler.schedule(every: 0.1) { _ in }
      scheduler.schedule(after: 1) { _ in
        _ = await clock.holdTime { await workOutside(for: .milliseconds(120)) }
        ends.note(clock.now.offset)
      }
      await clock.addTask {
        _ = await clock.holdTime { await workOutside(for: .milliseconds(120)) }
        ends.note(clock.now.offset)
      }.value
      try await Task.sleep(for: .seconds(2))
      #expect(ends.entries == [.zero, .seconds(1)])
    }
  }

  @Test func `A hold passes its result and its error, and ends with them`() async throws {
    try await withVirtualClock { clock in
      #expect(await clock.holdTime { 42 } == 42)
      #expect(throws: Broken.self) { try Result<Int, Broken>.failure(Broken()).get() }
      await #expect(throws: Broken.self) { try await clock.holdTime { () throws(Broken) in throw Broken() } }
      await clock.holdTime { await clock.holdTime {} }
      try await Task.sleep(for: .seconds(1))
      #expect(clock.now.offset == .seconds(1))
    }
  }

  @Test func `A hold runs where it is written`() async throws {
    try await withVirtualClock { @MainActor clock in
      await clock.holdTime {
        MainActor.assertIsolated()
        _ = await workOutside(for: .milliseconds(1))
        MainActor.assertIsolated()
      }
    }
  }

  @Test func `A hold that never ends is an error after the timeout`() async throws {
    await #expect(throws: VirtualTimeError.self) {
      try await withVirtualClock(timeout: .milliseconds(200)) { clock in
        async let sleep: Void = Task.sleep(for: .seconds(1))
        await clock.holdTime { await Latch().wait() }
        try await sleep
      }
    }
  }
}

/// Waits in real time for a thread that belongs to no test.
private func workOutside(for duration: Duration) async -> Int {
  await withCheckedContinuation { done in
    startThread {
      usleep(UInt32(duration / .microseconds(1)))
      done.resume(returning: 42)
    }
  }
}
