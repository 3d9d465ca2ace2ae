import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Payloads with types, and many jobs in one call.
extension JobTests {
  private struct Mail: Codable, Sendable {
    var address: String
    var copies = 1
  }

  @Test func `A payload is put and handled as a value, which the store has as JSON`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("mail", as: Mail.self) { [journal] mail, run in
      journal.note("\(run.name): \(mail.address) \(mail.copies)")
    }
    try await replica.cluster.put(
      name: "now", handler: "mail", payload: Mail(address: "a/b@example.org", copies: 2))
    try await replica.cluster.put(
      name: "each", handler: "mail", schedule: minutely, payload: Mail(address: "each"))
    let payloads = try await replica.cluster.jobs().map(\.payload)
    #expect(payloads == [#"{"address":"each","copies":1}"#, #"{"address":"a/b@example.org","copies":2}"#])
    await clock.advance(by: .seconds(61))
    #expect(journal.entries == ["now: a/b@example.org 2", "each: each 1"])
  }

  @Test(arguments: ["no JSON", ""])
  func `A payload that can't be read fails as an action does, and says so`(payload: String) async throws {
    let observer = FailureLog()
    let replica = makeReplica("a", observer: observer)
    replica.cluster.handle("mail", as: Mail.self) { [journal] mail, run in journal.note(mail.address) }
    try await replica.cluster.put(name: "job", handler: "mail", payload: payload)
    await clock.advance(by: .seconds(1_000))
    #expect(journal.entries.isEmpty && observer.failures.count == 5)
    let runs = try await replica.cluster.history()
    #expect(runs.map(\.outcome) == Array(repeating: .failed, count: 5))
    #expect(runs[0].failure?.hasPrefix("The payload of \"job\" isn't a value of Mail as JSON: ") == true)
    #expect(try await replica.cluster.jobs().map(\.failedCount) == [1])
  }

  @Test func `A payload that an older version can't read is left to the newer one`() async throws {
    enum OldKind: String, Codable { case plain }
    enum NewKind: String, Codable { case plain, html }
    let (old, new) = (makeReplica("old"), makeReplica("new"))
    old.cluster.handle("mail", as: OldKind.self, limit: 5) { [journal] kind, _ in journal.note("old \(kind)")
    }
    new.cluster.handle("mail", as: NewKind.self, limit: 5) { [journal] kind, _ in journal.note("new \(kind)")
    }
    for number in 0..<40 {
      try await new.cluster.put(name: "\(number)", handler: "mail", payload: NewKind.html)
    }
    await clock.advance(by: .seconds(120))
    #expect(journal.entries == Array(repeating: "new html", count: 40))
    #expect(try await new.cluster.jobs().isEmpty)
  }

  @Test func `A text is its own payload, also for a handler of texts`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("mail", as: String.self) { [journal] text, run in journal.note(text) }
    func put(_ payload: some Encodable & Sendable) async throws {
      try await replica.cluster.put(handler: "mail", payload: payload)
    }
    try await replica.cluster.put(handler: "mail", payload: "no JSON")
    try await put("none either")
    await clock.advance(by: .seconds(1))
    #expect(journal.entries.sorted() == ["no JSON", "none either"])
  }

  @Test func `A value that has no JSON, and one that is too long, aren't put`() async throws {
    let cluster = makeReplica("a").cluster
    await #expect(throws: EncodingError.self) {
      try await cluster.put(handler: "mail", payload: [Double.infinity])
    }
    await #expect(throws: ClusterError.self) {
      try await cluster.put(handler: "mail", payload: [String(repeating: "a", count: 65_536)])
    }
    #expect(try await cluster.jobs().isEmpty)
  }

  @Test func `Many jobs are put by one request, all or none`() async throws {
    let replica = replica("a")
    let questions = replica.store.questions
    try await replica.cluster.put([])
    #expect(replica.store.questions == questions)
    let jobs = (0..<1_000).map { NewJob(name: "\(1_000 + $0)", handler: "report", after: .seconds(10)) }
    try await replica.cluster.put(
      jobs + [
        NewJob(name: "1000", handler: "report", after: .seconds(20), payload: "the last one counts"),
        NewJob(name: "each", handler: "report", schedule: minutely), NewJob(handler: "report"),
      ])
    #expect(replica.store.questions == questions + 1)
    #expect(try await store.jobs().count == 1_002)
    #expect(try await store.jobs(matching: "1000", limit: 1).map(\.payload) == ["the last one counts"])
    await #expect(throws: ClusterError.self) {
      try await replica.cluster.put([
        NewJob(name: "good", handler: "report"), NewJob(name: "bad\n", handler: "report"),
      ])
    }
    #expect(try await replica.cluster.jobs(matching: "good").isEmpty)
    await clock.advance(by: .seconds(100))
    #expect(journal.entries.count == 1_002)
    #expect(try await store.jobs().map(\.name) == ["each"])
  }

  // The compiler refuses it if the labelled forms aren't told apart by whether they are awaited.
  @Test func `In memory, jobs of a transaction are put and removed at once, awaited or not`() async throws {
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock, configuration: .silent))
    func jobs(_ name: String) -> [NewJob] { (1...2).map { NewJob(name: "\(name) \($0)", handler: "mail") } }
    func transact() throws {
      try cluster.put(name: "a", handler: "mail", schedule: minutely, in: { _, _ in throw Broken() })
      try cluster.put(name: "b", handler: "mail", in: { _, _ in throw Broken() })
      try cluster.put(jobs("c"), in: { _, _ in throw Broken() })
      try cluster.remove(name: "b", in: { _, _ in throw Broken() })
      try cluster.remove(name: "c 1") { _, _ in throw Broken() }
    }
    try transact()
    #expect(try await cluster.jobs().map(\.name) == ["a", "c 2"])
    try await cluster.put(name: "d", handler: "mail", schedule: minutely, in: { _, _ in throw Broken() })
    try await cluster.put(name: "e", handler: "mail", in: { _, _ in throw Broken() })
    try await cluster.put(jobs("f"), in: { _, _ in throw Broken() })
    try await cluster.remove(name: "e", in: { _, _ in throw Broken() })
    try await cluster.remove(name: "f 1") { _, _ in throw Broken() }
    #expect(try await cluster.jobs().map(\.name) == ["a", "c 2", "d", "f 2"])
    @Sendable func finish(_ run: ClusterRun) throws { try run.finish(in: { _, _ in throw Broken() }) }
    cluster.handle("mail") { run in
      if run.name == "a" { try finish(run) }
      if run.name == "d" { try await run.finish(in: { _, _ in throw Broken() }) }
    }
    await clock.advance(by: .seconds(61))
    #expect(Set(try await cluster.history().map(\.outcome)) == [.done])
  }

  @Test func `Jobs without names that are due at one moment begin in the order of their puts`() async throws {
    let cluster = replica("a").cluster
    let jobs = (0..<5_000).map { NewJob(handler: "report", after: .seconds(10), payload: "\($0)") }
    #expect(jobs.map(\.name) == jobs.map(\.name).sorted())
    #expect(
      jobs.allSatisfy { $0.name.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab].{16}/) != nil })
    for job in jobs.prefix(5) { try await cluster.put(handler: "report", payload: job.payload) }
    try await cluster.put(Array(jobs[5..<10]))
    await clock.advance(by: .seconds(20))
    let numbers = journal.entries.map { $0.split(separator: " ")[1] }
    #expect(numbers == (0..<10).map { "\($0)" }, "\(numbers)")
  }

  @Test(arguments: [
    TimerSchedule.at(Date(timeIntervalSinceReferenceDate: 60)), .every(.seconds(60), starting: .aligned),
  ])
  func `A schedule with a jitter or a tolerance isn't put, as a job in the store would lose both`(
    schedule: TimerSchedule
  ) async throws {
    let cluster = makeReplica("a").cluster
    for schedule in [schedule.jitter(upTo: .seconds(1)), schedule.tolerance(.seconds(1))] {
      let error = await #expect(throws: ClusterError.self) {
        try await cluster.put(name: "job", handler: "mail", schedule: schedule)
      }
      #expect(error?.description.contains("jitter and tolerance") == true)
    }
    #expect(try await cluster.jobs().isEmpty)
    try await cluster.put(name: "job", handler: "mail", schedule: schedule)
  }
}
