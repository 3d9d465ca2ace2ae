import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// An orderly shutdown ends the store's part as well.
@Suite(.limited, .guarantee("G165")) struct ShutdownTests: ClusterSuite {
  let shared = TestCluster()

  /// A store whose requests and answers each take a second on their way.
  private struct SlowStore: TimerStore {
    let store: MemoryTimerStore
    let clock: VirtualClock
    let state = Reachability()

    func perform(_ request: StoreRequest) async throws -> StoreAnswer {
      try await clock.sleep(for: .seconds(1))
      if !state.isReachable { throw FaultyStore.Unreachable() }
      let answer = try await store.perform(request)
      if request.call is SessionClosing { state.closeCount += 1 }
      try await clock.sleep(for: .seconds(1))
      return answer
    }
  }

  @dynamicMemberLookup
  private final class Reachability: Sendable {
    struct State {
      var isReachable = true
      var closeCount = 0
    }

    private let state = Mutex(State())

    subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<State, Value>) -> Value {
      get { state.withLock { $0[keyPath: path] } }
      set { state.withLock { $0[keyPath: path] = newValue } }
    }
  }

  /// A program, which ends after the shutdown of its scheduler.
  private struct Program {
    let scheduler: TimerScheduler
    let store: SlowStore
    let cluster: TimerCluster

    func end() async {
      await scheduler.shutdownAndWait()
      store.state.isReachable = false
      cluster.companion.driver.stop()
    }
  }

  /// Starts a replica on a slow store with two jobs of each minute: one of the program, and one that was put.
  private func replica(_ name: String, journal: Journal<String>) -> Program {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let slow = SlowStore(store: store, clock: clock)
    let cluster = TimerCluster(store: slow, scheduler: scheduler, replica: name)
    @Sendable func act(_ run: ClusterRun) async throws {
      let late = clock.date.timeIntervalSince(run.scheduledDate)
      journal.note("\(run.name) \(Int(run.scheduledDate.timeIntervalSince(start))) \(late < 12)")
      try await clock.sleep(for: .seconds(1))
    }
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "code") { try await act($0) }
    cluster.handle("report", ifAbandoned: .leave) { try await act($0) }
    return Program(scheduler: scheduler, store: slow, cluster: cluster)
  }

  // seconds    56     58     60     62     64     66     68
  // claim             a look        the date's      the action
  //                   |------|      |------|        |----|
  @Test(arguments: stride(from: 0.25, to: 15, by: 0.5).map(\.self))
  func `A shutdown at any moment of a claim loses no date and leaves none for a lease`(moment: Double)
    async throws
  {
    let journal = Journal<String>()
    let first = replica("a", journal: journal)
    _ = try await store.answer(
      PutRequest(
        job: "put", handler: "report",
        schedule: TimerSchedule.every(.seconds(60), starting: .aligned).description, payload: ""))
    await clock.advance(by: .seconds(56 + moment))
    let second = replica("b", journal: journal)
    let end = Task { [clock, start] in
      await first.end()
      return clock.date.timeIntervalSince(start)
    }
    await clock.advance(by: .seconds(130))
    // The program may end now.
    let took = await end.value - 56 - moment
    #expect(took < 15)
    let history = try await store.history(of: nil, limit: 100)
    #expect(history.allSatisfy { $0.outcome == .done }, "\(history.map(\.outcome))")
    #expect(
      journal.entries.sorted()
        == ["code", "put"].flatMap { name in
          ["\(name) 120 true", "\(name) 180 true", "\(name) 60 true"]
        })
    let last = Task { await second.end() }
    await clock.advance(by: .seconds(40))
    await last.value
  }

  @Test func `A shutdown ends the session, and waits no longer than a lease for a store that doesn't answer`()
    async throws
  {
    let journal = Journal<String>()
    for isReachable in [true, false] {
      let program = replica("a", journal: journal)
      await clock.advance(by: .seconds(30))
      program.store.state.isReachable = isReachable
      let began = clock.date
      let end = Task { [clock] in
        await program.end()
        return clock.date.timeIntervalSince(began)
      }
      await clock.advance(by: .seconds(40))
      #expect(await end.value <= 15)
      #expect(program.store.state.closeCount == (isReachable ? 1 : 0))
    }
  }

  // The test doesn't move the clock.
  @Test func `A shutdown between two dates takes no time`() async throws {
    let replica = makeReplica("a")
    replica.schedule { _ in }
    replica.cluster.handle("report") { _ in }
    await clock.advance(by: .seconds(70))
    await replica.scheduler.shutdownAndWait()
    #expect(replica.store.closes == 1)
    let idle = makeReplica("b")
    await idle.scheduler.shutdownAndWait()
    #expect(idle.store.questions == 0)
  }

  @Test func `A run that shuts its scheduler down and waits goes on`() async throws {
    let replica = makeReplica("a")
    let ended = Journal<Int>()
    replica.schedule { [clock, start] _ in
      await replica.scheduler.shutdownAndWait()
      ended.note(Int(clock.date.timeIntervalSince(start)))
    }
    await clock.advance(by: .seconds(100))
    #expect(ended.entries == [60])
    #expect(try await store.history(of: nil, limit: 10).map(\.outcome) == [.done])
  }
}
