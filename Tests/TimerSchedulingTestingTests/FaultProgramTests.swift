import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Programs that were once wrong under virtual time.
@Suite(.limited, .guarantee("G131")) struct FaultProgramTests: VirtualTimeSuite {
  let time = VirtualTime()

  @Test func `C5: A plain task that an action resumes doesn't stand for the action`() async {
    let (log, (stream, feed)) = (Journal<Duration>(), AsyncStream.makeStream(of: Int.self))
    scheduler.schedule(.after(1), name: "loader") { [clock, scheduler] _ in
      try await scheduler.sleep(for: .seconds(1))
      feed.yield(1)
      await clock.holdTime {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { continuation.resume() }
        }
      }
      log.note(clock.now.offset)
    }
    await advance(1)
    let task = Task { [scheduler] in
      for await _ in stream { break }
      for await _ in scheduler.ticks(every: 1) {}
    }
    await advance(10)
    #expect(log.entries == [.seconds(2)])
    task.cancel()
    await task.value
  }

  @Test func `C7: A limit of another clock in a child task of an action doesn't hold time up`() async {
    let (a, b) = (VirtualTime(), VirtualTime())
    let log = Journal<Duration>()
    a.scheduler.schedule(.after(1), name: "A") { _ in
      await Task {
        try? await withTimeout(.seconds(5), on: b.scheduler) { await Task.yield() }
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await a.scheduler.sleep(for: .seconds(2)) }
        }
      }.value
      log.note(a.clock.now.offset)
    }
    await a.clock.advance(by: .seconds(10))
    #expect(log.entries == [.seconds(3)])
    #expect(a.clock.settlingTimeoutCount == 0)
  }

  @Test(arguments: 0..<100) func `C8: An operation that ends at its limit and an inner one is in time`(
    round: Int
  ) async {
    let task = clock.addTask { [scheduler] in
      try await withTimeout(.seconds(1), on: scheduler) {
        try await withTimeout(.seconds(1), on: scheduler) { try await scheduler.sleep(for: .seconds(1)) }
      }
    }
    await advance(30)
    await #expect(throws: Never.self) { try await task.value }
  }

  @Test func `C12: Sleepers that are added at once have as much to do each, however many there are`() async {
    func work(_ count: Int) async -> UInt64 {
      let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
      let before = clock.workCount
      for _ in 0..<count { clock.addTask { try? await clock.sleep(for: .seconds(1)) } }
      await clock.waitForSleepers(count)
      await clock.advance(by: .seconds(1))
      return clock.workCount - before
    }
    let few = await Task.detached { await work(1_000) }.value
    let many = await Task.detached { await work(20_000) }.value
    #expect(many < few * 21)
  }

  @Test func `S1: A consumer of a stream that the test feeds is waited for`() async {
    let (log, (keys, input)) = (Journal<String>(), AsyncStream.makeStream(of: String.self))
    let loop = Task { [scheduler] in
      for await key in keys {
        try? await scheduler.sleep(for: .milliseconds(300))
        log.note(key)
      }
    }
    input.yield("s")
    await advance(0.1)
    #expect(log.entries.isEmpty)
    await advance(0.2)
    #expect(log.entries == ["s"])
    await advance(10)
    input.yield("sw")
    await advance(0.3)
    #expect(log.entries == ["s", "sw"])
    #expect(clock.settlingTimeoutCount == 0)
    input.finish()
    await loop.value
  }
}
