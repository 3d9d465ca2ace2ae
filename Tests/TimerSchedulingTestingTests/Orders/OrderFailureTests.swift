import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The failure that a search throws for an order.
@Suite(.limited, .guarantee("G154")) struct OrderFailureTests {
  private func failure(
    _ orders: Range<Int> = 0..<1_000,
    _ body: @escaping @isolated(any) @Sendable (VirtualClock) async throws -> Void
  ) async throws -> OrderFailure {
    try #require(await #expect(throws: OrderFailure.self) { try await exploreOrders(orders, body) })
  }

  @Test func `The steps name tasks, actors and what is interrupted`() async throws {
    let failure = try await failure { _ in try expect(await addTwice() == 2) }
    #expect(failure.preemptionCount == 1)
    let lines = failure.timeline.split(separator: "\n")
    #expect(
      lines.first?.hasPrefix("1. task 1 (the body in TimerSchedulingTestingTests/OrderFailureTests.swift:")
        == true)
    #expect(lines.count { $0.contains("interrupts task") } == 1)
    #expect(lines.contains { $0.contains("(\"adder 0\")") })
    #expect(lines.contains { $0.contains("(\"adder 1\")") })
    #expect(lines.contains { $0.hasSuffix(" on Number") })
    #expect(failure.description.contains(failure.timeline))
    #expect(failure.description.hasPrefix("TimerSchedulingTestingTests/OrderFailureTests.swift:"))
  }

  @Test func `A body that holds time for long fails with its own error`() async throws {
    let failure = try await failure(0..<1) { clock in
      await clock.holdTime { await withRealTime { usleep(1_200_000) } }
      throw Broken()
    }
    #expect(failure.error is Broken)
  }

  private struct Broken: Error {}

  /// Calls a function on a thread of its own.
  private func withRealTime(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  @Test func `A task without a name is named by the function that made it`() async throws {
    let failure = try await failure { _ in
      let number = Number()
      let tasks = (0..<2).map { _ in Task { await number.set(await number.value + 1) } }
      for task in tasks { await task.value }
      try expect(await number.value == 2)
    }
    #if DEBUG
    #expect(failure.timeline.contains("(made in "), "\(failure.timeline)")
    #expect(failure.timeline.contains("OrderFailureTests."), "\(failure.timeline)")
    #endif
  }

  @Test func `A failed expectation is the failure of its order, and no issue of its own`() async throws {
    let failure = try await failure { _ in #expect(await addTwice() == 2) }
    #expect("\(failure.error)".contains("Expectation failed"))
    #expect("\(failure.error)".contains("OrderFailureTests.swift:"))
    let required = try await self.failure { _ in try #require(await addTwice() == 2) }
    #expect("\(required.error)".contains("Expectation failed"))
    #expect(required.preemptionCount == 1)
  }

  @Test func `A failed expectation in an action is the failure of its order`() async throws {
    let failure = try await failure { clock in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.after(1)) { _ in #expect(await addTwice() == 2) }
      try await Task.sleep(for: .seconds(2))
    }
    #expect("\(failure.error)".contains("Expectation failed"))
  }

  @Test func `An order that was drawn is made smaller`() async throws {
    // The steps name the closure, so it's the same one.
    let body: @isolated(any) @Sendable (VirtualClock) async throws -> Void = { _ in
      try expect(await addTwice() == 2)
    }
    let failure = try await failure(1..<1_000, body)
    #expect(failure.preemptionCount == 1)
    let number = failure.order
    let again = try await self.failure(number..<number + 1, body)
    #expect(again.timeline == failure.timeline)
  }

  @Test func `Each order is repeated by its number`() async throws {
    let traces = Journal<String>()
    @Sendable func trace() async -> String {
      let (number, log) = (Number(), Journal<String>())
      await withTaskGroup { group in
        for task in 0..<2 {
          group.addTask {
            for _ in 0..<2 { await number.set(await number.value + 1) { log.note("\(task)") } }
          }
        }
      }
      return log.entries.joined()
    }
    try await exploreOrders(0..<500) { _ in traces.note(await trace()) }
    #expect(Set(traces.entries) == ["0011", "0101", "0110", "1001", "1010", "1100"])
    for wanted in size(["0101"], full: Array(Set(traces.entries))) {
      let failure = try await failure { _ in try expect(await trace() != wanted) }
      let order = failure.order
      _ = try await self.failure(order..<order + 1) { _ in try expect(await trace() != wanted) }
      try await exploreOrders(order..<order + 1) { _ in try expect(await trace() == wanted) }
    }
  }

  // From 1 on, the orders are drawn.
  @Test(arguments: [0, 1])
  func `The number of a failing order repeats it in another process, with the same text`(first: Int)
    async throws
  {
    let failure = try #require(await failureOfUpdate(in: first..<1_000))
    await #expect(processExitsWith: .success) {
      [order = failure.order as Int, text = failure.description as String] in
      endIfHanging()
      let again = try #require(await failureOfUpdate(in: order..<order + 1))
      #expect(again.order == order)
      #expect(again.description == text)
    }
  }

  @Test func `An error in each order is the failure, though the first run makes a global value`() async throws
  {
    let failure = try await failure { _ in
      async let first = Table.shared.value
      async let second = Table.shared.value
      try expect(await first != second)
    }
    #expect(failure.error is ExpectationFailed)
    #expect(failure.order == 0 && failure.preemptionCount == 0)
  }

  @Test func `The text names the variable without which a set has another order in each process`()
    async throws
  {
    let failure = try await failure { _ in throw ExpectationFailed() }
    let isSet = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil
    #expect(failure.description.contains("SWIFT_DETERMINISTIC_HASHING=1") != isSet)
  }

  @Test func `Tasks that wait for each other fail at once`() async throws {
    let began = ContinuousClock.now
    let failure = try await failure { _ in
      let (first, second) = (Box<Task<Void, Never>>(), Box<Task<Void, Never>>())
      first.value = Task { await second.value?.value }
      second.value = Task { await first.value?.value }
      await first.value?.value
    }
    #expect("\(failure.error)".contains("deadlock"))
    // Without that, each run takes the timeout of a minute.
    #expect(began.duration(to: .now) < .seconds(60))
  }
}

/// Returns the failure of the first order in which an update is lost. All searches are made by one call, as
/// the text names its place.
private func failureOfUpdate(in orders: Range<Int>) async -> OrderFailure? {
  await #expect(throws: OrderFailure.self) {
    try await exploreOrders(orders) { _ in
      let number = await addTwice()
      if number != 2 { throw LostUpdate(number: number) }
    }
  }
}

private struct LostUpdate: Error {
  let number: Int
}

private enum Table {
  static let shared = Task {
    await Task.yield()
    await Task.yield()
    return 7
  }
}

private actor Number {
  private(set) var value = 0

  func set(_ new: Int, _ note: () -> Void = {}) {
    value = new
    note()
  }
}

/// Has two tasks add to a number that they read before. Returns the number.
private func addTwice() async -> Int {
  let number = Number()
  await withTaskGroup { group in
    for name in ["adder 0", "adder 1"] {
      group.addTask(name: name) { await number.set(await number.value + 1) }
    }
  }
  return await number.value
}
