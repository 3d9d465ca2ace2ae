import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The numbers of orders, how many there are, and what can't be repeated.
@Suite(.limited, .guarantee("G148")) struct OrderNumberTests {
  @Test
  func `Order 0 is the one of a body without orders`() async throws {
    let (ordinary, explored) = (Journal<String>(), Journal<String>())
    @Sendable func body(_ log: Journal<String>, _ clock: VirtualClock) async throws {
      let scheduler = TimerScheduler(clock: clock)
      for number in 0..<5 {
        scheduler.schedule(.every(1).limit(2)) { _ in
          log.note("action \(number)")
          await Task { @MainActor in log.note("main \(number)") }.value
          await Task.yield()
          log.note("end \(number)")
        }
        Task {
          for _ in 0..<3 {
            try? await Task.sleep(for: .seconds(1))
            log.note("task \(number)")
          }
        }
      }
      try await clock.sleep(for: .seconds(5))
    }
    try await withVirtualClock { try await body(ordinary, $0) }
    #expect(try await exploreOrders(0..<1) { try await body(explored, $0) }.orderCount == 1)
    #expect(Set(explored.entries) == Set(ordinary.entries))
    #expect(explored.entries == ordinary.entries)
  }

  @Test func `A body with few orders is run once for each`() async throws {
    // One task runs to its end: there is nothing to choose.
    #expect(try await exploreOrders { _ in }.orderCount == 1)
    #expect(try await orders(ofTasks: 1) == ["0"])
    #expect(try await orders(ofTasks: 2) == ["01", "10"])
    #expect(try await orders(ofTasks: 3) == ["012", "021", "102", "120", "201", "210"])
    #expect(try await orders(ofTasks: 4).count == 24)
    #expect(try await orders(ofTasks: 5).count == 120)
  }

  @Test func `In each order, jobs of the main actor come in the order in which they were made`() async throws
  {
    let coverage = try await exploreOrders(0..<50) { _ in
      let log = Journal<Int>()
      let tasks = (0..<3).map { number in Task { @MainActor in log.note(number) } }
      let others = (0..<2).map { _ in Task { await Task.yield() } }
      for task in tasks + others { await task.value }
      try #require(log.entries == [0, 1, 2])
    }
    #expect(coverage.orderCount > 1)
  }

  @Test func `Fewer orders than there are can be asked for`() async throws {
    let runs = Counter()
    #expect(
      try await exploreOrders(0..<10) { clock in await wake(5, on: clock) { _ in } }.orderCount == 10)
    #expect(
      try await exploreOrders(100..<150) { clock in
        runs.add()
        await wake(5, on: clock) { _ in }
      }.orderCount == 50)
    // Orders are drawn by the length of order 0.
    #expect(runs.value > 50)
  }

  /// Returns the orders in which a number of tasks that sleep until the same moment go on.
  private func orders(ofTasks count: Int) async throws -> [String] {
    let log = Journal<String>()
    let coverage = try await exploreOrders { clock in
      let order = Journal<Int>()
      await wake(count, on: clock) { order.note($0) }
      log.note(order.entries.map(String.init).joined())
    }
    // Each once.
    #expect(coverage.isComplete && log.entries.count == coverage.orderCount)
    #expect(Set(log.entries).count == coverage.orderCount)
    #expect(log.entries.first == (0..<count).map(String.init).joined())
    return log.entries.sorted()
  }

  @Test func `Seeds bring other orders, and the same seed the same`() async throws {
    func courses(seed: UInt64) async throws -> [String] {
      let log = Journal<String>()
      try await exploreOrders(1..<21, seed: seed) { clock in
        let order = Journal<Int>()
        await wake(10, on: clock) { order.note($0) }
        log.note(order.entries.map(String.init).joined())
      }
      return log.entries
    }
    let first = try await courses(seed: 1)
    // Order 0 is run, too, as orders are drawn by its length.
    #expect(Set(first).count == 21)
    #expect(try await courses(seed: 1) == first)
    let second = try await courses(seed: 2)
    #expect(second.first == first.first)
    #expect(Set(second).intersection(first).count < 5)
  }

  @Test(.guarantee("G154"))
  func `Orders are the same on a loaded machine, and on the main actor`() async throws {
    @Sendable func course(_ order: Int) async throws -> [Int] {
      let log = Journal<Int>()
      try await exploreOrders(order..<order + 1) { clock in
        await wake(8, on: clock) { number in
          log.note(number)
          await Task { @MainActor in log.note(number + 100) }.value
          try? await clock.sleep(for: .milliseconds(number % 2))
          log.note(number + 200)
        }
      }
      return log.entries
    }
    var known: [[Int]] = []
    for order in 0..<50 { known.append(try await course(order)) }
    #expect(Set(known).count > 45)
    try await BusyLoops.run {
      for order in known.indices {
        let again = try await course(order)
        #expect(again == known[order])
      }
    }
  }

  @Test(.guarantee("G154"))
  func `A body that isn't the same in every run is reported as that`() async throws {
    let count = Counter()
    let failure = try #require(
      await #expect(throws: OrderFailure.self) {
        try await exploreOrders { clock in
          count.add()
          // Other numbers of tasks in each run.
          await wake(2 + count.value % 3, on: clock) { _ in }
        }
      })
    #expect(failure.error is UnrepeatableOrder)
    #expect("\(failure)".contains("can't be repeated"))
    #expect(!"\(failure)".contains("To run only this order"))
  }

  @Test(.guarantee("G154"))
  func `A failure that doesn't come again is reported as one that can't be repeated`() async throws {
    let count = Counter()
    let failure = try #require(
      await #expect(throws: OrderFailure.self) {
        try await exploreOrders { clock in
          count.add()
          await wake(3, on: clock) { _ in }
          try expect(count.value != 4)
        }
      })
    let error = try #require(failure.error as? UnrepeatableOrder)
    #expect(error.error is ExpectationFailed)
    #expect(count.value == 5)
  }

  @Test func `An order whose body takes too long fails, too`() async throws {
    let failure = try #require(
      await #expect(throws: OrderFailure.self) {
        try await exploreOrders(limit: .seconds(10)) { _ in try await Task.sleep(for: .seconds(11)) }
      })
    #expect(failure.order == 0)
    #expect(failure.error is VirtualTimeError)
    let other = try #require(
      await #expect(throws: OrderFailure.self) {
        try await exploreOrders(timeout: .milliseconds(50)) { _ in await Latch().wait() }
      })
    #expect(other.error is VirtualTimeError)
  }

  @Test func `A search that is cancelled ends`() async throws {
    let begun = Latch()
    let search = Task {
      try await exploreOrders(0..<Int(Int32.max)) { clock in
        await wake(20, on: clock) { _ in }
        begun.open()
      }
    }
    await begun.wait()
    search.cancel()
    await #expect(throws: CancellationError.self) { try await search.value }
  }

  // MARK: Misuse

  @Test(arguments: OrderMisuse.allCases)
  func `An argument that makes no sense stops the process with a sentence`(misuse: OrderMisuse) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
      try await misuse.commit()
    }
    // Release builds stop too, but the compiler leaves the sentence out.
    #if DEBUG
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains(misuse.sentence), "\(output)")
    #endif
  }
}

