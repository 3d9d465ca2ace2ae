import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G157")) struct FaultInjectionTests: ClusterSuite {
  let shared = TestCluster()

  /// Starts a replica with a minute job, whose effects are written with the end of the run.
  private func replica(_ number: Int, ifAbandoned: AbandonedRunBehavior, effects: Effects) -> TestReplica {
    let replica = makeReplica("replica \(number)")
    replica.schedule(
      .every(.seconds(60), starting: .aligned).missedTicks(.burst), name: "bill", ifAbandoned: ifAbandoned
    ) { [clock] run in
      effects.began.note(run.scheduledDate)
      try await clock.sleep(for: .seconds(20))
      try await run.finish { _, _ in [] }
      effects.done.note(run.scheduledDate)
    }
    return replica
  }

  struct Effects {
    let began = Journal<Date>()
    let done = Journal<Date>()
  }

  private static let minuteCount = size(24, full: 480)
  private static let deathCount = size(5, full: 100)

  /// Runs three replicas for a number of minutes. On random dates the replica that runs the job dies.
  private func replicasDie(ifAbandoned: AbandonedRunBehavior, effects: Effects) async throws -> Int {
    var random = SeededGenerator(seed: 18)
    var replicas = (1...3).map { replica($0, ifAbandoned: ifAbandoned, effects: effects) }
    var born = 3
    let minutes = Self.minuteCount
    let fatal = Set((0..<minutes).shuffled(using: &random).prefix(Self.deathCount))
    var deaths = 0
    for minute in 0..<minutes {
      await clock.advance(to: start + 60 * Double(minute + 1))
      guard fatal.contains(minute) else { continue }
      // The run of this minute is under way.
      await clock.advance(by: .seconds(Int.random(in: 1..<19, using: &random)))
      var runner = try await store.jobs().first?.run?.replica
      // After a death in the minute before, its run may begin later.
      for _ in 0..<20 where !replicas.contains(where: { $0.name == runner }) {
        await clock.advance(by: .seconds(1))
        runner = try await store.jobs().first?.run?.replica
      }
      if let index = replicas.firstIndex(where: { $0.name == runner }) {
        replicas[index].die()
        born += 1
        deaths += 1
        replicas[index] = replica(born, ifAbandoned: ifAbandoned, effects: effects)
      }
    }
    // Ends between two runs.
    await clock.advance(to: start + 60 * Double(minutes + 10) + 50)
    for replica in replicas { await replica.scheduler.shutdownAndWait() }
    return deaths
  }

  @Test func `Whatever replicas die, every minute is done, and none twice`() async throws {
    let effects = Effects()
    let deaths = try await replicasDie(ifAbandoned: .runAgain(attempts: 100), effects: effects)
    #expect(deaths == Self.deathCount)
    let done = effects.done.entries
    let first = Date(timeIntervalSinceReferenceDate: 60)
    #expect(done.count >= Self.minuteCount)
    #expect(done == (0..<done.count).map { first + 60 * Double($0) })
    let outcomes = try await store.history(of: "bill", limit: 10_000).map(\.outcome)
    #expect(outcomes.count { $0 == .abandoned } == Self.deathCount)
    #expect(outcomes.count { $0 == .done } == done.count)
  }

  @Test func `By default every minute is begun, and none twice`() async throws {
    let effects = Effects()
    let deaths = try await replicasDie(ifAbandoned: .leave, effects: effects)
    #expect(deaths == Self.deathCount)
    let began = effects.began.entries
    let first = Date(timeIntervalSinceReferenceDate: 60)
    #expect(began == (0..<began.count).map { first + 60 * Double($0) })
    #expect(effects.done.entries.count == began.count - Self.deathCount)
  }
}
