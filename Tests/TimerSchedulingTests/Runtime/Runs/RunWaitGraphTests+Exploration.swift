import Synchronization
import TimerScheduling

extension RunWaitGraphTests {
  enum Wait: Hashable, CustomStringConvertible {
    case cancel(Int), finish(Int), shutdown(Int)

    var description: String {
      switch self {
      case .cancel(let timer): "cancelAndWait \(timer)"
      case .finish(let timer): "waitUntilFinished \(timer)"
      case .shutdown(let scheduler): "shutdownAndWait \(scheduler)"
      }
    }
  }

  /// A run for each timer, which makes its waits one after the other and then ends.
  ///
  /// A timer that doesn't end with its run may be changed at any time so that it does.
  struct Program {
    var waits: [[Wait]]
    var schedulers: [Int]
    var isOnce: [Bool]
  }

  private struct State {
    var graph = Graph()
    var position: [Int]
    var isWaiting: [Bool]
    var isUnderWay: [Bool]
    var isFinished: [Bool]
    /// Whether each timer ends with its run.
    var endsWithRun: [Bool]
    /// The list of a timer has the run, until the run is resumed.
    var isListed: [Bool]
    /// Whether the run has made the first of the two steps of a wait for a timer's end.
    var hasBegun: [Bool]

    var key: [[Int]] {
      [position]
        + [isWaiting, isUnderWay, isFinished, endsWithRun, isListed, hasBegun].map { $0.map { $0 ? 1 : 0 } }
    }
  }

  /// Performs a program in every order. Says what is wrong with it.
  struct Exploration {
    let program: Program
    let world = World()
    let trackers = [Tracker(), Tracker()]
    let runs: [Run]
    var seen: Set<[[Int]]> = []
    var faults: [String] = []

    init(_ program: Program) {
      self.program = program
      let (world, trackers) = (self.world, self.trackers)
      runs = program.schedulers.enumerated().map { Run($0, trackers[$1], world) }
    }

    mutating func explore() {
      let count = runs.count
      explore(
        State(
          position: .init(repeating: 0, count: count), isWaiting: .init(repeating: false, count: count),
          isUnderWay: .init(repeating: true, count: count), isFinished: .init(repeating: false, count: count),
          endsWithRun: program.isOnce, isListed: .init(repeating: false, count: count),
          hasBegun: .init(repeating: false, count: count)))
    }

    private mutating func explore(_ state: State) {
      guard seen.insert(state.key).inserted else { return }
      let ready = runs.indices.filter { state.isUnderWay[$0] && !state.isWaiting[$0] }
      if ready.isEmpty { checkEnd(state) }
      for run in ready {
        var next = state
        step(run, &next)
        explore(next)
      }
      for timer in runs.indices where state.isUnderWay[timer] && !state.endsWithRun[timer] {
        guard !state.isFinished[timer] else { continue }
        var next = state
        next.endsWithRun[timer] = true
        resumeListed(.finish(timer), &next)
        explore(next)
      }
    }

    /// A wait for the end of a timer that goes on may last for ever.
    private mutating func checkEnd(_ state: State) {
      let waiting = runs.indices.filter { state.isWaiting[$0] }
      let isExpected = waiting.contains { run in
        guard case .finish(let timer) = program.waits[run][state.position[run]] else { return false }
        return !state.endsWithRun[timer] && !state.isFinished[timer]
      }
      if !waiting.isEmpty && !isExpected { faults.append("\(program): \(waiting) wait for ever") }
    }

    private func tell(_ state: State) {
      world.underWay.withLock { $0 = state.isUnderWay }
      let ends = runs.indices.map { state.endsWithRun[$0] && state.isUnderWay[$0] && !state.isFinished[$0] }
      world.ends.withLock { $0 = ends }
    }

    private func counts(_ scheduler: Int, _ state: State) -> RunTracker.Counts {
      (
        runs: runs.indices.count { program.schedulers[$0] == scheduler && state.isUnderWay[$0] }, work: 0
      )
    }

    private func target(_ wait: Wait) -> Graph.Target {
      switch wait {
      case .cancel(let timer): .run(RunKey(timer: UInt64(timer), number: 1))
      case .finish(let timer):
        .end(.init(timer: UInt64(timer)) { [world] in world.ends.withLock { $0[timer] ? 1 : nil } })
      case .shutdown(let scheduler): .all(ObjectIdentifier(trackers[scheduler]))
      }
    }

