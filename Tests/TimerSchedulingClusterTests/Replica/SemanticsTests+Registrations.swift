import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Pauses and ends of a replica's part in a job.
extension SemanticsTests {
  @Test("A run under way goes on while its scheduler is paused")
  func pauseDuringRun() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(61))
    await replica.scheduler.pauseAll()
    await clock.advance(by: .seconds(40))
    #expect(journal.entries == ["a 60.1 begins at 60, missed 0", "a 60.1 done"])
    #expect(try await store.history(of: "job", limit: 10).map(\.outcome) == [.done])
    await replica.scheduler.resumeAll()
    await clock.advance(by: .seconds(50))
    #expect(journal.entries.count == 4)
  }

  /// An object that keeps a registration, and tells when it is released.
  private final class Service: Sendable {
    let registration = Mutex<ClusterRegistration?>(nil)
    private let probe: ReleaseProbe

    init(_ onRelease: @escaping @Sendable () -> Void) { probe = ReleaseProbe(onRelease) }
  }

  private struct ProbedStore: TimerStore {
    let store: MemoryTimerStore
    let probe: ReleaseProbe

    func perform(_ request: StoreRequest) async throws -> StoreAnswer { try await store.perform(request) }
  }

  @Test("A registration that was cancelled holds neither the action nor the store")
  func registrationLifetime() async {
    let released = Journal<String>()
    func begin() async -> ClusterRegistration {
      let probe = ReleaseProbe { released.note("store") }
      let cluster = TimerCluster(
        store: ProbedStore(store: store, probe: probe),
        scheduler: TimerScheduler(clock: clock, configuration: .silent))
      let service = Service { released.note("service") }
      let registration = cluster.schedule(.every(.seconds(60), starting: .aligned), name: "job") { _ in
        #expect(service.registration.withLock { $0?.failure } == nil)
      }
      service.registration.withLock { $0 = registration }
      await clock.advance(by: .seconds(70))
      #expect(released.entries.isEmpty)
      return registration
    }
    let registration = await begin()
    await registration.cancelAndWait()
    await clock.advance(by: .seconds(30))
    #expect(released.entries == ["service", "store"])
    #expect(registration.state == .finished(.cancelled))
  }

  @Test(
    "An operator's cancel is recorded although the action ends the run in a transaction that is rolled back",
    arguments: [false, true])
  func cancelAroundFinish(isCancelledFirst: Bool) async throws {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(
      store: AlteredStore(store: store, alterations: .init()), scheduler: scheduler, replica: "a")
    @Sendable func finish(_ run: ClusterRun) async throws {
      try await run.finish { _, _ in [[#"{"now": 1, "verdicts": ["written"]}"#]] }
    }
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "job") { [clock] run in
      if !isCancelledFirst { try await finish(run) }
      do {
        try await clock.sleep(for: .seconds(40))
      } catch {
        if isCancelledFirst { try await finish(run) }
        throw error
      }
    }
    await clock.advance(by: .seconds(61))
    try await cluster.cancelRun(of: "job", by: "ann")
    await clock.advance(by: .seconds(20))
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.failure?.contains("cancelled by ann") == true)
    await scheduler.shutdownAndWait()
  }

  // Of the replica that had the job before.
  @Test("A version that is gone before it has run a date leaves it to the one before")
  func versionThatIsGone() async throws {
    replica("a")
    for round in 1...3 {
      await clock.advance(by: .seconds(50))
      let new = makeReplica("b")
      // It has the next date, too.
      new.schedule(.every(.seconds(30), starting: .aligned)) { [journal] _ in journal.note("b") }
      await clock.advance(by: .seconds(5))
      new.die()
      await clock.advance(by: .seconds(65))
      #expect(journal.entries.contains { $0.hasPrefix("a \(120 * round - 60).1 begins") })
    }
    #expect(!journal.entries.contains("b"))
    let dates = try await store.history(of: "job", limit: 10).compactMap(\.scheduledTime)
    #expect(Set(dates).count == dates.count)
  }

  private struct CountingRule: TickRule, CustomStringConvertible {
    let calls: Counter
    var description: String { "each hour" }

    func nextTick(after date: Date) -> Date? {
      calls.add()
      return Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600 + 3_600)
    }
  }

  @Test("A rule isn't asked for the same date at each claim")
  func idleRule() async {
    let replica = replica("a")
    let calls = Counter()
    replica.schedule(.rule(CountingRule(calls: calls)), name: "rule") { _ in }
    await clock.advance(by: .seconds(10))
    let before = calls.value
    await clock.advance(by: .seconds(600))
    #expect(journal.entries.count > 10)
    #expect(calls.value == before)
  }
}
