import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// A store's clock that was ahead, and is set right again.
@Suite(.limited, .guarantee("G168")) struct StoreClockTests: ClusterSuite {
  let shared = TestCluster()
  private let ahead = Ahead()
  private let journal = Journal<String>()

  private final class Ahead: Sendable {
    private let state = Mutex<Double>(0)
    var seconds: Double {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
  }

  private func makeStore() -> MemoryTimerStore {
    MemoryTimerStore { [clock, ahead] in clock.date + ahead.seconds }
  }

  private func replica(_ name: String, on store: MemoryTimerStore) -> TestReplica {
    let replica = makeReplica(name, store: store)
    @Sendable func act(_ run: ClusterRun) {
      let date = Int(run.scheduledDate.timeIntervalSince(start))
      journal.note("\(run.name) \(date) at \(Int(clock.date.timeIntervalSince(start)))")
    }
    replica.schedule(name: "code") { act($0) }
    replica.cluster.handle("report") { act($0) }
    return replica
  }

  /// A replica whose runs note their payloads, and take eight seconds.
  private func slowReplica() -> TestReplica {
    let replica = makeReplica("a", store: makeStore())
    replica.cluster.handle("report") { [clock, journal] run in
      journal.note(run.payload)
      try await clock.sleep(for: .seconds(8))
    }
    return replica
  }

  private func entries(_ job: String) -> [String] {
    journal.entries.filter { $0.hasPrefix(job) }.map { $0.replacing("\(job) ", with: "") }
  }

  @Test func `Records of thirty days ago go by default`() async throws {
    let store = makeStore()
    let replica = makeReplica("a", store: store)
    replica.schedule(.at(start + 60), name: "old") { _ in }
    replica.schedule(.at(start + 30 * 86_400), name: "new") { _ in }
    await clock.advance(by: .seconds(70))
    for (days, jobs) in [(29.9, ["old"]), (30.1, ["new"])] {
      ahead.seconds = days * 86_400
      await clock.advance(by: .seconds(200))
      #expect(try await replica.cluster.history().map(\.job) == jobs)
    }
  }

  // minutes      1     2     3     4     5  …  61    62
  // clock        |  +1 h and back              the dates that were run then
  // runs         x     x     x     x     x              x
  @Test(arguments: [false, true])
  func `Dates come by the new time at once, and those that were run aren't run again`(isNew: Bool)
    async throws
  {
    let store = makeStore()
    let first = replica("a", on: store)
    try await first.cluster.put(
      name: "put", handler: "report", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(65))
    ahead.seconds = 3_600
    await clock.advance(by: .seconds(10))
    if isNew { first.die() }
    ahead.seconds = 0
    if isNew { _ = replica("b", on: store) }
    await clock.advance(by: .seconds(3_600 + 145))
    for job in ["code", "put"] {
      let found = entries(job)
      // The newest date by the wrong clock, 3,660, and none of the hour after it is lost.
      #expect(found.prefix(2) == ["60 at 60", "3660 at 66"])
      let rest = found.dropFirst(2).compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
      #expect(rest == (2...60).map { $0 * 60 } + [3_720, 3_780], "\(rest)")
      let late = found.dropFirst(2).filter { entry in
        let numbers = entry.split(separator: " ").compactMap { Double($0) }
        return numbers[1] - numbers[0] > 20
      }
      #expect(late.isEmpty)
    }
  }

  // On one machine, the replica has the store's clock.
  @Test(arguments: [false, true])
  func `Two seconds of a machine's clock that is eight hours ahead stop no job`(isSQLite: Bool) async throws {
    let (cluster, scheduler) = try await makeCluster(isSQLite: isSQLite)
    try await cluster.put(name: "once", handler: "report", after: .seconds(150))
    await clock.advance(by: .seconds(65))
    await clock.setWallClock(to: clock.date + 28_800)
    await clock.advance(by: .seconds(2))
    await clock.setWallClock(to: clock.date - 28_800)
    await clock.advance(by: .seconds(300))
    for job in ["code", "put"] {
      #expect(entries(job).filter { !$0.hasPrefix("28860 at") } == (1...6).map { "\($0 * 60) at \($0 * 60)" })
      #expect(entries(job).count == 7)
    }
    #expect(entries("once").count == 1)
    scheduler.driver.stop()
    cluster.companion.driver.stop()
  }

  // Fails if a pause leaves out dates up to its end although that is still to come.
  @Test(arguments: [false, true], [nil, "report"])
  func `A pause that was resumed while the clock was ahead leaves out no date of the new time`(
    isSQLite: Bool, handler: String?
  ) async throws {
    let (cluster, scheduler) = try await makeCluster(isSQLite: isSQLite)
    await clock.advance(by: .seconds(65))
    await clock.setWallClock(to: clock.date + 3_600)
    if let handler {
      try await cluster.pause(handler: handler)
      try await cluster.resume(handler: handler)
    } else {
      try await cluster.pauseAll()
      try await cluster.resumeAll()
    }
    await clock.setWallClock(to: clock.date - 3_600)
    try await cluster.put(
      name: "new", handler: "report", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(300))
    let dates = (2...6).map { "\($0 * 60) at \($0 * 60)" }
    for job in ["code", "put", "new"] { #expect(entries(job).suffix(5) == dates, "\(job)") }
    #expect(try await cluster.explain("put", at: start + 420).outcome == .toCome)
    scheduler.driver.stop()
    cluster.companion.driver.stop()
  }

  /// Makes a cluster of one machine, with two jobs of each minute.
  private func makeCluster(isSQLite: Bool) async throws -> (TimerCluster, TimerScheduler) {
    let connection = Mutex(try SQLiteConnection())
    let sqlite = SQLiteTimerStore { body in
      try connection.withLock { database in
        _ = try database.execute("BEGIN IMMEDIATE", [])
        try body(database.execute)
        _ = try database.execute("COMMIT", [])
      }
    }
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(store: isSQLite ? sqlite : MemoryTimerStore(), scheduler: scheduler)
    @Sendable func act(_ run: ClusterRun) {
      let (date, now) = (run.scheduledDate.timeIntervalSince(start), clock.date.timeIntervalSince(start))
      journal.note("\(run.name) \(Int(date)) at \(Int(now))")
    }
    let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)
    cluster.schedule(minutely, name: "code") { act($0) }
    cluster.handle("report") { act($0) }
    try await cluster.put(name: "put", handler: "report", schedule: minutely)
    return (cluster, scheduler)
  }

  @Test func `A put finds the new time, whatever a clock that was ahead has recorded`() async throws {
    let store = makeStore()
    let replica = replica("a", on: store)
    let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)
    for name in ["again", "removed", "changed", "once"] {
      try await replica.cluster.put(name: name, handler: "report", schedule: minutely)
    }
    await clock.advance(by: .seconds(65))
    ahead.seconds = 3_600
    await clock.advance(by: .seconds(10))
    ahead.seconds = 0
    // No replica has asked since then.
    try await replica.cluster.put(name: "again", handler: "report", schedule: minutely)
    try await replica.cluster.remove(name: "removed")
    try await replica.cluster.put(name: "removed", handler: "report", schedule: minutely)
    try await replica.cluster.put(
      name: "changed", handler: "report", schedule: .every(.seconds(30), starting: .aligned))
    try await replica.cluster.put(name: "once", handler: "report")
    await clock.advance(by: .seconds(60))
    #expect(entries("again").dropFirst(2) == ["120 at 120"])
    #expect(entries("removed").dropFirst(2) == ["120 at 120"])
    #expect(entries("changed").dropFirst(2) == ["90 at 90", "120 at 120"])
    #expect(entries("once").dropFirst(2) == ["75 at 75"])
    #expect(try await replica.cluster.jobs(matching: "once").isEmpty)
  }

  @Test func `A run under way when the clock is set back doesn't stop its job`() async throws {
    let store = makeStore()
    let replica = makeReplica("a", store: store)
    replica.cluster.handle("report") { [clock, journal, start] run in
      let date = Int(run.scheduledDate.timeIntervalSince(start))
      journal.note("\(run.name) \(date) at \(Int(clock.date.timeIntervalSince(start)))")
      try await clock.sleep(for: .seconds(8))
    }
    try await replica.cluster.put(
      name: "put", handler: "report", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(75))
    ahead.seconds = 3_600
    await clock.advance(by: .seconds(5))
    ahead.seconds = 0
    await clock.advance(by: .seconds(110))
    #expect(entries("put").map { $0.split(separator: " ")[0] } == ["60", "3660", "120", "180"])
  }

  // Fails if the range of the first run accounts for the new date, as the clock has caught up by its end, or
  // if the new date is that of the run, whose record then stands for both.
  @Test(arguments: [(0.5, nil), (5, nil), (0.5, 0.4)] as [(Double, Double?)])
  func `A job that is put again during its run comes after it, though the clock has gone back`(
    seconds: Double, date: Double?
  ) async throws {
    let replica = slowReplica()
    ahead.seconds = seconds
    for payload in ["first", "second"] {
      if let date {
        try await replica.cluster.remove(name: "job")
        let schedule = TimerSchedule.at(start + date)
        try await replica.cluster.put(name: "job", handler: "report", schedule: schedule, payload: payload)
      } else {
        try await replica.cluster.put(name: "job", handler: "report", payload: payload)
      }
      await clock.advance(by: .milliseconds(100))
      ahead.seconds = 0
    }
    await clock.advance(by: .seconds(30))
    #expect(journal.entries == ["first", "second"])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test func `A schedule that is put during a run owes its dates since, though the clock has gone back`()
    async throws
  {
    let replica = makeReplica("a", store: makeStore())
    replica.cluster.handle("report") { [clock, journal, start] run in
      journal.note("\(Int(run.scheduledDate.timeIntervalSince(start)))")
      try await clock.sleep(for: .seconds(8))
    }
    ahead.seconds = 5
    try await replica.cluster.put(name: "job", handler: "report")
    await clock.advance(by: .milliseconds(100))
    ahead.seconds = 0
    let minutely = TimerSchedule.every(.seconds(60), starting: .at(start + 3))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(80))
    #expect(journal.entries == ["5", "3", "63"])
  }

  // Fails if the job waits for the date that the run's end says is next, an hour later.
  @Test func `A job that is put anew during a run goes on by the new time, after the clock has gone back`()
    async throws
  {
    let replica = slowReplica()
    ahead.seconds = 3_600
    let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "first")
    await clock.advance(by: .seconds(61))
    ahead.seconds = 0
    try await replica.cluster.remove(name: "job")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "second")
    await clock.advance(by: .seconds(120))
    #expect(journal.entries == ["first", "second", "second"])
  }

  // Fails if the only date counts as accounted for by the range of the run.
  @Test func `A run now takes the place of a date that was put during a run, after the clock has gone back`()
    async throws
  {
    let replica = slowReplica()
    ahead.seconds = 5
    try await replica.cluster.put(name: "job", handler: "report", payload: "first")
    await clock.advance(by: .milliseconds(100))
    ahead.seconds = 0
    try await replica.cluster.put(name: "job", handler: "report", after: .seconds(3), payload: "second")
    try await replica.cluster.run("job")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["first", "second"])
  }

  @Test func `An explanation says which dates were run while the clock was ahead`() async throws {
    let store = makeStore()
    let cluster = replica("a", on: store).cluster
    try await cluster.put(
      name: "put", handler: "report", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(65))
    ahead.seconds = 3_600
    await clock.advance(by: .seconds(10))
    ahead.seconds = 0
    await clock.advance(by: .seconds(10))
    func outcomes() async throws -> [DateExplanation.Outcome] {
      var found: [DateExplanation.Outcome] = []
      for second in [60, 120, 180, 3_600, 3_660, 3_720] {
        try await found.append(cluster.explain("put", at: start + Double(second)).outcome)
      }
      return found
    }
    #expect(try await outcomes() == [.done, .toCome, .toCome, .toCome, .done, .toCome])
    #expect(
      try await "\(cluster.explain("put", at: start + 3_660))".hasPrefix(
        "\"put\", 2001-01-01T01:01:00Z: run. The store's clock was ahead then.\n"))
    await clock.advance(by: .seconds(60))
    #expect(try await outcomes() == [.done, .done, .toCome, .toCome, .done, .toCome])
  }

  @Test func `A date that was abandoned while the clock was ahead isn't begun again`() async throws {
    let store = makeStore()
    let first = makeReplica("a", store: store)
    first.schedule(name: "code") { [clock, journal] _ in
      journal.note("begun")
      try await clock.sleep(for: .seconds(600))
    }
    ahead.seconds = 3_600
    await clock.advance(by: .seconds(65))
    #expect(journal.entries == ["begun"])
    first.die()
    let second = replica("b", on: store)
    await clock.advance(by: .seconds(30))
    ahead.seconds = 0
    await clock.advance(by: .seconds(10))
    #expect(try await second.cluster.explain("code", at: start + 3_660).outcome == .abandoned)
    await clock.advance(by: .seconds(3_690))
    let dates = entries("code").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    #expect(dates.contains(3_600) && dates.contains(3_720) && !dates.contains(3_660))
  }
}
