import Foundation
import TestSupport
import Testing
import TimerScheduling

/// All states of a small pool.
///
/// Runs are added, suspended, resumed as jobs and blocked at any time, and each check finds runs short or
/// long. In every state, work that waits is looked after, and the pool's own events bring it to a worker,
/// whichever of their outcomes come. Otherwise the shortest way to the state is printed.
@Suite struct WorkerTableSearchTests {
  private static let search = {
    var search = WorkerTableSearch()
    search.visitAll()
    return search
  }()

  @Test(.guarantee("G108")) func `Work that waits is looked after in every state, and is taken in the end`() {
    let search = Self.search
    if let fault = search.fault { Issue.record("\(fault)") }
    #expect(search.fault != nil || search.states.count > 100_000)
  }

  // `.ci/models` writes the file with the transitions of Tests/Models/pool.pml, and checks that it is up to
  // date.
  @Test(.guarantee("G108")) func `The worker table does in each state what its model does`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../../Models/pool-transitions.txt")
    let modelled = Set(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init))
    let done = Set(Self.search.transitions.map(\.description))
    let (onlyModelled, onlyDone) = (modelled.subtracting(done).sorted(), done.subtracting(modelled).sorted())
    #expect(onlyModelled.isEmpty, "The model alone does \(onlyModelled.count), as \(onlyModelled.prefix(5))")
    #expect(onlyDone.isEmpty, "The code alone does \(onlyDone.count), as \(onlyDone.prefix(5))")
    #expect(done.count > 1_000)
  }
}

/// A search through all states, breadth first, so that the first way to a state is a shortest one.
struct WorkerTableSearch {
  /// A transition of the worker table, as the model prints it: the state, the event, the worker, and the next
  /// state.
  struct Transition: Hashable, CustomStringConvertible {
    let state: Int
    let event: Int
    let worker: Int?
    let next: Int

    var description: String {
      let worker = worker.map { " \(Self.describe(worker: $0))" } ?? ""
      let (state, next) = (Self.describe(state: state), Self.describe(state: next))
      return "\(state) \(SmallPool.tableEventNames[event])\(worker) \(next)"
    }

    private static func describe(worker code: Int) -> String { "\(Array("isbx")[code >> 2])\(code & 3)" }

    private static func describe(state key: Int) -> String {
      let workers = [14, 10, 6].map { describe(worker: key >> $0 & 15) }.joined()
      return "\(workers)-\(key >> 3 & 7)\(1 + (key >> 2 & 1))\(Array("-atA")[key & 3])"
    }
  }

  /// The transitions of the worker table that the search has made.
  private(set) var transitions: Set<Transition> = []
  private(set) var states = [SmallPool()]
  /// The rule that the first wrong state breaks, and the shortest way to that state. Nil if no state is
  /// wrong.
  private(set) var fault: String?

  private var numbers = [SmallPool().key: 0]
  /// For each state, the one from which it was reached first, and the event.
  private var origins: [(state: Int, event: SmallPool.Event)?] = [nil]
  /// The moves of the pool itself in each state, with the states to which they may lead.
  private var moves: [(state: Int, outcomes: [Int])] = []

  mutating func visitAll() {
    var next = 0
    while next < states.count {
      for move in states[next].moves {
        var outcomes: [Int] = []
        for event in move.events {
          var state = states[next]
          let problem = state.perform(event) ?? state.problem
          note(event, from: states[next], to: state)
          outcomes.append(add(state, from: next, by: event))
          if let problem {
            fault = "\(problem) \(way(to: next))\(event)"
            return
          }
        }
        if move.isPools { moves.append((next, outcomes)) }
      }
      next += 1
    }
    findStuck()
  }

  private mutating func note(_ event: SmallPool.Event, from old: SmallPool, to new: SmallPool) {
    guard let (name, worker) = old.tableEvent(event, to: new) else { return }
    transitions.insert(
      Transition(
        state: old.tableKey, event: name, worker: worker.map { old.tableCode(of: $0) }, next: new.tableKey))
  }

  private mutating func add(_ state: SmallPool, from previous: Int, by event: SmallPool.Event) -> Int {
    let key = state.key
    if let number = numbers[key] { return number }
    numbers[key] = states.count
    states.append(state)
    origins.append((previous, event))
    return states.count - 1
  }

  /// Finds the first state in which work waits and may never be taken, though no further work comes.
  private mutating func findStuck() {
    var isGood = states.map { $0.waitingCount == 0 }
    var movesInto = [[Int]](repeating: [], count: states.count)
    for (move, (_, outcomes)) in moves.enumerated() {
      for outcome in outcomes { movesInto[outcome].append(move) }
    }
    // A state is good if it has a move all of whose outcomes are good.
    var openCounts = moves.map(\.outcomes.count)
    var unseen = isGood.indices.filter { isGood[$0] }
    while let state = unseen.popLast() {
      for move in movesInto[state] {
        openCounts[move] -= 1
        let owner = moves[move].state
        guard openCounts[move] == 0, !isGood[owner] else { continue }
        isGood[owner] = true
        unseen.append(owner)
      }
    }
    if let stuck = isGood.firstIndex(of: false) { fault = "Work is never taken: \(way(to: stuck))" }
  }

  private func way(to state: Int) -> String {
    var (way, state) = ([String](), state)
    while let origin = origins[state] {
      way.append("\(origin.event), ")
      state = origin.state
    }
    return way.reversed().joined()
  }
}
