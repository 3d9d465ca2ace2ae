import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Claims of a replica whose store tells when others have made jobs due.
@Suite(.limited, .guarantee("G170")) struct WatchTests: ClusterSuite {
  /// A store that tells when a test says so.
  private final class TellingStore: TimerStore {
    private struct State {
      var changed: (@Sendable () -> Void)?
      var end: AsyncThrowingStream<Void, any Error>.Continuation?
      var claimCount = 0
      var afterClaim: (@Sendable () async throws -> Void)?
      var beforeEnd: (@Sendable () async -> Void)?
    }

    private let store: MemoryTimerStore
    private let state = Mutex(State())
    /// The beginnings of watches, and the ends of those that were cancelled.
    let begins = Journal<Void>()
    let ends = Journal<Void>()

    init(_ store: MemoryTimerStore) { self.store = store }

    var claimCount: Int { state.withLock(\.claimCount) }

    /// Has the next claim do something before its answer comes.
    func afterNextClaim(_ perform: @escaping @Sendable () async throws -> Void) {
      state.withLock { $0.afterClaim = perform }
    }

    /// Has a watch that was cancelled do something before it ends.
    func beforeEnd(_ perform: @escaping @Sendable () async -> Void) {
      state.withLock { $0.beforeEnd = perform }
    }

    func perform(_ request: StoreRequest) async throws -> StoreAnswer {
      let answer = try await store.perform(request)
      guard request.call is ClaimRequest else { return answer }
      let perform = state.withLock { state in
        state.claimCount += 1
        return state.afterClaim.take()
      }
      try await perform?()
      return answer
    }

    func watch(_ changed: @escaping @Sendable () -> Void) async throws {
      let (stream, end) = AsyncThrowingStream<Void, any Error>.makeStream()
      state.withLock { ($0.changed, $0.end) = (changed, end) }
      begins.note()
      for try await _ in stream {}
      await state.withLock(\.beforeEnd)?()
      ends.note()
    }

    func tell() { state.withLock(\.changed)?() }

    /// Has the watch fail.
    func fail() { state.withLock(\.end)?.finish(throwing: FaultyStore.Unreachable()) }
  }

  /// A replica with a handler, and the seconds at which its runs begin.
  private struct Program {
    let store: TellingStore
    let scheduler: TimerScheduler
    let cluster: TimerCluster
    let handler: ClusterRegistration
    let runs: Journal<Double>
  }

  let shared = TestCluster()

  /// Starts a replica, which looks each second, and has it be idle.
  private func begin(observer: (any TimerObserver)? = nil) async -> Program {
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = observer
    let telling = TellingStore(store)
    let (scheduler, runs) = (TimerScheduler(clock: clock, configuration: configuration), Journal<Double>())
    let cluster = TimerCluster(store: telling, scheduler: scheduler)
    let handler = cluster.handle("report") { [clock, start] _ in
      runs.note(clock.date.timeIntervalSince(start))
    }
    await clock.advance(by: .seconds(10.3))
    await telling.begins.next()
    return Program(store: telling, scheduler: scheduler, cluster: cluster, handler: handler, runs: runs)
  }

  /// Puts a job for now, as another process does.
  private func put() async throws {
    try await TimerCluster(store: store, scheduler: TimerScheduler(clock: clock)).put(handler: "report")
  }

  @Test func `An idle replica begins a job of another process when the store tells, else within a second`()
    async throws
  {
    let program = await begin()
    try await put()
    await clock.advance(by: .milliseconds(30))
    #expect(program.runs.entries.isEmpty)
    program.store.tell()
    await clock.advance(by: .milliseconds(30))
    let first = try #require(program.runs.entries.first)
    #expect((10.33...10.341).contains(first))
    try await put()
    await clock.advance(by: .seconds(1))
    #expect(program.runs.entries.count == 2)
  }

  @Test func `Many changes are one claim's, and one that comes during a claim is the next one's`()
    async throws
  {
    let program = await begin()
    let before = program.store.claimCount
    for _ in 0..<1_000 { program.store.tell() }
    program.store.afterNextClaim {
      try await put()
      program.store.tell()
    }
    await clock.advance(by: .milliseconds(50))
    #expect(program.store.claimCount == before + 2)
    #expect(program.runs.entries.count == 1)
  }

  @Test func `A watch that fails is told to the observer and tried again, and the replica looks each second`()
    async throws
  {
    let log = FailureLog()
    let program = await begin(observer: log)
    program.store.fail()
    while log.failures.isEmpty { await clock.advance(by: .milliseconds(1)) }
    let failed = clock.date
    #expect(log.failures.first?.contains("Unreachable") == true)
    try await put()
    await clock.advance(by: .seconds(1))
    #expect(program.runs.entries.count == 1)
    var claimCount = program.store.claimCount
    while program.store.begins.entries.count == 1 {
      claimCount = program.store.claimCount
      await clock.advance(by: .milliseconds(1))
    }
    #expect(clock.date >= failed + 4.9)
    // A change that came before the watch began again may not have been told.
    await clock.advance(by: .milliseconds(12))
    #expect(program.store.claimCount == claimCount + 1)
    try await put()
    program.store.tell()
    await clock.advance(by: .milliseconds(30))
    #expect(program.runs.entries.count == 2)
    #expect(log.failures.count == 1)
  }

  @Test func `A watch ends with the last handler and at a shutdown`() async throws {
    let program = await begin()
    program.handler.cancel()
    await clock.advance(by: .seconds(1))
    await program.store.ends.next()
    let other = await begin()
    await other.scheduler.shutdownAndWait()
    await other.store.ends.next()
    // Until here, the replicas are held.
    for cluster in [program.cluster, other.cluster] { #expect(try await cluster.jobs().isEmpty) }
  }

  @Test(arguments: [false, true])
  func `A shutdown ends after the watch, which may take a while after its cancellation`(isEarly: Bool)
    async throws
  {
    let program = await begin()
    let isDown = Mutex(false)
    let isLate = Mutex(false)
    program.store.beforeEnd {
      for _ in 0..<20_000 where !isDown.withLock(\.self) { await Task.yield() }
      isLate.withLock { $0 = isDown.withLock(\.self) }
    }
    if isEarly { program.handler.cancel() }
    await program.scheduler.shutdownAndWait()
    isDown.withLock { $0 = true }
    await program.store.ends.next()
    #expect(isLate.withLock(\.self) == false)
    #expect(try await program.cluster.jobs().isEmpty)
  }

  @Test func `A cluster that runs nothing watches nothing`() async throws {
    let telling = TellingStore(store)
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    try await TimerCluster(store: telling, scheduler: scheduler).put(handler: "report")
    await clock.advance(by: .seconds(60))
    #expect(telling.begins.entries.isEmpty)
    await scheduler.shutdownAndWait()
  }
}
