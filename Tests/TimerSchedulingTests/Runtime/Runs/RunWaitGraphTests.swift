import Synchronization
import TestSupport
import Testing
import TimerScheduling

/// The rule of waits inside runs, as a value: no thread and no task waits here.
@Suite struct RunWaitGraphTests {
  /// The state of a program's runs and timers at a moment, as the graph asks for it.
  final class World: Sendable {
    let underWay = Mutex<[Bool]>([])
    /// Whether the timer of each run ends with it.
    let ends = Mutex<[Bool]>([])
    let visits = Atomic<Int>(0)
  }

  final class Run: WaitingRun {
    let number: Int
    let tracker: ObjectIdentifier
    private let world: World

    init(_ number: Int, _ tracker: AnyObject, _ world: World) {
      self.number = number
      self.tracker = ObjectIdentifier(tracker)
      self.world = world
    }

    var key: RunKey {
      world.visits.add(1, ordering: .relaxed)
      return RunKey(timer: UInt64(number), number: 1)
    }
    var isUnderWay: Bool {
      world.visits.add(1, ordering: .relaxed)
      return world.underWay.withLock { $0[number] }
    }
  }

  final class Tracker: Sendable {}
  typealias Graph = RunWaitGraph<Run, Int>

  private static func faults(of program: Program) -> [String] {
    var exploration = Exploration(program)
    exploration.explore()
    return exploration.faults
  }

  private static func choices<T>(_ count: Int, of values: [T]) -> [[T]] {
    (0..<count).reduce([[]]) { lists, _ in lists.flatMap { list in values.map { list + [$0] } } }
  }

  // Two runs, of which the first makes up to two waits, and three runs that make one, on one and two
  // schedulers.
  @Test(.guarantee("G51"), arguments: [2, 3])
  func `In no program and order does a wait last for ever or end early`(count: Int) {
    let waits = (0..<count).flatMap { [Wait.cancel($0), .finish($0)] } + (0..<2).map { Wait.shutdown($0) }
    let one = waits.map { [$0] }
    let lists =
      count == 2
      ? (one + Self.choices(2, of: waits)).flatMap { first in one.map { [first, $0] } }
      : Self.choices(count, of: one)
    // The first run's scheduler is the first one. Of three timers at most the last goes on.
    let schedulers = Self.choices(count - 1, of: [0, 1]).map { [0] + $0 }
    let kinds =
      count == 2 ? Self.choices(2, of: [true, false]) : [[true, true, true], [true, true, false]]
    var faults: [String] = []
    for waits in lists {
      for schedulers in schedulers {
        for isOnce in kinds {
          faults += Self.faults(of: Program(waits: waits, schedulers: schedulers, isOnce: isOnce))
        }
      }
    }
    #expect(faults.isEmpty, "\(faults.count) faults, first \(faults.first ?? "")")
  }

  // MARK: Ends of runs

  @Test func `A run that has ended isn't taken for one that waits`() {
    let (world, tracker) = (World(), Tracker())
    world.underWay.withLock { $0 = [true, true] }
    let ended = Run(0, tracker, world)
    var graph = Graph()
    let waits = graph.begin(7, forAllOf: ended.tracker, (runs: 2, work: 0), in: ended)
    #expect(waits)
    world.underWay.withLock { $0[0] = false }
    // The other run is under way, and the end of the first hasn't been reported.
    #expect(graph.takeOver(ended.tracker, (runs: 1, work: 0)) == [])
    graph.runEnded(ended)
    #expect(graph.takeOver(ended.tracker, (runs: 1, work: 0)) == [])
    #expect(graph.takeOver(ended.tracker, (runs: 0, work: 1)) == [])
    #expect(graph.takeOver(ended.tracker, (runs: 0, work: 0)) == [7])
    #expect(graph.isEmpty)
  }

