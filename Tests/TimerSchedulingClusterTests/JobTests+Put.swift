import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that a program puts into the store, and handlers.
extension JobTests {
  @Test
  func `A job that was put is run at its dates with its payload, by one of the replicas with its handler`()
    async throws
  {
    for name in ["a", "b"] { replica(name) }
    let other = replica("c", handler: nil)
    await clock.advance(by: .seconds(10))
    try await other.cluster.put(name: "tenant 7", handler: "report", schedule: minutely, payload: "7")
    await clock.advance(by: .seconds(115))
    #expect(journal.entries == ["tenant 7 7 60.1 at 60", "tenant 7 7 120.1 at 120"])
    #expect(other.store.claims.isEmpty)
    let jobs = try await other.cluster.jobs(matching: "TENANT")
    #expect(jobs.map(\.handler) == ["report"] && jobs.map(\.doneCount) == [2])
  }

  @Test func `A job that is due soon after it was put by another replica is run within a second`()
    async throws
  {
    replica("a")
    let other = replica("b", handler: nil)
    await clock.advance(by: .seconds(58.5))
    try await other.cluster.put(name: "soon", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(3))
    #expect(journal.entries.count == 1 && journal.entries[0].hasPrefix("soon  60.1 at 6"))
  }

  @Test func `Rules are read back from the store, and what can't be read back is refused`() async throws {
    let replica = replica("a")
    let weekdays = try CronRule("*/2 * * * *", timeZone: .gmt)
    try await replica.cluster.put(
      name: "cron", handler: "report", schedule: .rule(weekdays).missedTicks(.burst).until(start + 300))
    await clock.advance(by: .seconds(600))
    #expect(journal.entries.map { $0.split(separator: " ")[1] } == ["120.1", "240.1"])
    let refused: [TimerSchedule] = [
      minutely.limit(3), .every(.seconds(60)), .rule(weekdays.union(weekdays)),
    ]
    for schedule in refused {
      await #expect(throws: ClusterError.self) {
        try await replica.cluster.put(name: "refused", handler: "report", schedule: schedule)
      }
    }
    #expect(try await replica.cluster.jobs(matching: "refused").isEmpty)
  }

  @Test(arguments: [String(repeating: "é", count: 32_768) + ".", "nul\0"])
  func `A payload that can't be stored is refused by an error`(refused: String) async throws {
    let replica = replica("a", handler: nil)
    let payload = String(repeating: "é", count: 32_768)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: payload)
    await #expect {
      try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: refused)
    } throws: {
      "\($0)".contains("\(refused.utf8.count) bytes")
    }
    #expect(try await replica.cluster.jobs().map(\.payload) == [payload])
  }

  @Test(arguments: ["", "line\nbreak", "nul\0", String(repeating: "a", count: 1_001)])
  func `A name that can't be stored is refused by an error, as it may come from outside`(name: String)
    async throws
  {
    let replica = replica("a")
    await #expect(throws: ClusterError.self) {
      try await replica.cluster.put(name: name, handler: "report", schedule: minutely)
    }
    await #expect(throws: ClusterError.self) {
      try await replica.cluster.put(name: "refused", handler: name, schedule: minutely)
    }
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test func `Hundreds of jobs that are due together are run once each, and cost two requests a hundred`()
    async throws
  {
    let replicas = ["a", "b"].map { replica($0) }
    for number in 0..<500 {
      try await replicas[0].cluster.put(name: "\(number)", handler: "report", schedule: minutely)
    }
    await clock.advance(by: .seconds(59))
    let before = replicas.map { $0.store.questions }
    await clock.advance(by: .seconds(3))
    #expect(Set(journal.entries).count == 500 && journal.entries.count == 500)
    #expect(try await store.jobs().allSatisfy { $0.doneCount == 1 })
    let questions = zip(replicas, before).map { $0.store.questions - $1 }.reduce(0, +)
    #expect(questions < 40)
  }

  @Test func `A change during a run holds from the next date on, and a removal ends the job with the run`()
    async throws
  {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "1")
    await clock.advance(by: .seconds(60.5))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "2")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["job 1 60.1 at 60", "job 2 120.1 at 120"])
    try await replica.cluster.remove(name: "job")
    #expect(try await replica.cluster.jobs().isEmpty)
    await clock.advance(by: .seconds(120))
    #expect(journal.entries.count == 2)
    #expect(try await replica.cluster.history().map(\.outcome) == [.done, .done])
    #expect(try await !replica.cluster.remove(name: "job"))
  }

  @Test func `A handler that no replica has is told to the observer once, and its jobs wait for it`()
    async throws
  {
    let observer = FailureLog()
    let first = replica("a", observer: observer)
    try await first.cluster.put(name: "mail", handler: "mail", schedule: minutely)
    await clock.advance(by: .seconds(130))
    #expect(journal.entries.isEmpty)
    #expect(observer.failures.filter { $0.contains("handler \"mail\"") }.count == 1)
    replica("b", handler: "mail")
    await clock.advance(by: .seconds(10))
    #expect(journal.entries == ["mail  120.1 at 130"])
  }

  @Test func `A shutdown waits for the runs of a handler, and ends the session`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(60.5))
    async let end: Void = replica.scheduler.shutdownAndWait()
    await clock.advance(by: .seconds(20))
    await end
    #expect(try await store.history(of: "job", limit: 5).map(\.outcome) == [.done])
    #expect(replica.store.closes == 1)
    let questions = replica.store.questions
    await clock.advance(by: .seconds(120))
    #expect(replica.store.questions == questions)
    #expect(journal.entries.count == 1)
  }

  @Test func `A replica claims no more than it can run, so that others get some`() async throws {
    let replica = makeReplica("a")
    let underWay = Mutex((now: 0, most: 0))
    replica.cluster.handle("report", limit: 200) { [clock] _ in
      underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      try await clock.sleep(for: .seconds(2))
      underWay.withLock { $0.now -= 1 }
    }
    for number in 0..<220 {
      try await replica.cluster.put(name: "\(number)", handler: "report", schedule: minutely)
    }
    await clock.advance(by: .seconds(70))
    #expect(underWay.withLock(\.most) == 200)
    #expect(try await store.jobs().count { $0.doneCount == 1 } == 220)
  }

  @Test func `A job that the program of a live replica has is neither replaced nor removed`() async throws {
    let (first, second) = (replica("a"), replica("b", handler: nil))
    let registration = second.schedule { [journal] _ in journal.note("code") }
    await clock.advance(by: .seconds(70))
    let put = await #expect(throws: ClusterError.self) {
      try await first.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "put")
    }
    let removed = await #expect(throws: ClusterError.self) { try await first.cluster.remove(name: "job") }
    for error in [put, removed] {
      #expect(error?.description.contains("running schedules the job \"job\"") == true)
    }
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["code", "code"])
    registration.cancel()
    await clock.advance(by: .seconds(1))
    try await first.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "put")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["code", "code", "job put 180.1 at 180"])
  }

  @Test func `A job that was put isn't taken by a program, whose observer is told why until it is removed`()
    async throws
  {
    let (first, observer) = (replica("a"), FailureLog())
    try await first.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "put")
    let second = replica("b", handler: nil, observer: observer)
    second.schedule(.every(.seconds(30), starting: .aligned)) { [journal] _ in journal.note("code") }
    await clock.advance(by: .seconds(70))
    #expect(journal.entries == ["job put 60.1 at 60"])
    #expect(observer.failures.count == 1)
    #expect(observer.failures.first?.contains("A job with the name \"job\" was put") == true)
    try await first.cluster.remove(name: "job")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["job put 60.1 at 60", "code", "code"])
    #expect(observer.failures.count == 1)
  }
}
