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

  // MARK: Orders

  func testASearchWithoutAFailureGivesItsCoverage() async throws {
    let coverage = try await exploreOrders { _ in try await addTwice(isMended: true) }
    XCTAssertGreaterThan(coverage.orderCount, 1)
    XCTAssertTrue(coverage.isComplete, "\(coverage)")
  }

  func testAnOrderThatFailsIsReportedOnce() async throws {
    let line = #line + 2
    if OwnProcess.isThis {
      try await exploreOrders { _ in try await addTwice(isMended: false) }
      return
    }
    let output = try await outputOfFailure(in: "testAnOrderThatFailsIsReportedOnce")
    let lines = output.split(separator: "\n")
    XCTAssertEqual(lines.count { $0.contains(" of seed 0 fails: ") }, 1, output)
    XCTAssertTrue(output.contains("XCTestTests.swift:\(line): Order "), output)
  }

  func testAFailureOfAClockInAnOrderIsReportedOnce() async throws {
    if OwnProcess.isThis {
      try await exploreOrders(0..<1, onFailure: { XCTFail($0) }) { clock in
        await clock.waitForConsumers(3, limit: .milliseconds(1))
      }
      return
    }
    let output = try await outputOfFailure(in: "testAFailureOfAClockInAnOrderIsReportedOnce")
    let lines = output.split(separator: "\n")
    XCTAssertEqual(lines.count { $0.contains("The test waits for 3 consumers") }, 1, output)
  }

  /// Runs a test of this class in a process of its own, where it has one failure. Returns what was printed.
  private func outputOfFailure(in test: String) async throws -> String {
    try XCTSkipIf(OwnProcess.program == nil)
    let run = try await OwnProcess.run(xcTest: "\(String(reflecting: Self.self))/\(test)")
    XCTAssertEqual(run.status, EXIT_FAILURE, run.output)
    XCTAssertTrue(run.output.contains("Executed 1 test, with 1 failure "), run.output)
    return run.output
  }
}

private actor Number {
  private(set) var value = 0

  func set(_ new: Int) { value = new }
  func add() { value += 1 }
}

/// Has two tasks add to a number, which they have read before unless that is mended. Throws an error if an
/// update is lost.
private func addTwice(isMended: Bool) async throws {
  let number = Number()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 {
      group.addTask {
        if isMended { return await number.add() }
        await number.set(await number.value + 1)
      }
    }
  }
  try expect(await number.value == 2)
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
