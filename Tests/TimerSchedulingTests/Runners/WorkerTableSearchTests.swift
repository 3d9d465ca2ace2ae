import Testing
import TimerScheduling

/// All states of a small pool.
///
/// Runs are added, suspended, resumed as jobs and blocked at any time, and each check finds runs short or long. In every
/// state, work that waits is looked after, and the pool's own events bring it to a worker, whichever of their outcomes
/// come. Otherwise the shortest way to the state is printed.
@Suite struct WorkerTableSearchTests {
  @Test func `Work that waits is looked after in every state, and is taken in the end`() {
    var search = WorkerTableSearch()
    search.visitAll()
    if let fault = search.fault { Issue.record("\(fault)") }
    #expect(search.fault != nil || search.states.count > 100_000)
  }
}

/// A search through all states, breadth first, so that the first way to a state is a shortest one.
struct WorkerTableSearch {
  private(set) var states = [SmallPool()]
  /// The rule that the first wrong state breaks, and the shortest way to that state. Nil if no state is wrong.
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
