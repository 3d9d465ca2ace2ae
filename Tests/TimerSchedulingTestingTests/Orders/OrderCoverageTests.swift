import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A search says whether it has run all orders of a program, and runs them all if it says so.
@Suite(.limited, .guarantee("G148")) struct OrderCoverageTests {
  /// Tasks by their steps: each is a portion on one of two actors, or at home, where the task begins.
  private static let programs: [[[Step]]] = [
    [[.on(0)], [.on(0)]],
    [[.on(0), .on(0)], [.on(0), .on(0)]],
    [[.on(0), .on(0), .on(0)], [.on(0), .on(0), .on(0)]],
    [[.on(0)], [.on(0)], [.on(0)]],
    [[.on(0), .on(1)], [.on(1), .on(0)]],
    [[.on(0), .on(0)], [.on(1), .on(1)]],
    [[.on(0), .on(1), .on(0)], [.on(1), .on(0)]],
    [[.home, .on(0), .home], [.home, .on(0)]],
    [[.home, .on(0)], [.home], [.on(0)]],
  ]
  private static let longPrograms: [[[Step]]] = [
    [[.on(0), .on(0)], [.on(0)], [.on(0)]],
    [[.on(0)], [.on(1)], [.on(0), .on(1)]],
    [[.on(0), .on(0), .on(0), .on(0)], [.on(0), .on(0), .on(0), .on(0)]],
  ]

  @Test(arguments: size(programs, full: programs + longPrograms))
  private func `The traces of a complete search are all that there are`(program: [[Step]]) async throws {
    let traces = Journal<String>()
    let coverage = try await exploreOrders(0..<1_000_000) { _ in
      let log = Journal<String>()
      await run(program, log)
      traces.note(log.entries.joined())
    }
    #expect(coverage.isComplete)
    #expect(coverage.orderCount == traces.entries.count)
    #expect(Set(traces.entries) == allTraces(of: program))
  }

  @Test func `The traces of tasks that are due together, and of a timer beside them, are all that there are`()
    async throws
  {
    // The timer's action is the first task.
    let program: [[Step]] = [[.home], [.home, .on(0)], [.home]]
    let traces = Journal<String>()
    let coverage = try await exploreOrders(0..<100_000) { clock in
      let log = Journal<String>()
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.after(1)) { _ in log.note("0") }
      let actors = [Place(), Place()]
      for (task, steps) in program.enumerated().dropFirst() {
        Task {
          try await Task.sleep(for: .seconds(1))
          await take(steps, as: task, on: actors, log)
        }
      }
      try await Task.sleep(for: .seconds(2))
      traces.note(log.entries.joined())
    }
    #expect(coverage.isComplete)
    #expect(Set(traces.entries) == allTraces(of: program))
  }

  @Test func `Tasks that are born on an actor begin in their order, and others get between them`()
    async throws
  {
    let traces = Journal<String>()
    let coverage = try await exploreOrders { _ in
      let (log, place) = (Journal<String>(), Place())
      let tasks = await place.start(["b", "c"], log) + [Task { log.note("d") }]
      for task in tasks { await task.value }
      traces.note(log.entries.joined())
    }
    #expect(coverage.isComplete)
    #expect(Set(traces.entries) == ["bcd", "bdc", "dbc"])
  }

  @Test func `Tasks that are born on two actors come in all orders of the two`() async throws {
    let traces = Journal<String>()
    let coverage = try await exploreOrders(0..<20_000) { _ in
      let (log, first, second) = (Journal<String>(), Place(), Place())
      let tasks = await first.start(["a", "b"], log) + second.start(["c", "d"], log)
      for task in tasks { await task.value }
      traces.note(log.entries.joined())
    }
    #expect(coverage.isComplete)
    #expect(Set(traces.entries) == ["abcd", "acbd", "acdb", "cabd", "cadb", "cdab"])
  }

  @Test func `A limit and its operation that end together end in both orders`() async throws {
    let ends = Journal<String>()
    let coverage = try await exploreOrders { clock in
      do {
        try await withTimeout(5, on: TimerScheduler(clock: clock)) { try await clock.sleep(for: .seconds(5)) }
        ends.note("operation")
      } catch is TimeoutError {
        ends.note("limit")
      }
    }
    #expect(coverage.isComplete)
    #expect(ends.entries.first == "operation")
    #expect(Set(ends.entries) == ["operation", "limit"])
  }

  @Test func `A task on an executor of the process's own leaves a search incomplete`() async throws {
    let executor = QueueTaskExecutor(label: "orders")
    let coverage = try await exploreOrders(0..<20) { _ in
      await Task(executorPreference: executor) { await Task.yield() }.value
    }
    #expect(!coverage.isComplete)
    let withActor = try await exploreOrders(0..<20) { _ in await Elsewhere().work() }
    #expect(!withActor.isComplete)
    // It may end before the body waits.
    let bornThere = try await exploreOrders(0..<20) { _ in
      Task { @Elsewhere in }
      await Task.yield()
    }
    #expect(!bornThere.isComplete)
    let onMainActor = try await exploreOrders(0..<20) { _ in
      Task { @MainActor in }
      await Task.yield()
    }
    #expect(onMainActor.isComplete)
  }

  // It doesn't come back before the body's end.
  @Test func `A task that sleeps on an executor of the process's own leaves a search incomplete`()
    async throws
  {
    let executor = QueueTaskExecutor(label: "orders")
    let coverage = try await exploreOrders(0..<20) { clock in
      Task {
        await withTaskExecutorPreference(executor) { try? await clock.sleep(for: .seconds(3600)) }
      }
      try await clock.sleep(for: .seconds(1))
    }
    #expect(!coverage.isComplete)
  }

  @Test func `A task that waits and is resumed from outside leaves a search incomplete`() async throws {
    let coverage = try await exploreOrders(0..<20) { clock in
      await clock.holdTime {
        await withCheckedContinuation { continuation in
          // This task runs once the body waits.
          Task { DispatchQueue.global().async { continuation.resume() } }
        }
      }
    }
    #expect(!coverage.isComplete)
  }

  /// A timer ends the wait here. A thread outside could have, before the time limit or after it.
  @Test func `A wait that may end from outside leaves a search incomplete`() async throws {
    let coverage = try await exploreOrders(0..<3) { clock in
      let (scheduler, wait) = (TimerScheduler(clock: clock), Box<CheckedContinuation<Void, Never>>())
      scheduler.schedule(after: 1) { _ in wait.value?.resume() }
      await withCheckedContinuation { wait.value = $0 }
    }
    #expect(!coverage.isComplete)
  }

  @Test func `A task that yields thousands of times leaves a search incomplete`() async throws {
    let coverage = try await exploreOrders(0..<3) { clock in
      TimerScheduler(clock: clock).schedule(after: 1) { _ in }
      for _ in 0..<2_500 { await Task.yield() }
    }
    #expect(!coverage.isComplete)
  }

  @Test(arguments: ["BIRTHS", "WAITS", "TURNS"])
  func `Without a part of the runtime, a search is never complete`(part: String) async {
    await #expect(processExitsWith: .success) { [part] in
      unsafe setenv("TIMER_SCHEDULING_WITHOUT_\(part)", "1", 1)
      let coverage = try await exploreOrders(0..<200) { _ in await run([[.on(0)], [.on(0)]], Journal()) }
      try expect(!coverage.isComplete && coverage.orderCount > 0)
    }
  }

  @Test func `The bound is that of the preemptions of which each order was run`() async throws {
    let program: [[Step]] = [[.on(0), .on(0)], [.on(0), .on(0)]]
    let all = try await exploreOrders(0..<1_000) { _ in await run(program, Journal()) }
    #expect(all.isComplete)
    #expect(all.description == "\(all.orderCount) orders were run: all that the body has.")
    let one = try await exploreOrders(0..<1) { _ in await run(program, Journal()) }
    #expect(one.orderCount == 1 && !one.isComplete && one.preemptionBound == 0)
    let some = try await exploreOrders(0..<100) { _ in await run(program, Journal()) }
    #expect(some.orderCount == 100 && !some.isComplete)
    #expect((1..<all.preemptionBound).contains(some.preemptionBound))
    #expect(
      "\(some)" == "100 orders were run, among them each with up to \(some.preemptionBound) preemptions.")
  }

  @Test func `A search that leaves order 0 out is never complete`() async throws {
    let program: [[Step]] = [[.on(0)], [.on(0)]]
    #expect(try await exploreOrders(0..<500) { _ in await run(program, Journal()) }.isComplete)
    #expect(try await !exploreOrders(1..<500) { _ in await run(program, Journal()) }.isComplete)
    #expect(try await !exploreOrders(1..<5) { _ in }.isComplete)
  }

  @Test func `A body without a choice is told from one whose orders were all run`() async throws {
    let coverage = try await exploreOrders { _ in await Task { await Task.yield() }.value }
    #expect(coverage.orderCount == 1 && coverage.isComplete && coverage.preemptionBound == 0)
    #expect("\(coverage)".hasPrefix("The body has one order"))
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await exploreOrders { _ in }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("OrderCoverageTests.swift"))
    #expect(output.contains("The body has one order"))
  }

  @Test func `A loop that yields lets others go first in each order`() async throws {
    let coverage = try await exploreOrders(0..<100) { _ in
      let (isDone, rounds) = (Box<Bool>(), Counter())
      await withTaskGroup { group in
        group.addTask {
          while isDone.value != true {
            rounds.add()
            await Task.yield()
          }
        }
        group.addTask {
          await Task.yield()
          isDone.value = true
        }
      }
      // Time moves past a task that has yielded 2,000 times.
      try expect(rounds.value < 500)
    }
    #expect(coverage.orderCount == 100)
    #expect(!coverage.isComplete)
  }
}

