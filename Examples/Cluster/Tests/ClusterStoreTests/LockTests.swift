import DatabaseSupport
import Foundation
import PostgresClient
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// A row that another transaction keeps locked.
@Suite(Databases.areThere, .timeLimit(.minutes(5))) struct LockTests {
  /// The jobs that were run, and the errors that an observer was told.
  private final class Log: TimerObserver {
    let runs = Mutex<[String]>([])
    let errors = Mutex<[String]>([])

    func observe(_ event: TimerEvent) {
      if case .actionFailed(let error) = event.kind { errors.withLock { $0.append("\(error)") } }
    }
  }

  @Test func `A new version runs its other jobs while the row of one is locked, and names it`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    let log = Log()
    @Sendable func start(_ schedules: [String: TimerSchedule]) -> TimerScheduler {
      var configuration = TimerScheduler.Configuration()
      configuration.observer = log
      let scheduler = TimerScheduler(configuration: configuration)
      let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(1))
      for (name, schedule) in schedules {
        cluster.schedule(schedule, name: name) { run in log.runs.withLock { $0.append(run.name) } }
      }
      return scheduler
    }
    @Sendable func waitForRun(of name: String) async throws {
      while !log.runs.withLock({ $0.contains(name) }) { try await Task.sleep(for: .milliseconds(10)) }
    }
    let old = start(["locked": .every(.seconds(1), starting: .aligned)])
    try await waitForRun(of: "locked")
    await old.shutdownAndWait()
    log.runs.withLock { $0 = [] }
    let new = try await database.transaction { db in
      try await db.rows("SELECT 1 FROM timers.job WHERE name = 'locked' FOR UPDATE")
      let schedule = TimerSchedule.every(.milliseconds(500), starting: .aligned)
      let new = start(["locked": schedule, "other": schedule])
      try await waitForRun(of: "other")
      // The observer is told after a lease.
      while !log.errors.withLock({ $0.contains { $0.contains("locked") } }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(!log.runs.withLock { $0.contains("locked") })
      return new
    }
    try await waitForRun(of: "locked")
    #expect(
      try await TimerCluster(store: store).jobs(matching: "locked").first?.schedule.contains("500") == true)
    await new.shutdownAndWait()
    await database.close()
  }

  // Fails if a pause writes the rows of jobs.
  @Test func `A handler and all jobs are paused and resumed while the row of a job is locked`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    let log = Log()
    var configuration = TimerScheduler.Configuration()
    configuration.observer = log
    let scheduler = TimerScheduler(configuration: configuration)
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(1))
    for name in ["locked", "free"] {
      try await cluster.put(
        name: name, handler: "report", schedule: .every(.milliseconds(100), starting: .aligned))
    }
    @Sendable func waitForRun(of name: String) async throws {
      while !log.runs.withLock({ $0.contains(name) }) { try await Task.sleep(for: .milliseconds(10)) }
    }
    try await database.transaction { db in
      try await db.rows("SELECT 1 FROM timers.job WHERE name = 'locked' FOR UPDATE")
      try await cluster.pause(handler: "report")
      try await cluster.pauseAll()
      #expect(try await cluster.pauses().map(\.handler) == [nil, "report"])
      for handler in ["report", "mail"] {
        cluster.handle(handler) { run in log.runs.withLock { $0.append(run.name) } }
      }
      try await cluster.resumeAll()
      try await cluster.put(name: "mail", handler: "mail")
      try await waitForRun(of: "mail")
      #expect(log.runs.withLock { $0 } == ["mail"])
      try await cluster.resume(handler: "report")
      try await waitForRun(of: "free")
      #expect(!log.runs.withLock { $0.contains("locked") })
    }
    try await waitForRun(of: "locked")
    await scheduler.shutdownAndWait()
    await database.close()
  }
}
