import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// What a clock says about tests that don't go on, and where: rules V9 to V11.
@Suite(.limited, .guarantee("G147")) struct WorldMessageTests {
  // MARK: V9

  @Test(.enabled(if: OwnProcess.program != nil))
  func `V9: A clock that no test moves for ten seconds gets one line on standard error`() async throws {
    guard OwnProcess.isThis else {
      let run = try await OwnProcess.run("\(Self.self)/.V9")
      #expect(run.status == EXIT_SUCCESS, "\(run.output)")
      return try checkStandstill(run.output)
    }
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    let tasks = [
      Task { try? await scheduler.sleep(for: .seconds(5)) },
      Task { try? await clock.sleep(for: .seconds(7)) },
      Task { for await _ in scheduler.ticks(every: 60, name: "prices") {} },
    ]
    clock.addTask(name: "poll") { try? await clock.sleep(for: .seconds(9)) }
    // The next look would come twenty seconds after the first.
    try await Task.sleep(for: .seconds(24))
    for task in tasks { task.cancel() }
  }

  private func checkStandstill(_ output: String) throws {
    let lines = output.split(separator: "\n").filter { $0.contains("VirtualClock") }
    #expect(lines.count == 1, "\(output)")
    let line = try #require(lines.first)
    #expect(line.contains("Call `advance(by:)`."))
    #expect(line.contains("sleeps until 2001-01-01 00:00:05"))
    #expect(line.contains("sleeps until 2001-01-01 00:00:07"))
    #expect(line.contains("waits for a tick of timer \"prices\", due at 2001-01-01 00:01:00"))
    #expect(line.contains("the task \"poll\", added in TimerSchedulingTestingTests/WorldMessageTests.swift:"))
    #expect(line.contains("sleeps until 2001-01-01 00:00:09"))
  }

  // MARK: V10

  @Test(.guarantee("G152"))
  func `V10: A failure is recorded at the line of the call that waits`() async throws {
    let (clock, executor) = (
      VirtualClock(settlingTimeout: .milliseconds(20)), QueueTaskExecutor(label: "other")
    )
    let calls: [(line: Int, call: @Sendable () async -> Void)] = [
      (#line, { await clock.advance(by: .seconds(1)) }),
      (#line, { await clock.advance(by: 1) }),
      (#line, { await clock.advance(to: clock.date + 1) }),
      (#line, { await clock.stall(for: .seconds(1)) }),
      (#line, { _ = await clock.runUntilIdle() }),
      (#line, { await clock.setWallClock(to: clock.date) }),
      (#line, { await clock.waitForConsumers(9, limit: .milliseconds(1)) }),
      (#line, { await clock.waitForSleepers(9, limit: .milliseconds(1)) }),
    ]
    for (number, (line, call)) in calls.enumerated() {
      let gate = DispatchSemaphore(value: 0)
      let task = clock.addTask(name: "stuck \(number)") { await keepThread(of: executor, until: gate) }
      let locations = try await issueLocations { await call() }
      #expect(locations == ["TimerSchedulingTestingTests/WorldMessageTests.swift:\(line)"])
      gate.signal()
      await task.value
    }
  }

  @Test(.guarantee("G152"))
  func `V10: A failure in a body is recorded at the line of the body's call`() async throws {
    let line = #line + 2
    let locations = try await issueLocations {
      try await withVirtualClock(timeout: .milliseconds(100)) { clock in
        let scheduler = TimerScheduler(clock: clock)
        let (executor, gate) = (QueueTaskExecutor(label: "other"), DispatchSemaphore(value: 0))
        scheduler.schedule(.after(1), name: "stuck") { _ in await keepThread(of: executor, until: gate) }
        await clock.advance(by: .seconds(10), line: line)
        gate.signal()
      }
    }
    #expect(locations == ["TimerSchedulingTestingTests/WorldMessageTests.swift:\(line)"])
  }

  /// Returns where the issues of `body` are recorded.
  private func issueLocations(_ body: () async throws -> Void) async throws -> [String] {
    let locations = Journal<String>()
    try await withKnownIssue {
      try await body()
    } matching: { issue in
      let location = issue.sourceLocation
      locations.note(location.map { "\($0.fileID):\($0.line)" } ?? "nowhere")
      return true
    }
    return locations.entries
  }

  // MARK: V11

  @Test(.guarantee("G153"))
  func `V11: A job that blocks its thread is named, and the others go on`() async throws {
    let (failures, log, gate) = (Journal<String>(), Journal<String>(), DispatchSemaphore(value: 0))
    let clock = VirtualClock(settlingTimeout: .milliseconds(50), onFailure: failures.note)
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.after(1), name: "blocked") { _ in
      Task {
        log.note("plain")
        gate.signal()
      }
      block(on: gate)
      log.note("blocked")
    }
    await clock.advance(by: .seconds(10))
    #expect(failures.entries.count == 1)
    let line = try #require(failures.entries.first)
    #expect(line.contains("The action of timer \"blocked\" has kept its thread for 0.05 seconds."))
    #expect(log.entries == ["plain", "blocked"])
    // The world works as before.
    scheduler.schedule(.every(1).limit(3)) { _ in log.note("later") }
    await clock.advance(by: .seconds(3))
    #expect(log.entries.count == 5)
    #expect(failures.entries.count == 1)
  }

  @Test(.guarantee("G153"))
  func `V11: A plain task that blocks its thread costs a line, and no failure`() async throws {
    let (lines, gate) = (Journal<String>(), DispatchSemaphore(value: 0))
    let clock = VirtualClock(settlingTimeout: .milliseconds(50), report: lines.note)
    let plain = Task { block(on: gate) }
    let other = clock.addTask { _ = gate.signal() }
    await clock.advance(by: .seconds(10))
    await other.value
    await plain.value
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("A task has kept its thread for 0.05 seconds.") == true)
  }

  @Test(.guarantee("G153"))
  func `V11: A body with a job that blocks its thread goes on`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let gate = DispatchSemaphore(value: 0)
      try await withVirtualClock(timeout: .seconds(30)) { clock in
        let task = Task { block(on: gate) }
        try await clock.sleep(for: .seconds(1))
        gate.signal()
        await task.value
      }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("has kept its thread for 1.0 seconds."))
  }
}

private func block(on gate: DispatchSemaphore) { gate.wait() }

private func keepThread(of executor: QueueTaskExecutor, until gate: DispatchSemaphore) async {
  await withTaskExecutorPreference(executor) { block(on: gate) }
}