private enum Step {
  case home
  case on(Int)
}

private actor Place {
  func note(_ task: Int, _ log: Journal<String>) { log.note("\(task)") }

  func start(_ names: [String], _ log: Journal<String>) -> [Task<Void, Never>] {
    names.map { name in Task { self.note(name, log) } }
  }

  private func note(_ name: String, _ log: Journal<String>) { log.note(name) }
}

@globalActor private actor Elsewhere {
  static let shared = Elsewhere()
  private let executor = SerialQueueExecutor(label: "orders")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func work() {}
}

private func take(_ steps: [Step], as task: Int, on places: [Place], _ log: Journal<String>) async {
  for step in steps {
    switch step {
    case .home: log.note("\(task)")
    case .on(let place): await places[place].note(task, log)
    }
  }
}

private func run(_ program: [[Step]], _ log: Journal<String>) async {
  let places = [Place(), Place()]
  await withTaskGroup { group in
    for (task, steps) in program.enumerated() {
      group.addTask { await take(steps, as: task, on: places, log) }
    }
  }
}

/// Returns the traces of a program, by trying each choice. An actor takes tasks in the order in which they
/// came.
private func allTraces(of program: [[Step]]) -> Set<String> {
  struct State: Hashable {
    /// The steps that each task has yet to take.
    var left: [[Int]]
    var home: Set<Int>
    var queues = [[Int](), [Int]()]
    var trace = ""
  }
  // A portion at home is -1.
  let steps = program.map { $0.map { if case .on(let place) = $0 { place } else { -1 } } }
  var (known, traces) = (Set<State>(), Set<String>())
  var open = [State(left: steps, home: Set(program.indices))]
  while let state = open.popLast() {
    guard known.insert(state).inserted else { continue }
    if state.left.allSatisfy(\.isEmpty) { traces.insert(state.trace) }
    for task in state.home {
      var next = state
      next.home.remove(task)
      while next.left[task].first == -1 {
        next.trace += "\(task)"
        next.left[task].removeFirst()
      }
      if let place = next.left[task].first { next.queues[place].append(task) }
      open.append(next)
    }
    for place in 0..<2 where !state.queues[place].isEmpty {
      var next = state
      let task = next.queues[place].removeFirst()
      next.trace += "\(task)"
      next.left[task].removeFirst()
      next.home.insert(task)
      open.append(next)
    }
  }
  return traces
}