  @Test func `A wait doesn't end because of a run that has ended`() {
    let (world, tracker, other) = (World(), Tracker(), Tracker())
    world.underWay.withLock { $0 = [true, true, true] }
    let (first, second, ended) = (Run(0, tracker, world), Run(1, tracker, world), Run(2, other, world))
    var graph = Graph()
    var waits = [graph.begin(.run(first.key), in: ended), graph.begin(.run(ended.key), in: second)]
    waits.append(graph.begin(0, forAllOf: first.tracker, (runs: 3, work: 0), in: first))
    #expect(waits == [true, true, true])
    // The second run waits for one that has ended, and so goes on. A task of that one still waits for the
    // first.
    world.underWay.withLock { $0[2] = false }
    #expect(graph.takeOver(first.tracker, (runs: 2, work: 0)) == [])
    graph.runEnded(ended)
    graph.end(.run(ended.key), in: second)
    #expect(graph.takeOver(first.tracker, (runs: 2, work: 0)) == [])
    #expect(graph.takeOver(first.tracker, (runs: 1, work: 0)) == [0])
    #expect(graph.isEmpty)
  }

  @Test func `A task that outlives its run waits for runs that wait`() {
    let (world, tracker, other) = (World(), Tracker(), Tracker())
    world.underWay.withLock { $0 = [true, true, true, true] }
    let (first, second, ended) = (Run(0, tracker, world), Run(1, tracker, world), Run(2, tracker, world))
    let (id, free) = (first.tracker, Run(3, other, world))
    var graph = Graph()
    var waits = [graph.begin(0, forAllOf: id, (runs: 3, work: 0), in: ended)]
    world.underWay.withLock { $0[2] = false }
    graph.runEnded(ended)
    // All runs under way wait now, but not for each other.
    waits.append(graph.begin(.run(free.key), in: second))
    waits.append(graph.begin(1, forAllOf: id, (runs: 2, work: 0), in: first))
    #expect(waits == [true, true, true])
    #expect(graph.takeOver(id, (runs: 2, work: 0)) == [])
    world.underWay.withLock { $0[1] = false }
    graph.runEnded(second)
    #expect(graph.takeOver(id, (runs: 1, work: 0)) == [1])
    world.underWay.withLock { $0[0] = false }
    graph.runEnded(first)
    #expect(graph.takeOver(id, (runs: 0, work: 0)) == [0])
    #expect(graph.isEmpty)
  }

  private enum Target: CaseIterable { case oneRun, own, other, crossed, waiting }

  /// Returns how often runs are looked at while as many begin to wait, and then end.
  private func visits(_ count: Int, _ target: Target) -> Int {
    let (world, trackers) = (World(), [Tracker(), Tracker()])
    world.underWay.withLock { $0 = .init(repeating: true, count: count + 1) }
    let runs = (0...count).map { number in
      let isSecond =
        switch target {
        case .oneRun, .own: false
        case .other: number == count
        case .crossed: number % 2 == 1
        case .waiting: number >= count / 2
        }
      return Run(number, trackers[isSecond ? 1 : 0], world)
    }
    var graph = Graph()
    var left = [0, 0]
    for run in runs { left[run.tracker == ObjectIdentifier(trackers[0]) ? 0 : 1] += 1 }
    for run in runs.dropLast() {
      switch target {
      case .waiting where run.tracker == ObjectIdentifier(trackers[0]), .oneRun:
        _ = graph.begin(.run(RunKey(timer: UInt64(count), number: 1)), in: run)
      case .own: _ = graph.begin(run.number, forAllOf: run.tracker, (runs: left[0], work: 0), in: run)
      case .other, .crossed, .waiting:
        let other = run.tracker == ObjectIdentifier(trackers[0]) ? 1 : 0
        _ = graph.begin(
          run.number, forAllOf: ObjectIdentifier(trackers[other]), (runs: left[other], work: 0), in: run)
      }
    }
    for run in target == .waiting ? runs : runs.reversed() {
      world.underWay.withLock { $0[run.number] = false }
      let index = run.tracker == ObjectIdentifier(trackers[0]) ? 0 : 1
      left[index] -= 1
      graph.runEnded(run)
      _ = graph.takeOver(run.tracker, (runs: left[index], work: 0))
    }
    #expect(target == .oneRun || graph.isEmpty)
    return world.visits.load(ordering: .relaxed)
  }

  @Test(arguments: Target.allCases) private func `Two thousand waits cost two thousand times one`(
    target: Target
  ) {
    #expect(visits(2_000, target) < 30 * 2_000)
  }
}
