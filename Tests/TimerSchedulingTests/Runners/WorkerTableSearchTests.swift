import Testing
import TimerScheduling

/// All courses of a small pool: two workers wide, three at most, four runs.
///
/// Work that waits must be looked after: a worker is starting or has control, or a check is armed. Otherwise the work
/// waits until something else happens, which may take hours.
@Suite struct WorkerTableSearchTests {
  private enum Event: CustomStringConvertible {
    case add
    /// A run that was suspended goes on, as a job.
    case resume
    case step(Int)
    /// A runner on the worker takes a run. Before that, the estimate of a run's length may change.
    case take(Int, several: Bool?)
    /// The run returns to its runner.
    case end(Int)
    /// The run is suspended, so its worker has control.
    case suspend(Int)
    case check

    var description: String {
      switch self {
      case .add: "add"
      case .resume: "resume"
      case .step(let worker): "step \(worker)"
      case .take(let worker, nil): "take \(worker)"
      case .take(let worker, .some(let several)): "take \(worker), wants \(several ? "several" : "one")"
      case .end(let worker): "end \(worker)"
      case .suspend(let worker): "suspend \(worker)"
      case .check: "check"
      }
    }
  }

  /// The activity of a worker's thread.
  private enum Thread: Int {
    case none, starting, stepping, taking, running
  }

  private struct State {
    var table = WorkerTable(label: "test", width: 2, limit: 3)
    var threads = [Thread.none, .none, .none]
    var waitingCount = 0
    var (addedCount, suspendedCount, resumedCount) = (0, 0, 0)
    var isArmed = false

    /// Everything that decides the further course. The estimate isn't part of it: in so few runs it stays high.
    var key: [Int] {
      [waitingCount, addedCount, suspendedCount, resumedCount, isArmed ? 1 : 0] + threads.map(\.rawValue)
        + table.signature
    }

    var isLookedAfter: Bool {
      waitingCount == 0 || isArmed || threads.contains { [.starting, .stepping, .taking].contains($0) }
    }

    var events: [Event] {
      var events: [Event] = []
      if addedCount < 4 { events.append(.add) }
      if suspendedCount > 0, resumedCount < 2 { events.append(.resume) }
      if isArmed { events.append(.check) }
      for (worker, thread) in threads.enumerated() {
        switch thread {
        case .none: break
        case .starting, .stepping: events.append(.step(worker))
        case .taking: events += [nil, true, false].map { .take(worker, several: $0) }
        case .running: events += [.end(worker), .suspend(worker)]
        }
      }
      return events
    }

    mutating func perform(_ event: Event) {
      switch event {
      case .add:
        addedCount += 1
        waitingCount += 1
        follow(table.settle(waitingCount: waitingCount))
      case .resume:
        suspendedCount -= 1
        resumedCount += 1
        waitingCount += 1
        follow(table.settle(waitingCount: waitingCount))
      case .step(let worker):
        table.progressed(worker)
        if table.isCrowded || waitingCount == 0 {
          threads[worker] = .none
          follow(table.leave(worker, waitingCount: waitingCount))
        } else {
          threads[worker] = .taking
          follow(table.settle(waitingCount: waitingCount - 1))
        }
      case .take(let worker, let several):
        table.progressed(worker)
        guard !table.isCrowded, waitingCount > 0 else {
          threads[worker] = .stepping
          return
        }
        if let several { table.want(several: several) }
        waitingCount -= 1
        threads[worker] = .running
        follow(table.took(on: worker, waitingCount: waitingCount))
      case .end(let worker):
        threads[worker] = .taking
      case .suspend(let worker):
        suspendedCount += 1
        threads[worker] = .stepping
      case .check:
        isArmed = false
        let (starts, orders) = table.check(waitingCount: waitingCount)
        for start in starts { threads[start] = .starting }
        follow(orders)
      }
    }

    private mutating func follow(_ orders: WorkerOrders) {
      if let start = orders.start { threads[start] = .starting }
      if orders.checkDelay != nil { isArmed = true }
    }
  }

  @Test func `Work that waits is looked after in every state`() {
    var seen: [[Int]: (previous: [Int], event: Event)?] = [:]
    var (states, next) = ([State()], 0)
    seen[State().key] = .some(nil)
    while next < states.count {
      let state = states[next]
      next += 1
      let key = state.key
      for event in state.events {
        var successor = state
        successor.perform(event)
        let successorKey = successor.key
        guard seen[successorKey] == nil else { continue }
        seen[successorKey] = .some((previous: key, event: event))
        states.append(successor)
        if !successor.isLookedAfter {
          var (way, key) = ([Event](), successorKey)
          while case .some(.some(let step)) = seen[key] {
            way.insert(step.event, at: 0)
            key = step.previous
          }
          Issue.record("After \(way) work waits, and nothing looks after it.")
          return
        }
      }
    }
    #expect(states.count > 1_000)
  }
}