    private mutating func step(_ run: Int, _ state: inout State) {
      guard state.position[run] < program.waits[run].count else { return end(run, &state) }
      let wait = program.waits[run][state.position[run]]
      switch wait {
      case .cancel(let timer): finish([timer], &state)
      case .finish(let timer): return stepTowards(timer, in: run, &state)
      case .shutdown(let scheduler):
        finish(runs.indices.filter { program.schedulers[$0] == scheduler }, &state)
      }
      tell(state)
      let waits =
        switch wait {
        case .cancel(let timer): state.isUnderWay[timer] && state.graph.begin(target(wait), in: runs[run])
        case .finish: false
        case .shutdown(let scheduler):
          state.graph.begin(
            run, forAllOf: ObjectIdentifier(trackers[scheduler]), counts(scheduler, state), in: runs[run])
        }
      if waits { return state.isWaiting[run] = true }
      checkWait(of: run, state)
      proceed(run, &state)
    }

    /// Makes the next step of a wait for the end of a timer: the run is added to the timer's list, and the
    /// graph is asked. A run that was resumed in between looks again.
    private mutating func stepTowards(_ timer: Int, in run: Int, _ state: inout State) {
      tell(state)
      guard state.hasBegun[run] else {
        state.hasBegun[run] = true
        state.isListed[run] = !state.isFinished[timer]
        if !state.isListed[run] { goOn(run, &state) }
        return
      }
      state.hasBegun[run] = false
      let begins = state.graph.begin(target(.finish(timer)), in: runs[run])
      guard state.isListed[run] else {
        if begins { state.graph.end(target(.finish(timer)), in: runs[run]) }
        return
      }
      guard begins else {
        state.isListed[run] = false
        return goOn(run, &state)
      }
      state.isWaiting[run] = true
    }

    private mutating func goOn(_ run: Int, _ state: inout State) {
      state.hasBegun[run] = false
      checkWait(of: run, state)
      proceed(run, &state)
    }

    /// Resumes the runs that a timer's list has. They look again.
    private mutating func resumeListed(_ wait: Wait, _ state: inout State) {
      for run in runs.indices where state.isListed[run] && program.waits[run][state.position[run]] == wait {
        state.isListed[run] = false
        guard state.isWaiting[run] else { continue }
        state.isWaiting[run] = false
        state.graph.end(target(wait), in: runs[run])
      }
    }

    /// Ends timers, and the waits for that.
    private mutating func finish(_ timers: [Int], _ state: inout State) {
      for timer in timers where !state.isFinished[timer] {
        state.isFinished[timer] = true
        resumeListed(.finish(timer), &state)
      }
    }

    private mutating func end(_ run: Int, _ state: inout State) {
      state.isUnderWay[run] = false
      if state.endsWithRun[run] { finish([run], &state) }
      tell(state)
      state.graph.runEnded(runs[run])
      endWaits(for: .cancel(run), &state)
      let scheduler = program.schedulers[run]
      let over = state.graph.takeOver(ObjectIdentifier(trackers[scheduler]), counts(scheduler, state))
      // Several waits that are over together are over as long as they wait for each other.
      for run in over { checkWait(of: run, state) }
      for run in over { proceed(run, &state) }
    }

    private mutating func endWaits(for wait: Wait, _ state: inout State) {
      for run in runs.indices where state.isWaiting[run] && program.waits[run][state.position[run]] == wait {
        tell(state)
        state.graph.end(target(wait), in: runs[run])
        checkWait(of: run, state)
        proceed(run, &state)
      }
    }

    /// Notes the end of a run's wait as early if a run of the target is under way that doesn't wait for this
    /// one.
    private mutating func checkWait(of run: Int, _ state: State) {
      let left = underWay(program.waits[run][state.position[run]], state)
      if !left.allSatisfy({ waits($0, for: run, state) }) {
        faults.append("\(program): \(run) goes on early")
      }
    }

    private func proceed(_ run: Int, _ state: inout State) {
      state.isWaiting[run] = false
      state.position[run] += 1
    }

    private func underWay(_ wait: Wait, _ state: State) -> [Int] {
      runs.indices.filter { run in
        guard state.isUnderWay[run] else { return false }
        return switch wait {
        case .cancel(let timer): timer == run
        case .finish(let timer): timer == run && state.endsWithRun[run] && !state.isFinished[run]
        case .shutdown(let scheduler): program.schedulers[run] == scheduler
        }
      }
    }

    private func waits(_ start: Int, for goal: Int, _ state: State) -> Bool {
      var (seen, unseen) = (Set([start]), [start])
      while let next = unseen.popLast() {
        if next == goal { return true }
        guard state.isWaiting[next] else { continue }
        let awaited = underWay(program.waits[next][state.position[next]], state)
        for other in awaited where seen.insert(other).inserted { unseen.append(other) }
      }
      return false
    }
  }
}
