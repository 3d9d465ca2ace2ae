import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

private struct Mail: Codable, Sendable {
  var address: String
}

extension JobKind where Payload == Mail {
  fileprivate static var mail: Self { Self("mail") }
}

extension JobKind where Payload == String {
  fileprivate static var note: Self { Self("note") }
}

/// Kinds of jobs, what a job does or waits for, and acts on all jobs of a handler.
extension JobTests {
  @Test func `A kind ties a handler's name to the type of its payload`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle(.mail) { [journal] mail, run in journal.note("\(run.name) to \(mail.address)") }
    replica.cluster.handle(.note) { [journal] note, run in journal.note("\(run.name): \(note)") }
    try await replica.cluster.put(.mail, Mail(address: "ann"), name: "now")
    try await replica.cluster.put(.mail, Mail(address: "bob"), name: "later", after: .seconds(5))
    try await replica.cluster.put(.mail, Mail(address: "cid"), name: "each", schedule: minutely)
    try await replica.cluster.put(.note, "a \"text\"", name: "text")
    try await replica.cluster.put([NewJob(.mail, Mail(address: "dan"), name: "many", after: .seconds(9))])
    try await replica.cluster.put([NewJob(.note, "often", name: "often", schedule: minutely)])
    await clock.advance(by: .seconds(61))
    #expect(
      Set(journal.entries) == [
        "now to ann", "later to bob", "each to cid", "text: a \"text\"", "many to dan", "often: often",
      ])
    try await replica.cluster.pause(handler: .mail)
    #expect(try await replica.cluster.pauses().map(\.handler) == ["mail"])
    try await replica.cluster.resume(handler: .mail)
    #expect(try await replica.cluster.pauses().isEmpty)
  }

  @Test func `A value is put in a transaction, in both forms and by its kind`() async throws {
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock))
    func execute(_ sql: String, _ parameters: [String?]) async throws -> [[String?]] { [] }
    func executeNow(_ sql: String, _ parameters: [String?]) throws -> [[String?]] { [] }
    // These take the synchronous forms.
    func putNow() throws {
      try cluster.put(name: "1", handler: "mail", payload: Mail(address: "1"), in: executeNow)
      try cluster.put(
        name: "2", handler: "mail", schedule: minutely, payload: Mail(address: "2"), in: executeNow)
      try cluster.put(.mail, Mail(address: "3"), name: "3", in: executeNow)
      try cluster.put(.mail, Mail(address: "4"), name: "4", schedule: minutely, in: executeNow)
      #expect(try cluster.remove(name: "4", in: executeNow))
      #expect(try !cluster.remove(name: "4", in: executeNow))
    }
    try putNow()
    try await cluster.put(name: "5", handler: "mail", payload: Mail(address: "5"), in: execute)
    try await cluster.put(
      name: "6", handler: "mail", schedule: minutely, payload: Mail(address: "6"), in: execute)
    try await cluster.put(.mail, Mail(address: "7"), name: "7", in: execute)
    try await cluster.put(.mail, Mail(address: "8"), name: "8", schedule: minutely, in: execute)
    #expect(try await cluster.remove(name: "8", in: execute))
    #expect(try await !cluster.remove(name: "8", in: execute))
    let payloads = try await cluster.jobs().map(\.payload)
    #expect(payloads == ["1", "2", "3", "5", "6", "7"].map { "{\"address\":\"\($0)\"}" })
  }

  @Test func `A job says what it does or waits for, and lists have those in a state`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(100)))
    let replica = replica("a", ifFailed: retry, work: .seconds(10), working: 1_000)
    try await replica.cluster.put(name: "failing", handler: "report")
    try await replica.cluster.put(name: "later", handler: "report", after: .seconds(5_000))
    try await replica.cluster.put(name: "other", handler: "nobody")
    try await replica.cluster.put(name: "stopped", handler: "report", after: .seconds(1))
    try await replica.cluster.pause("stopped")
    func states() async throws -> [ClusterJob.State] {
      let all = try await replica.cluster.jobs()
      for state in ClusterJob.State.allCases {
        let found = try await replica.cluster.jobs(in: state).map(\.name)
        #expect(found == all.filter { $0.state == state }.map(\.name))
      }
      return all.map(\.state)
    }
    #expect(try await states() == [.due, .waiting, .due, .paused])
    await clock.advance(by: .seconds(5))
    #expect(try await states() == [.running, .waiting, .due, .paused])
    await clock.advance(by: .seconds(50))
    #expect(try await states() == [.retrying, .waiting, .due, .paused])
    await clock.advance(by: .seconds(200))
    #expect(try await states() == [.failed, .waiting, .due, .paused])
    #expect(try await replica.cluster.jobs(of: "report", in: .failed).map(\.name) == ["failing"])
    #expect(try await replica.cluster.jobs(of: "nobody").map(\.name) == ["other"])
    #expect(try await replica.cluster.jobs(of: "report", matching: "later", limit: 1).count == 1)
  }

  @Test func `Backlogs say what is waiting, by handler, and since when`() async throws {
    let replica = replica("a", ifFailed: .leave, work: .seconds(10), working: 1_000)
    #expect(try await replica.cluster.backlogs().isEmpty)
    for number in 1...3 { try await replica.cluster.put(name: "failing \(number)", handler: "report") }
    await clock.advance(by: .seconds(20))
    for number in 1...2 { try await replica.cluster.put(name: "other \(number)", handler: "nobody") }
    await clock.advance(by: .seconds(7))
    try await replica.cluster.put(name: "other 3", handler: "nobody")
    try await replica.cluster.put(name: "running", handler: "report")
    await clock.advance(by: .seconds(1))
    try await replica.cluster.pause(handler: "nobody")
    let backlogs = try await replica.cluster.backlogs()
    #expect(backlogs.map(\.handler) == ["nobody", "report"])
    #expect(backlogs.map(\.dueCount) == [3, 0])
    #expect(backlogs.map(\.oldestDue) == [start + 20, nil])
    #expect(backlogs.map(\.runningCount) == [0, 1])
    #expect(backlogs.map(\.failedCount) == [0, 3])
    #expect(backlogs.map(\.retryingCount) == [0, 0])
    #expect(backlogs.map(\.isPaused) == [true, false])
  }

  @Test func `All jobs of a handler that have failed are retried or removed, and no others`() async throws {
    let replica = replica("a", work: .zero, working: 100)
    for number in 1...250 { try await replica.cluster.put(name: "failing \(number)", handler: "report") }
    await clock.advance(by: .seconds(50))
    try await replica.cluster.put(name: "later", handler: "report", after: .seconds(5_000))
    try await replica.cluster.put(name: "other", handler: "nobody")
    #expect(try await replica.cluster.retry(allOf: "nobody") == 0)
    #expect(try await replica.cluster.retry(allOf: "report") == 250)
    await clock.advance(by: .seconds(20))
    #expect(try await replica.cluster.jobs(in: .failed, limit: 1_000).count == 250)
    await clock.advance(by: .seconds(100))
    #expect(try await replica.cluster.retry(allOf: "report", in: .waiting) == 0)
    #expect(try await replica.cluster.remove(allOf: "report") == 250)
    #expect(try await replica.cluster.jobs().map(\.name) == ["later", "other"])
    #expect(try await replica.cluster.remove(allOf: "nobody", in: .due) == 1)
    #expect(try await replica.cluster.remove(name: "later"))
    #expect(try await !replica.cluster.remove(name: "later"))
    await #expect(throws: ClusterError.self) { try await replica.cluster.remove(allOf: "") }
  }

  @Test func `All jobs that have failed are retried and removed while replicas work`() async throws {
    let replicas = ["a", "b"].map { replica($0, work: .milliseconds(300), working: 60) }
    let cluster = replicas[0].cluster
    for number in 1...120 { try await cluster.put(name: "\(number)", handler: "report") }
    var (retried, removed) = (0, 0)
    for _ in 1...20 {
      retried += try await cluster.retry(allOf: "report")
      await clock.advance(by: .milliseconds(100))
    }
    #expect(retried > 240)
    while try await !cluster.jobs().isEmpty {
      removed += try await cluster.remove(allOf: "report", in: .failed)
      await clock.advance(by: .milliseconds(100))
    }
    // Each retry is one run.
    #expect(journal.entries.count == 120 + retried)
    #expect(removed == 120)
  }

  @Test func `Interceptors, actions and the tasks that they make know their run`() async throws {
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = { [journal] _, body in
      journal.note("encloses \(ClusterRun.current.map { "\($0.name) \($0.attempt)" } ?? "no job")")
      try await body()
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let cluster = TimerCluster(store: store, scheduler: scheduler)
    @Sendable func note(_ place: String) { journal.note("\(place) \(ClusterRun.current?.payload ?? "none")") }
    cluster.handle("report", timeout: .seconds(10)) { run in
      #expect(ClusterRun.current?.token == run.token)
      note("action")
      await Task { note("task") }.value
      if run.attempt == 1 { throw Broken() }
    }
    scheduler.schedule(.after(.seconds(100))) { _ in note("timer") }
    try await cluster.put(name: "job", handler: "report", payload: "7")
    await clock.advance(by: .seconds(150))
    #expect(
      journal.entries == [
        "encloses job 1", "action 7", "task 7", "encloses job 2", "action 7", "task 7", "encloses no job",
        "timer none",
      ])
    #expect(ClusterRun.current?.name == nil)
  }
}
