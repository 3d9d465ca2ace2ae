import Foundation
import TestSupport
import TimerScheduling
import TimerSchedulingTesting
import XCTest

/// Tests of XCTest's can use the clock as those of Swift Testing do.
///
/// Guarantees: G144, G212
final class XCTestTests: XCTestCase {
  func testALoopGetsEveryTick() async {
    let (time, log) = (VirtualTime(), Journal<Date>())
    let ticks = time.scheduler.ticks(every: 60)
    let loop = Task {
      for await tick in ticks { log.note(tick) }
    }
    await time.clock.advance(by: .seconds(600))
    XCTAssertEqual(log.entries, (1...10).map { Date(timeIntervalSinceReferenceDate: 60 * Double($0)) })
    loop.cancel()
  }

  @MainActor
  func testTheMainActorMayWaitForTheClock() async {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    var count = 0
    TimerScheduler(clock: clock).schedule(.every(1)) { @MainActor _ in count += 1 }
    await clock.advance(by: .seconds(10))
    XCTAssertEqual(count, 10)
  }

  func testAFailureOfAClockIsPrinted() async throws {
    let output = try await standardError {
      let clock = VirtualClock()
      await clock.waitForConsumers(3, limit: .milliseconds(1))
    }
    XCTAssertTrue(output.contains("The test waits for 3 consumers, and 0 were found."), output)
    XCTAssertTrue(output.contains("XCTestTests.swift:"), output)
  }

  func testAFailureInABodyIsPrinted() async throws {
    let output = try await standardError {
      try await withVirtualClock { clock in await clock.waitForSleepers(2, limit: .milliseconds(1)) }
    }
    XCTAssertTrue(output.contains("The test waits for 2 sleepers, and 0 were found."), output)
  }

  func testAClockTellsItsFailures() async {
    let lines = Journal<String>()
    let clock = VirtualClock(onFailure: lines.note)
    await clock.waitForConsumers(3, limit: .milliseconds(1))
    XCTAssertEqual(lines.entries.count, 1)
  }

  func testABodyWaitsForAnExpectationThatATimerFulfills() async throws {
    let (isFulfilled, offset) = try await withVirtualClock { clock in
      let (scheduler, expectation) = (
        TimerScheduler(clock: clock), XCTestExpectation(description: "A timer fires.")
      )
      scheduler.schedule(after: 2) { _ in expectation.fulfill() }
      let result = await XCTWaiter().fulfillment(of: [expectation], timeout: 50)
      return (result == .completed, clock.now.offset)
    }
    XCTAssertTrue(isFulfilled)
    XCTAssertEqual(offset, .seconds(2))
  }
}

/// Returns what is written to standard error meanwhile.
private func standardError(during body: () async throws -> Void) async throws -> String {
  let file = FileManager.default.temporaryDirectory.appending(path: "standard-error-\(UUID())")
  try Data().write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  let handle = try FileHandle(forWritingTo: file)
  let original = dup(STDERR_FILENO)
  dup2(handle.fileDescriptor, STDERR_FILENO)
  defer {
    dup2(original, STDERR_FILENO)
    close(original)
  }
  try await body()
  return try String(contentsOf: file, encoding: .utf8)
}
