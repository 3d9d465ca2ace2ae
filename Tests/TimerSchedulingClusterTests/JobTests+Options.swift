import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// What is put with a job, what is reported of a run, and limits that are set at run time.
extension JobTests {
  /// Records the cluster's errors.
  private final class ErrorLog: TimerObserver {
    let errors = Mutex<[ClusterError]>([])

    func observe(_ event: TimerEvent) {
      if case .actionFailed(let error as ClusterError) = event.kind { errors.withLock { $0.append(error) } }
    }

    func runs(since start: Date) -> [String] {
      errors.withLock(\.self).map { error in
        switch error {
        case .runFailed(let job, let handler, let attempt, let next, let cause):
          "\(job) of \(handler), attempt \(attempt), next \(next.map { "\(Int($0.timeIntervalSince(start)))" } ?? "-"): \(cause)"
        case .dateGivenUp(let job, let handler, let date, let reason):
          "\(job) of \(handler) isn't begun for \(Int(date.timeIntervalSince(start))): \(reason)"
        default: "\(error)"
        }
      }
    }
  }

  private func seconds(_ date: Date) -> Int { Int(date.timeIntervalSince(start)) }

  @Test func `An error of a run is reported with its job, handler, attempt and next attempt`() async throws {
    let log = ErrorLog()
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(10)))
    let replica = replica("a", ifFailed: retry, working: 1_000, observer: log)
    try await replica.cluster.put(name: "job", handler: "report")
    replica.cluster.schedule(.at(start + 100), name: "code") { _ in throw Broken() }
    await clock.advance(by: 200)
    #expect(
      log.runs(since: start) == [
        "job of report, attempt 1, next 11: Broken()", "job of report, attempt 2, next -: Broken()",
        "code of , attempt 1, next -: Broken()",
      ])
    let error = log.errors.withLock { $0[0] }
    #expect(
      error.description
        == "Attempt 1 of \"job\" of the handler \"report\" has failed, and the next begins at \(start + 11): Broken()"
    )
  }

  @Test func `Attempts that are put with a job take the place of its handler's`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(1)))
    let replica = replica("a", ifAbandoned: .runAgain(attempts: 3), ifFailed: retry, working: 10_000)
    let cluster = replica.cluster
    try await cluster.put(name: "one", handler: "report", attempts: 1)
    try await cluster.put([NewJob(name: "five", handler: "report", attempts: 5)])
    try await cluster.put(name: "own", handler: "report")
    try await cluster.put(name: "left", handler: "left", attempts: 5)
    cluster.handle("left", ifFailed: .leave) { [journal] run in
      journal.note("\(run.name) of left")
      throw Broken()
    }
    await clock.advance(by: 1_000)
    let counts = Dictionary(grouping: journal.entries) { $0.prefix { $0 != " " } }.mapValues(\.count)
    #expect(counts == ["one": 1, "five": 5, "own": 3, "left": 1])
  }

  @Test func `An action learns how often it has postponed its date, and its job's key`() async throws {
    let cluster = makeReplica("a").cluster
    cluster.handle("mail") { [clock, journal, start] run in
      journal.note("\(run.key ?? "-") \(run.postponedCount) at \(clock.date.timeIntervalSince(start))")
      if run.postponedCount < 3 { throw RunDecision.again(after: .zero) }
    }
    try await cluster.put(handler: "mail", key: "tenant 7")
    await clock.advance(by: 10)
    // The first wait may be short.
    #expect(
      journal.entries == [
        "tenant 7 0 at 0.0", "tenant 7 1 at 0.0", "tenant 7 2 at 1.0", "tenant 7 3 at 2.0",
      ])
  }

  @Test func `A date that is older than its job allows isn't begun, and an event says so`() async throws {
    let log = ErrorLog()
    let replica = makeReplica("a", observer: log)
    let cluster = replica.cluster
    let handler = cluster.handle(
      "text", ifFailed: .retry(attempts: 9, backoff: .constant(.seconds(40)))
    ) { [clock, journal, start] run in
      journal.note("\(run.name) at \(Int(clock.date.timeIntervalSince(start)))")
      if run.name != "fine" { throw Broken() }
    }
    handler.pause()
    try await cluster.put(name: "fine", handler: "text", after: .seconds(1), within: .seconds(60))
    try await cluster.put(name: "late", handler: "text", schedule: .at(start + 1), within: .seconds(30))
    try await cluster.put(name: "minutely", handler: "text", schedule: minutely, within: .seconds(30))
    await clock.advance(by: 50)
    handler.resume()
    await clock.advance(by: 10)
    #expect(journal.entries == ["fine at 50", "minutely at 60"])
    #expect(log.runs(since: start).first == "late of text isn't begun for 1: tooOld")
    let late = try #require(await cluster.jobs(of: "text", in: .failed).first)
    #expect(late.name == "late" && late.lastDate == start + 1)
    await clock.advance(by: 100)
    // For another attempt 40 s later its date would be too old, so none is planned.
    #expect(journal.entries.filter { $0.hasPrefix("minutely") } == ["minutely at 60", "minutely at 120"])
    #expect(
      log.runs(since: start).filter { $0.hasPrefix("minutely") } == [
        "minutely of text, attempt 1, next -: Broken()", "minutely of text, attempt 1, next -: Broken()",
      ])
    // An operator's request is run all the same.
    #expect(try await cluster.retry(allOf: "text") == 1)
    await clock.advance(by: 1)
    #expect(journal.entries.contains("late at 160"))
  }

  @Test func `A burst leaves out the dates that are too old for their job`() async throws {
    let log = ErrorLog()
    let cluster = makeReplica("a", observer: log).cluster
    let handler = cluster.handle("text") { [journal, start] run in
      journal.note("\(Int(run.scheduledDate.timeIntervalSince(start)))")
    }
    handler.pause()
    try await cluster.put(
      name: "burst", handler: "text", schedule: minutely.missedTicks(.burst), within: .seconds(90))
    await clock.advance(by: 310)
    handler.resume()
    await clock.advance(by: 1)
    #expect(journal.entries == ["240", "300"])
  }

  @Test func `A limit that is set at run time holds at once and ends no run`() async throws {
    let replica = makeReplica("a")
    let begun = Mutex((now: 0, most: 0, all: 0))
    let handler = replica.cluster.handle("mail", limit: 2) { [clock] _ in
      begun.withLock { ($0.now, $0.all, $0.most) = ($0.now + 1, $0.all + 1, max($0.most, $0.now + 1)) }
      try await clock.sleep(for: .seconds(10))
      begun.withLock { $0.now -= 1 }
    }
    for _ in 0..<60 { try await replica.cluster.put(handler: "mail") }
    await clock.advance(by: 5)
    #expect(begun.withLock(\.most) == 2 && handler.limit == 2)
    handler.limit = 20
    await clock.advance(by: 1)
    #expect(begun.withLock(\.now) == 20)
    handler.limit = 1
    await clock.advance(by: 5)
    // The first two have ended, and none has taken their place.
    #expect(begun.withLock(\.now) == 18 && begun.withLock(\.all) == 20)
    await clock.advance(by: 6)
    #expect(begun.withLock(\.now) == 1)
    await clock.advance(by: 1_000)
    #expect(begun.withLock(\.all) == 60 && begun.withLock(\.most) == 20)
    #expect(try await replica.cluster.history().allSatisfy { $0.outcome == .done })
  }

  @Test func `A job is put unless there is an earlier one of its name, in each form`() async throws {
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock))
    cluster.handle("report") { [journal] run in journal.note("\(run.name) \(run.payload)") }
    func execute(_ sql: String, _ parameters: [String?]) async throws -> [[String?]] { [] }
    func executeNow(_ sql: String, _ parameters: [String?]) throws -> [[String?]] { [] }
    let kind = JobKind<String>("report")
    let hour = EarlierJob.begun(within: .seconds(3_600))
    #expect(try await cluster.put(name: "a", handler: "report", payload: "7", unless: .known) == "a")
    #expect(try await cluster.put(name: "a", handler: "report", schedule: minutely, unless: .known) == nil)
    #expect(try await cluster.put(kind, "8", name: "a", unless: hour) == nil)
    #expect(try await cluster.put(kind, "8", name: "a", schedule: minutely, unless: hour) == nil)
    #expect(try await cluster.put(name: "a", handler: "report", unless: .known, in: execute) == nil)
    #expect(
      try await cluster.put(name: "a", handler: "report", schedule: minutely, unless: .known, in: execute)
        == nil)
    #expect(try await cluster.put(kind, "8", name: "a", unless: hour, in: execute) == nil)
    #expect(try await cluster.put(kind, "8", name: "a", schedule: minutely, unless: hour, in: execute) == nil)
    func putNow() throws {
      #expect(try cluster.put(name: "a", handler: "report", unless: .known, in: executeNow) == nil)
      #expect(
        try cluster.put(name: "a", handler: "report", schedule: minutely, unless: .known, in: executeNow)
          == nil)
      #expect(try cluster.put(kind, "8", name: "a", unless: hour, in: executeNow) == nil)
      #expect(try cluster.put(kind, "8", name: "a", schedule: minutely, unless: hour, in: executeNow) == nil)
    }
    try putNow()
    await clock.advance(by: 10)
    #expect(journal.entries == ["a 7"])
    // It is done and gone.
    #expect(try await cluster.put(name: "a", handler: "report", unless: hour) == nil)
    await clock.advance(by: 3_600)
    #expect(try await cluster.put(name: "a", handler: "report", unless: hour) == "a")
    await clock.advance(by: 10)
    #expect(journal.entries.count == 2)
  }

  @Test func `Records of failed runs are kept for their own time`() async throws {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(
      store: store, scheduler: scheduler, historyAge: .seconds(100), failedHistoryAge: .seconds(1_000))
    cluster.handle("mail", ifFailed: .leave) { run in if run.payload == "bad" { throw Broken() } }
    try await cluster.put(name: "good", handler: "mail")
    try await cluster.put(name: "bad", handler: "mail", payload: "bad")
    await clock.advance(by: 90)
    #expect(try await cluster.history().count == 2)
    await clock.advance(by: 120)
    #expect(try await cluster.history().map(\.job) == ["bad"])
    await clock.advance(by: 1_000)
    #expect(try await cluster.history().isEmpty)
  }
}
