import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Replicas with nothing to do, on a store in memory in virtual time. They make no request until something
/// happens.
@Suite(.limited, .guarantee("G171", "G210")) struct RestTests {
  struct Broken: Error {}

  /// Notes the errors that a replica reports, and when.
  private final class Reports: TimerObserver {
    let clock: VirtualClock
    let texts = Journal<String>()

    init(_ clock: VirtualClock) { self.clock = clock }

    func observe(_ event: TimerEvent) {
      guard case .actionFailed(let error) = event.kind, !(error is Broken) else { return }
      texts.note("\(clock.now.offset.components.seconds) \(error)")
    }
  }

  /// A replica with a job each hour and a handler, which rest.
  private struct Replica {
    let scheduler: TimerScheduler
    let cluster: TimerCluster
    let code, handler: ClusterRegistration

    /// The number of looks, renewals and other acts so far.
    var actCount: Int { get async { await cluster.companion.statistics.tickCount } }

    func die() {
      cluster.companion.driver.stop()
      scheduler.driver.stop()
    }
  }

  private let clock = VirtualClock(settlingTimeout: .seconds(60))
  private let store = MemoryTimerStore()
  /// The runs, each with its name, its replica and the second at which it begins.
  private let runs = Journal<String>()
  private let reports: Reports

  init() { reports = Reports(clock) }

  private func replica(
    _ name: String, on clock: VirtualClock? = nil,
    schedule: TimerSchedule = .every(.seconds(3_600), starting: .aligned),
    ifAbandoned: AbandonedRunBehavior = .leave, ifFailed: FailedRunBehavior = .leave,
    historyAge: Duration? = nil,
    historyCount: Int? = nil, work: @escaping @Sendable (ClusterRun) async throws -> Void = { _ in }
  ) -> Replica {
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = reports
    let scheduler = TimerScheduler(clock: clock ?? self.clock, configuration: configuration)
    let cluster = TimerCluster(
      store: store, scheduler: scheduler, replica: name, historyAge: historyAge, historyCount: historyCount)
    @Sendable func act(_ run: ClusterRun) async throws {
      runs.note("\(run.name) on \(name) at \(seconds)")
      try await work(run)
    }
    return Replica(
      scheduler: scheduler, cluster: cluster,
      code: cluster.schedule(schedule, name: "code", ifAbandoned: ifAbandoned, ifFailed: ifFailed) {
        try await act($0)
      },
      handler: cluster.handle("report", ifAbandoned: ifAbandoned, ifFailed: ifFailed) { try await act($0) })
  }

  private var seconds: Double {
    let parts = clock.now.offset.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  /// A cluster without jobs, as that of an operator.
  private func makeOperator() -> TimerCluster {
    TimerCluster(store: store, scheduler: TimerScheduler(clock: clock, configuration: .silent))
  }

  // MARK: What it costs

  @Test func `A year with a job each day costs a few acts a day, and each date is begun in time`()
    async throws
  {
    let replica = replica(
      "a", schedule: .every(.seconds(86_400), starting: .aligned), historyAge: .seconds(86_400 * 30))
    let days = 365
    await clock.advance(by: .seconds(days * 86_400 + 60))
    #expect(runs.entries == (1...days).map { "code on a at \(Double($0 * 86_400))" })
    #expect(await replica.actCount < days * 8)
    // The records of thirty days.
    #expect(try await replica.cluster.history(limit: days).count <= 31)
  }

  @Test func `A replica with another clock than the store's looks by itself`() async throws {
    let other = VirtualClock(settlingTimeout: .seconds(60))
    let (first, second) = (replica("a"), replica("b", on: other))
    for clock in [clock, other] { await clock.advance(by: .seconds(100)) }
    let before = await second.actCount
    await other.advance(by: .seconds(100))
    #expect(await second.actCount >= before + 99)
    #expect(await first.actCount < 20)
  }

  // MARK: What others do

  typealias Act = @Sendable (TimerCluster, VirtualClock) async throws -> Void

  private static let acts: [(name: String, act: Act, run: String)] = [
    ("put", { cluster, _ in try await cluster.put(name: "new", handler: "report") }, "new on a at 100.0"),
    (
      "put for later",
      { cluster, _ in try await cluster.put(name: "new", handler: "report", after: .seconds(2_000)) },
      "new on a at 2100.0"
    ),
    (
      "put anew with an earlier date",
      { cluster, clock in
        try await cluster.put(name: "new", handler: "report", after: .seconds(86_400))
        await clock.advance(by: .seconds(100))
        try await cluster.put(name: "new", handler: "report", after: .seconds(10))
      }, "new on a at 210.0"
    ),
    ("run", { cluster, _ in try await cluster.run("code") }, "code on a at 100.0"),
    (
      "backfill",
      { cluster, clock in try await cluster.backfill("code", in: clock.date - 200...clock.date) },
      "code on a at 100.0"
    ),
    (
      "resume of a job",
      { cluster, clock in
        try await cluster.put(name: "new", handler: "report", after: .seconds(200))
        try await cluster.pause("new")
        await clock.advance(by: .seconds(1_000))
        try await cluster.resume("new")
      }, "new on a at 1100.0"
    ),
    (
      "resume of a handler",
      { cluster, clock in
        try await cluster.pause(handler: "report")
        try await cluster.put(name: "new", handler: "report")
        await clock.advance(by: .seconds(1_000))
        try await cluster.resume(handler: "report")
      }, "new on a at 1100.0"
    ),
    (
      "resume of all",
      { cluster, clock in
        try await cluster.pauseAll()
        try await cluster.put(name: "new", handler: "report")
        await clock.advance(by: .seconds(1_000))
        try await cluster.resumeAll()
      }, "new on a at 1100.0"
    ),
    (
      "retry",
      { cluster, clock in
        try await cluster.put(name: "failing", handler: "report")
        await clock.advance(by: .seconds(1_000))
        try await cluster.retry("failing")
      }, "failing on a at 1100.0"
    ),
    (
      "retry of an attempt that waits",
      { cluster, clock in
        try await cluster.put(name: "postponed", handler: "report")
        await clock.advance(by: .seconds(500))
        try await cluster.retry("postponed")
      }, "postponed on a at 600.0"
    ),
    (
      "wait for another attempt",
      { cluster, _ in try await cluster.put(name: "postponed", handler: "report") },
      "postponed on a at 1100.0"
    ),
    (
      "set clock",
      { _, clock in await clock.setWallClock(to: clock.date + 3_550) }, "code on a at 100.0"
    ),
  ]

  @Test(arguments: acts.indices)
  func `What others make due begins at the same moment`(place: Int) async throws {
    let (name, act, run) = Self.acts[place]
    let replica = replica("a") { run in
      if run.name == "failing" { throw Broken() }
      if run.name == "postponed" { throw RunDecision.again(after: .seconds(1_000)) }
    }
    await clock.advance(by: .seconds(100))
    let before = await replica.actCount
    await clock.advance(by: .zero)
    #expect(await replica.actCount == before)
    try await act(makeOperator(), clock)
    await clock.advance(by: .zero)
    if !runs.entries.contains(run) { await clock.advance(by: .seconds(2_000)) }
    #expect(runs.entries.contains(run), "\(name): \(runs.entries)")
  }

  @Test func `Jobs that others put at one moment begin then, in all orders`() async throws {
    let coverage = try await exploreOrders(0..<rounds(2_000)) { clock in
      let (store, runs) = (MemoryTimerStore(), Journal<Duration>())
      let worker = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock))
      worker.handle("report") { _ in runs.note(clock.now.offset) }
      let other = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock))
      try await withThrowingTaskGroup { group in
        for number in 0..<3 {
          group.addTask {
            try await clock.sleep(for: .seconds(100))
            for count in 0..<number { await Task { #expect(count >= 0) }.value }
            try await other.put(name: "\(number)", handler: "report")
          }
        }
        try await group.waitForAll()
      }
      try await clock.sleep(for: .seconds(10))
      #expect(runs.entries == [.seconds(100), .seconds(100), .seconds(100)])
    }
    // The three tasks alone have so many.
    #expect(coverage.orderCount >= 6)
  }

  @Test func `A replica with a run is told, too`() async throws {
    let cluster = makeOperator()
    let replica = replica("a") { [clock] run in
      if run.name == "long" { try await clock.sleep(for: .seconds(1_000)) }
    }
    await clock.advance(by: .seconds(100.3))
    try await cluster.put(name: "long", handler: "report")
    await clock.advance(by: .seconds(100.3))
    try await cluster.put(name: "short", handler: "report")
    await clock.advance(by: .zero)
    #expect(runs.entries == ["long on a at 100.3", "short on a at 200.6"])
    _ = replica
  }

  @Test func `A replica isn't told of a change that came during its look, and looks again`() async throws {
    let (session, told) = (UUID(), Counter())
    func listen(since count: Int) -> StoreTime? {
      store.listen(for: session, isResting: true, since: count) { told.add() }
    }
    let before = store.endListening(for: session)
    _ = try await store.answer(PutRequest(job: "new", handler: "report"))
    #expect(listen(since: before) == nil)
    let after = store.endListening(for: session)
    #expect(listen(since: after) == .distantFuture)
    _ = try await store.jobs()
    #expect(told.value == 0)
    for count in 1...2 {
      _ = try await store.answer(PutRequest(job: "new \(count)", handler: "report"))
      #expect(told.value == 1)
    }
  }

  // MARK: What other replicas leave

  @Test func `A row that another replica leaves is taken at the same moment`() async throws {
    let first = replica("a", ifAbandoned: .runAgain(attempts: 3)) { [clock] _ in
      try await clock.sleep(for: .seconds(1_000))
    }
    await clock.advance(by: .seconds(3_500))
    let second = replica("b", ifAbandoned: .runAgain(attempts: 3))
    await clock.advance(by: .seconds(150))
    #expect(runs.entries == ["code on a at 3600.0"])
    await first.code.cancelAndWait()
    await clock.advance(by: .zero)
    #expect(runs.entries == ["code on a at 3600.0", "code on b at 3650.0"])
    try await makeOperator().put(name: "new", handler: "report")
    await clock.advance(by: .zero)
    #expect(runs.entries.count == 3)
    _ = second
  }

  // Its last renewal is five seconds after its claim.
  @Test func `A date of a replica that dies is begun again exactly at the end of its lease`() async throws {
    let first = replica("a", ifAbandoned: .runAgain(attempts: 3)) { [clock] _ in
      try await clock.sleep(for: .seconds(1_000))
    }
    await clock.advance(by: .seconds(3_500))
    let second = replica("b", ifAbandoned: .runAgain(attempts: 3))
    await clock.advance(by: .seconds(107))
    #expect(runs.entries == ["code on a at 3600.0"])
    first.die()
    await clock.advance(by: .seconds(100))
    #expect(runs.entries == ["code on a at 3600.0", "code on b at 3620.0"])
    #expect(reports.texts.entries.contains { $0.hasPrefix("3620 ") && $0.contains("abandoned") })
    _ = second
  }

  @Test func `A replica that fails leaves the next attempt to another, which begins it in time`() async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(500)))
    let first = replica("a", ifFailed: retry) { _ in throw Broken() }
    await clock.advance(by: .seconds(3_500))
    let second = replica("b", ifFailed: retry)
    await clock.advance(by: .seconds(150))
    await first.scheduler.shutdownAndWait()
    await clock.advance(by: .seconds(1_000))
    #expect(runs.entries == ["code on a at 3600.0", "code on b at 4100.0"])
    _ = second
  }

  // MARK: What others see of it

  @Test func `A replica that rests is live, and its job keeps its name and its schedule`() async throws {
    let first = replica("a", schedule: .every(.seconds(86_400), starting: .aligned))
    await clock.advance(by: .seconds(50_000))
    await #expect(throws: ClusterError.self) {
      try await makeOperator().put(name: "code", handler: "report")
    }
    let schedules = try await first.cluster.jobs().map(\.schedule)
    let second = replica("b", schedule: .every(.seconds(43_200), starting: .aligned))
    await clock.advance(by: .zero)
    // The schedule that was registered last is the store's, and the other replica says so at once.
    #expect(reports.texts.entries.count == 1)
    #expect(reports.texts.entries.first?.hasPrefix("50000 ") == true)
    await clock.advance(by: .seconds(50_000))
    #expect(runs.entries == ["code on b at 86400.0"])
    await second.scheduler.shutdownAndWait()
    await clock.advance(by: .zero)
    // The first replica has the store's schedule again.
    #expect(try await first.cluster.jobs().map(\.schedule) == schedules)
    await clock.advance(by: .seconds(100_000))
    #expect(runs.entries == ["code on b at 86400.0", "code on a at 172800.0"])
  }

  @Test func `A handler that no replica has is reported when its job is due`() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(100))
    try await makeOperator().put(handler: "nobody", after: .seconds(1_000))
    await clock.advance(by: .seconds(3_000))
    #expect(reports.texts.entries.count == 1)
    #expect(reports.texts.entries.first?.hasPrefix("1100 ") == true)
    _ = replica
  }

  // MARK: What time brings

  @Test func `A schedule that the program can't read is asked for again after a minute`() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(100))
    _ = try await store.answer(
      PutRequest(job: "new", handler: "report", schedule: "of a newer program", payload: ""))
    await clock.advance(by: .seconds(600))
    #expect(reports.texts.entries.count == 1)
    try await replica.cluster.run("code")
    await clock.advance(by: .zero)
    // Each claim that brings the job has drawn a token.
    let token = try #require(try await store.history(of: "code", limit: 1).first?.token)
    #expect(10...30 ~= token, "\(token)")
  }

  @Test func `Old records are deleted though no job is due`() async throws {
    let byAge = replica("a", historyAge: .seconds(1_000))
    try await byAge.cluster.put(handler: "report")
    await clock.advance(by: .seconds(900))
    #expect(try await byAge.cluster.history().count == 1)
    await clock.advance(by: .seconds(200))
    #expect(try await byAge.cluster.history().isEmpty)
  }

  @Test func `Surplus records are deleted though no job is due`() async throws {
    let byCount = replica("a", historyCount: 2)
    for _ in 0..<5 {
      try await byCount.cluster.put(handler: "report")
      await clock.advance(by: .seconds(1))
    }
    await clock.advance(by: .seconds(200))
    #expect(try await byCount.cluster.history().count == 2)
    let before = await byCount.actCount
    await clock.advance(by: .seconds(1_000))
    #expect(await byCount.actCount <= before + 1)
  }

  @Test func `Dates that pass while a scheduler is paused are begun soon after its resumeAll`() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(100))
    await replica.scheduler.pauseAll()
    await clock.advance(by: .seconds(10_000))
    #expect(runs.entries.isEmpty)
    await replica.scheduler.resumeAll()
    await clock.advance(by: .seconds(6))
    #expect(runs.entries.count == 1)
  }
}
