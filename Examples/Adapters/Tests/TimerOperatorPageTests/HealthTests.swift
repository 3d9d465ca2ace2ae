import Foundation
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The line that says whether all is well.
@Suite(.timeLimit(.minutes(30))) struct HealthTests {
  private struct Failure: Error {}

  private let clock = VirtualClock()

  // MARK: Rules

  /// The snapshot of a timer that has ticked twice, after a change.
  private func snapshot(_ change: (inout TimerSnapshot) -> Void) async throws -> TimerSnapshot {
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.every(.seconds(10)).tolerance(.seconds(2)), name: "job") { _ in }
    await clock.advance(by: .seconds(25))
    var snapshot = try #require(await scheduler.snapshots.first)
    snapshot.lastLateness = .zero
    change(&snapshot)
    return snapshot
  }

  private func troubles(
    _ runs: RunSummary? = nil, _ change: (inout TimerSnapshot) -> Void
  ) async throws -> Set<Health.Trouble> {
    Health.troubles(of: try await snapshot(change), runs: runs, seen: nil)
  }

  @Test func `A timer that works as it should has no trouble`() async throws {
    #expect(try await troubles { _ in }.isEmpty)
  }

  @Test func `A timer fails until a run ends well or, without a history, once it has failed`() async throws {
    func runs(_ hasFailed: Bool?) -> RunSummary { RunSummary(now: clock.date, hasLastFailed: hasFailed) }
    #expect(try await troubles { $0.failureCount = 1 } == [.failing])
    #expect(try await troubles(runs(nil)) { $0.failureCount = 1 } == [.failing])
    #expect(try await troubles(runs(true)) { $0.failureCount = 1 } == [.failing])
    #expect(try await troubles(runs(false)) { $0.failureCount = 1 }.isEmpty)
  }

  @Test func `A timer misses ticks if its last tick came after some or, without a history, any`() async throws
  {
    func runs(_ count: Int?) -> RunSummary { RunSummary(now: clock.date, lastMissedCount: count) }
    #expect(try await troubles { $0.missedCount = 1 } == [.missed])
    #expect(try await troubles(runs(nil)) { $0.missedCount = 1 } == [.missed])
    #expect(try await troubles(runs(3)) { $0.missedCount = 5 } == [.missed])
    #expect(try await troubles(runs(0)) { $0.missedCount = 5 }.isEmpty)
  }

  @Test func `A timer with a name that is paused counts, and one without a name doesn't`() async throws {
    #expect(try await troubles { $0.state = .paused } == [.paused])
    let unnamed = try await troubles {
      $0.state = .paused
      $0.name = nil
    }
    #expect(unnamed.isEmpty)
  }

  @Test(arguments: [(2.9, false), (3.1, true)])
  func `A tick is late if it came more than a second after its tolerance`(
    lateness: Double, isLate: Bool
  ) async throws {
    let troubles = try await troubles { $0.lastLateness = .seconds(lateness) }
    #expect(troubles == (isLate ? [.late] : []))
  }

  @Test func `A run that takes longer than the interval is late`() async throws {
    for (time, isLate) in [(9.0, false), (11.0, true)] {
      let runs = RunSummary(since: clock.date, now: clock.date + time)
      #expect(try await troubles(runs) { $0.isRunning = true } == (isLate ? [.late] : []))
    }
  }

  @Test func `A history isn't read for a timer without a doubt`() async throws {
    let plain = try await snapshot { _ in }
    var readCount = 0
    func read() -> RunSummary? {
      readCount += 1
      return nil
    }
    _ = Health.troubles(of: plain, runs: read(), seen: nil)
    #expect(readCount == 0)
  }

  @Test func `Numbers are in words, and all is well without any`() {
    var health = Health()
    #expect(health.isWell)
    health.note([.failing, .late])
    health.note([.failing])
    #expect(!health.isWell && health.counts == [.failing: 2, .late: 1])
    #expect(health.adding(health).counts == [.failing: 4, .late: 2])
    for trouble in Health.Trouble.allCases {
      #expect(trouble.text(1).contains("1 ") && trouble.text(1_200).contains("1,200 "))
    }
    var silent = Health()
    silent.isStoreSilent = true
    #expect(!silent.isWell && Health().adding(silent).isStoreSilent)
  }

  // MARK: Jobs

  @Test
  func `Jobs that wait for a retry, have failed, are paused or whose last run failed are counted apart`()
    async throws
  {
    let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock))
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(100)))
    cluster.handle("mail", ifFailed: retry) { run in if run.payload == "bad" { throw Failure() } }
    cluster.schedule(.every(.seconds(3_600), starting: .aligned), name: "report") { _ in throw Failure() }
    try await cluster.put(name: "bad", handler: "mail", payload: "bad")
    try await cluster.put(
      name: "good", handler: "mail", schedule: .every(.seconds(3_600), starting: .aligned))
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      func troubles() async throws -> [String] {
        try await client.page().text.components(separatedBy: "<a data-job ").dropFirst().compactMap {
          $0.components(separatedBy: ">").dropFirst().first?.components(separatedBy: "<").first
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(try await troubles() == ["1 job waits for a retry"])
      await clock.advance(by: .seconds(105))
      #expect(try await troubles() == ["1 job has failed for good"])
      await clock.advance(by: .seconds(3_600))
      #expect(try await troubles() == ["1 job has failed for good", "the last run of 1 job failed"])
      try await cluster.pause("good")
      try await cluster.retry("bad")
      await clock.advance(by: .seconds(5))
      #expect(
        try await troubles() == [
          "1 job waits for a retry", "the last run of 1 job failed", "1 pause of jobs",
        ])
    }
  }

  // MARK: The page

  @Test func `The page says that all is well, or leads to what isn't`() async throws {
    let fixture = Fixture()
    try await fixture.app.test(.router) { client async throws in
      #expect(try await client.page().text.contains("data-good=\"true\""))
      #expect(try await client.page().text.contains("<strong>All is well.</strong>"))
      #expect(try await client.page("?scheduler=jobs").text.contains("<strong>All is well in jobs.</strong>"))

      fixture.scheduler.schedule(.every(.seconds(10)), name: "upload") { _ in throw Failure() }
      fixture.scheduler.schedule(.every(.seconds(10)), name: "idle") { _ in }.pause()
      fixture.scheduler.schedule(.every(.seconds(100)), name: "plain") { _ in }
      await fixture.clock.stall(for: .milliseconds(32_500))
      await fixture.clock.advance(by: .zero)
      let page = try await client.page().text
      let line = try #require(page.split(separator: "<p id=\"health\"").last?.split(separator: "</p>").first)
      #expect(line.contains("data-good=\"false\"") && line.contains("<strong>Look at:</strong>"))
      #expect(line.contains("<a href=\"timers?state=failed\">1 timer fails</a>"))
      #expect(line.contains("<a href=\"timers?state=late\">1 timer is late</a>"))
      #expect(line.contains("<a href=\"timers?state=missed\">2 timers miss ticks</a>"))
      #expect(line.contains("<a href=\"timers?state=paused\">1 timer is paused</a>"))
      for (state, names) in [
        "failed": ["upload"], "late": ["upload"], "missed": ["clock", "upload"], "paused": ["idle"],
      ] {
        var query = TimerQuery()
        query.state = StateFilter(rawValue: state)
        #expect(await fixture.page.feed.report(for: query).rows.map(\.name) == names, "\(state)")
        #expect(await fixture.page.feed.matches(query).count == names.count, "\(state)")
      }

      // The next ticks come in time, and the run after the failure ends well.
      await fixture.clock.advance(by: .seconds(1))
      await fixture.clock.advance(by: .zero)
      #expect(await fixture.page.feed.report(for: TimerQuery()).health.counts[.missed] == 1)
    }
  }

  @Test func `Events say what isn't well, once it changes`() async throws {
    let fixture = Fixture()
    var changes = ReportChanges()
    func health() async throws -> [[String]]? {
      let report = await fixture.page.feed.report(for: TimerQuery())
      let event = String(buffer: changes.event(for: report, at: .zero))
      return try JSONDecoder().decode(HealthEvent.self, from: Data(event.dropFirst(6).utf8)).health
    }
    #expect(try await health() == [])
    #expect(try await health() == nil)
    fixture.timer.pause()
    #expect(try await health() == [["1 timer is paused", "timers?state=paused"]])
    #expect(try await health() == nil)
    fixture.timer.resume()
    #expect(try await health() == [])
  }

  private struct HealthEvent: Decodable {
    var health: [[String]]?
  }
}
