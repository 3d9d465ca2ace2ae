import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Bodies that can't go on, or take too long: rule V8.
@Suite(.limited, .guarantee("G151")) struct WorldLimitTests {
  @Test func `V8: A body that can't go on ends with an error that names what waits`() async throws {
    let error = try #require(
      await #expect(throws: VirtualTimeError.self) {
        try await withVirtualClock(timeout: .milliseconds(100)) { clock in
          let scheduler = TimerScheduler(clock: clock)
          scheduler.schedule(.every(10), name: "prices") { _ in }
          clock.addTask(name: "reader") { for await _ in scheduler.ticks(every: 7, name: "sevens") {} }
          clock.addTask(name: "sleeper") { try? await Task.sleep(for: .seconds(5)) }
          Task { try? await clock.sleep(for: .seconds(9)) }
          // Nothing moves time while an action holds it.
          scheduler.schedule(.after(1), name: "stuck") { _ in await clock.holdTime { await Latch().wait() } }
          try await clock.sleep(for: .seconds(20))
        }
      })
    let text = error.description
    #expect(text.contains("100 milliseconds") || text.contains("0.1 seconds"))
    #expect(text.contains("the action of timer \"stuck\" waits for"))
    #expect(text.contains("body in TimerSchedulingTestingTests/WorldLimitTests.swift:"))
    #expect(text.contains("sleeps until 2001-01-01 00:00:20"))
    #expect(text.contains("\"sleeper\", added in TimerSchedulingTestingTests/WorldLimitTests.swift:"))
    #expect(text.contains("sleeps until 2001-01-01 00:00:05"))
    #expect(text.contains("waits for a tick of timer \"sevens\", due at 2001-01-01 00:00:07"))
  }

  @Test func `V8: A body that passes its limit of virtual time ends with an error, and is cancelled`()
    async throws
  {
    let cancelled = Latch()
    let error = try #require(
      await #expect(throws: VirtualTimeError.self) {
        try await withVirtualClock(limit: .seconds(10)) { clock in
          try await Task.sleep(for: .seconds(10))
          #expect(clock.now.offset == .seconds(10))
          do { try await clock.sleep(for: .milliseconds(1)) } catch { cancelled.open() }
        }
      })
    #expect(error.description.contains("10.0 seconds of virtual time"))
    #expect(error.description.contains("sleeps until 2001-01-01 00:00:10"))
    await cancelled.wait()
  }
}