/// Has tasks sleep until the same moment, and then call `body` with their numbers.
private func wake(
  _ count: Int, on clock: VirtualClock, _ body: @escaping @Sendable (Int) async -> Void
) async {
  let tasks = (0..<count).map { number in
    Task.immediate {
      try? await clock.sleep(for: .seconds(1))
      await body(number)
    }
  }
  // A task that awaited them would be ready beside the later ones.
  try? await clock.sleep(for: .seconds(2))
  withExtendedLifetime(tasks) {}
}

/// A caller's mistake, and the message that it causes.
enum OrderMisuse: String, Codable, CaseIterable {
  case noOrders, negativeOrder, limit, timeout, date, bodyLimit, bodyTimeout, bodyDate

  func commit() async throws {
    let noDate = Date(timeIntervalSinceReferenceDate: .nan)
    switch self {
    case .noOrders: try await exploreOrders(3..<3) { _ in }
    case .negativeOrder: try await exploreOrders(-1..<3) { _ in }
    case .limit: try await exploreOrders(limit: .seconds(-1)) { _ in }
    case .timeout: try await exploreOrders(timeout: .seconds(-1)) { _ in }
    case .date: try await exploreOrders(date: noDate) { _ in }
    case .bodyLimit: try await withVirtualClock(limit: .seconds(-1)) { _ in }
    case .bodyTimeout: try await withVirtualClock(timeout: .seconds(-1)) { _ in }
    case .bodyDate: try await withVirtualClock(date: noDate) { _ in }
    }
  }

  var sentence: String {
    switch self {
    case .noOrders: "The orders must have at least one number, but 3..<3 was given."
    case .negativeOrder: "The orders must begin at 0 or later, but -1..<3 was given."
    case .limit, .bodyLimit: "A limit of virtual time must be zero or more, but -1.0 seconds was given."
    case .timeout, .bodyTimeout: "A timeout must be zero or more, but -1.0 seconds was given."
    case .date, .bodyDate: "A clock's date must be a number, but NaN was given."
    }
  }
}
