import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Tests that block the main thread: rules T6 and V11. Each has a child process, as it would stop the others.
@Suite(.limited, .guarantee("G153", "G206")) struct BlockedMainThreadTests {
  // MARK: K13

  @Test func `A body that blocks the main thread is named, and its other tasks go on`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      endIfHanging()
      try await withVirtualClock(timeout: .seconds(40)) { @MainActor clock in
        let done = DispatchSemaphore(value: 0)
        Task.detached {
          try await Task.sleep(for: .seconds(1))
          done.signal()
        }
        #expect(isSignalled(done, within: 30))
      }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("has kept its thread"))
  }

  @Test func `A body that blocks the main thread for good ends with an error after its timeout`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let error = await Task.detached {
        await #expect(throws: VirtualTimeError.self) {
          try await withVirtualClock(timeout: .milliseconds(200)) { @MainActor clock in
            _ = isSignalled(DispatchSemaphore(value: 0), within: 50)
          }
        }
      }.value
      #expect(error != nil)
    }
  }

  // Others may keep the main thread busy, so a clock waits a minute for it.
  @Test(.enabled(if: rounds(100) == 100))
  func `A test that blocks the main thread until a move has ended goes on after a minute`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging(after: 150)
      await Task { @MainActor in
        let (failures, done) = (Journal<String>(), DispatchSemaphore(value: 0))
        let clock = VirtualClock(settlingTimeout: .milliseconds(100), onFailure: failures.note)
        TimerScheduler(clock: clock).schedule(after: 1, name: "main") { @MainActor _ in }
        Task.detached {
          await clock.advance(by: 5)
          done.signal()
        }
        #expect(isSignalled(done, within: 120))
        #expect(failures.entries.first?.contains("\"main\"") == true)
      }.value
    }
  }
}

private func isSignalled(_ semaphore: DispatchSemaphore, within seconds: Double) -> Bool {
  semaphore.wait(timeout: .now() + seconds) == .success
}
