import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

private struct Lost: Error {}

private actor Value {
  private(set) var number = 0
  func get() -> Int { number }
  func set(_ n: Int) { number = n }
}

private actor Log {
  var entries = ""
  func note(_ entry: String) { entries += entry }
}

private actor Maker {
  func start(_ log: Journal<String>, _ names: [String]) -> [Task<Void, Never>] {
    names.map { name in Task { self.note(name, log) } }
  }
  func note(_ name: String, _ log: Journal<String>) { log.note(name) }
}

@Suite(.limited, .serialized) struct RaceTests {
  @Test func lostUpdate() async throws {
    do {
    try await exploreOrders { _ in
      let value = Value()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await value.set(await value.get() + 1) } }
      }
      if await value.number != 2 { throw Lost() }
    }
    } catch { print(error) }
    do {
    try await exploreOrders { _ in
      let value = Value()
      await withTaskGroup(of: Void.self) { group in
        for n in 0..<2 { group.addTask(name: "adder \(n)") { await value.set(await value.get() + 1) } }
      }
      #expect(await value.number == 2)
    }
    } catch { print(error) }
    do {
    try await exploreOrders { _ in
      let value = Value()
      await withTaskGroup(of: Void.self) { group in
        for n in 0..<2 { group.addTask(name: "adder \(n)") { await value.set(await value.get() + 1) } }
      }
      try #require(await value.number == 2)
    }
    } catch { print(error) }
  }

  @Test func bornOnAnActor() async throws {
    let traces = Journal<String>()
    print(try await exploreOrders { _ in
      let log = Journal<String>()
      let maker = Maker()
      let d = Task { log.note("d") }
      for task in await maker.start(log, ["b", "c"]) + [d] { await task.value }
      traces.note(log.entries.joined())
    }, Set(traces.entries).sorted())
  }

  @Test func spin() async throws {
    print(try await exploreOrders(0..<50, timeout: .seconds(5)) { _ in
      let done = Box<Bool>()
      await withTaskGroup(of: Void.self) { g in
        g.addTask { while done.value != true { await Task.yield() } }
        g.addTask { await Task.yield(); done.value = true }
      }
    })
  }

  @Test func tie() async throws {
    let traces = Journal<String>()
    print(try await exploreOrders(0..<200) { clock in
      let s = TimerScheduler(clock: clock)
      do { try await withTimeout(5, on: s) { try await clock.sleep(for: .seconds(5)) }; traces.note("op") } catch { traces.note("timeout") }
    }, Dictionary(grouping: traces.entries) { $0 }.mapValues(\.count))
  }

  // The set of traces equals a naive enumeration.
  private static let programs: [[[Int]]] = [
    [[0], [0]], [[0, 0], [0, 0]], [[0, 0, 0], [0, 0, 0]], [[0], [0], [0]], [[0, 0], [0], [0]],
    [[0, 1], [0, 1]], [[0, 1], [1, 0]], [[0, 0], [1, 1]], [[0, 1, 0], [1, 0]], [[0], [1], [0, 1]],
  ]

  @Test(arguments: programs) func interleavings(_ program: [[Int]]) async throws {
    let traces = Journal<String>()
    let coverage = try await exploreOrders(0..<200_000) { _ in
      let log = Log()
      let actors = (0..<2).map { _ in Maker() }
      let journal = Journal<String>()
      await withTaskGroup(of: Void.self) { group in
        for (task, steps) in program.enumerated() {
          group.addTask {
            for step in steps { await actors[step].note("\(task)", journal) }
          }
        }
      }
      _ = log
      traces.note(journal.entries.joined())
    }
    let naive = enumerate(program)
    print(program, coverage, Set(traces.entries).count, naive.count)
    #expect(coverage.isComplete)
    #expect(Set(traces.entries) == naive)
  }
}

/// All traces of tasks that go to actors and come back, by simulating each choice.
private func enumerate(_ program: [[Int]]) -> Set<String> {
  struct State: Hashable { var next: [Int]; var home: Set<Int>; var queues: [[Int]]; var trace: String }
  var seen: Set<State> = [], traces: Set<String> = []
  var open = [State(next: program.map { _ in 0 }, home: Set(program.indices), queues: [[], []], trace: "")]
  while let state = open.popLast() {
    guard seen.insert(state).inserted else { continue }
    var isOver = true
    for task in state.home where state.next[task] < program[task].count {
      isOver = false
      var new = state
      new.home.remove(task)
      new.queues[program[task][state.next[task]]].append(task)
      open.append(new)
    }
    for actor in 0..<2 where !state.queues[actor].isEmpty {
      isOver = false
      var new = state
      let task = new.queues[actor].removeFirst()
      new.trace += "\(task)"
      new.next[task] += 1
      new.home.insert(task)
      open.append(new)
    }
    if isOver { traces.insert(state.trace) }
  }
  return traces
}
