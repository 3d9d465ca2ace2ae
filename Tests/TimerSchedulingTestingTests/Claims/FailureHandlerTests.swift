import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Failures that a test takes itself, as one of XCTest does: rule T12.
@Suite(.limited, .guarantee("G212")) struct FailureHandlerTests {
  // MARK: K25

  @Test func `A body tells its failures to the test`() async throws {
    let lines = Journal<String>()
    try await withVirtualClock(onFailure: lines.note) { clock in
      await clock.waitForConsumers(3, limit: .milliseconds(1))
    }
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("The test waits for 3 consumers, and 0 were found.") == true)
  }

  @Test func `A body tells that time has moved during work outside`() async throws {
    let lines = Journal<String>()
    try await withVirtualClock(onFailure: lines.note) { clock in
      TimerScheduler(clock: clock).schedule(every: 1) { _ in }
      await withCheckedContinuation { done in
        startThread {
          while clock.now.offset == .zero { usleep(1_000) }
          done.resume()
        }
      }
    }
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("holdTime") == true)
  }

  @Test func `A search of orders tells its failures to the test`() async throws {
    let lines = Journal<String>()
    try await exploreOrders(0..<1, onFailure: lines.note) { clock in
      await clock.waitForConsumers(3, limit: .milliseconds(1))
    }
    #expect(lines.entries.count == 1)
  }
}
