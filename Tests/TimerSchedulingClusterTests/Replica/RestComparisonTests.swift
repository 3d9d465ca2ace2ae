import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Replicas that rest begin the same dates as replicas that look each second, and none later.
@Suite(.limited, .guarantee("G171")) struct RestComparisonTests {
  struct Broken: Error {}

  /// Runs by job, date and attempt, with the seconds at which they have begun.
  private typealias Runs = [String: [Double]]

  /// A program whose replicas come and go, while an operator puts, pauses and asks. What it does depends on
  /// its seed alone.
  private final class Program: Sendable {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let store: MemoryTimerStore
    let start: Date
    let begins = Journal<(run: String, second: Double)>()
    private typealias Replica = (scheduler: TimerScheduler, cluster: TimerCluster)
    private let replicas = Box<[Replica]>()

    /// Replicas on a store with a clock of its own don't rest.
    init(rests: Bool) {
      let clock = clock
      store = rests ? MemoryTimerStore() : MemoryTimerStore { clock.date }
      start = clock.date
    }

    func addReplica() {
      let scheduler = TimerScheduler(clock: clock, configuration: .silent)
      let cluster = TimerCluster(store: store, scheduler: scheduler)
      let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(4)))
      let again = AbandonedRunBehavior.runAgain(attempts: 9)
      for (name, seconds) in [("half", 30.0), ("minute", 60)] {
        cluster.schedule(
          .every(seconds, starting: .aligned), name: name, ifAbandoned: again, ifFailed: retry
        ) { [self] run in try await act(run) }
      }
      for handler in ["x", "y"] {
        cluster.handle(handler, limit: 2, ifAbandoned: again, ifFailed: retry) { [self] run in
          try await act(run)
        }
      }
      replicas.value = (replicas.value ?? []) + [(scheduler, cluster)]
    }

    private func act(_ run: ClusterRun) async throws {
      let date = Int(run.scheduledDate.timeIntervalSince(start))
      begins.note(("\(run.name) \(date).\(run.attempt)", clock.date.timeIntervalSince(start)))
      // A third of the dates fail at first.
      let kind = (date + run.name.utf8.reduce(0) { $0 + Int($1) }) % 9
      try await clock.sleep(for: .seconds([0, 3, 7][kind % 3]))
      if kind > 5, run.attempt == 1 { throw Broken() }
    }

    /// Ends a replica in order or, if it `dies`, as `kill -9` does.
    func removeReplica(dies: Bool) async {
      guard let replicas = replicas.value, replicas.count > 1 else { return }
      self.replicas.value = Array(replicas.dropFirst())
      if dies { return kill(replicas[0]) }
      async let end: Void = replicas[0].scheduler.shutdownAndWait()
      // Its runs go on.
      await clock.advance(by: .seconds(15))
      await end
    }

    private func kill(_ replica: Replica) {
      replica.cluster.companion.driver.stop()
      replica.scheduler.driver.stop()
    }

    func end() { for replica in replicas.value ?? [] { kill(replica) } }
  }

  private func run(seed: UInt64, rests: Bool) async throws -> Runs {
    let program = Program(rests: rests)
    var random = SeededGenerator(seed: seed)
    let person = TimerCluster(
      store: program.store, scheduler: TimerScheduler(clock: program.clock, configuration: .silent))
    program.addReplica()
    for step in 0..<25 {
      // An act comes five seconds or more before a date, and after one.
      let next =
        Double(step * 150 + Int.random(in: 0...1, using: &random) * 30)
        + Double.random(in: 5...20, using: &random)
      await program.clock.advance(to: program.start + next)
      let name = "\(Int.random(in: 0..<3, using: &random))"
      let handler = Bool.random(using: &random) ? "x" : "y"
      let delay = Duration.seconds(Int.random(in: 0...3, using: &random) * 30)
      do {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: try await person.put(name: name, handler: handler)
        case 2: try await person.put(name: name, handler: handler, after: delay)
        case 3: try await person.put(name: name, handler: handler, schedule: .every(90, starting: .aligned))
        case 4: try await person.remove(name: name)
        case 5: try await person.pause("half")
        case 6: try await person.resume("half")
        case 7:
          try await person.pause(handler: handler)
          await program.clock.advance(by: delay)
          try await person.resume(handler: handler)
        case 8:
          try await person.pauseAll()
          await program.clock.advance(by: delay)
          try await person.resumeAll()
        case 9: try await person.run("minute")
        case 10: try await person.retry(name)
        case 11: program.addReplica()
        case 12: await program.removeReplica(dies: false)
        default:
          // None dies with an even seed.
          await program.removeReplica(dies: !seed.isMultiple(of: 2))
        }
      } catch is ClusterError {}
    }
    await program.clock.advance(by: .seconds(200))
    let runs = Dictionary(grouping: program.begins.entries, by: \.run).mapValues { $0.map(\.second) }
    program.end()
    return runs
  }

  @Test func `Replicas that rest begin what others begin, and no later`() async throws {
    for seed in 0..<UInt64(rounds(40)) {
      let resting = try await run(seed: seed, rests: true)
      let looking = try await run(seed: seed, rests: false)
      // Which replica has a date is chance. If one dies, the number of attempts depends on it.
      let hasDeaths = !seed.isMultiple(of: 2)
      func counts(_ runs: Runs) -> [String: Int] {
        hasDeaths
          ? Dictionary(grouping: runs.keys) { String($0.prefix { $0 != "." }) }.mapValues { _ in 1 }
          : runs.mapValues(\.count)
      }
      let (found, wanted) = (counts(resting), counts(looking))
      #expect(found == wanted, "seed \(seed)")
      let late = resting.filter { name, seconds in
        zip(seconds, looking[name] ?? []).contains { $0 > $1 + 0.001 }
      }
      #expect(late.isEmpty || hasDeaths, "seed \(seed): \(late)")
      if found != wanted { break }
    }
  }
}
