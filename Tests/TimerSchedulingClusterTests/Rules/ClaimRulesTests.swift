import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// The rules of claims at a store in memory, without a replica.
@Suite(.limited, .guarantee("G169")) struct ClaimRulesTests {
  private let time = Time()
  private let session = UUID()

  /// The time of the store, in seconds.
  private final class Time: Sendable {
    let now = Mutex<Double>(0)
  }

  /// Returns a store at which a replica with a lease of 16 s has registered.
  private func store(_ serves: [String: String] = [:], handlers: [String] = []) throws -> MemoryTimerStore {
    let store = MemoryTimerStore { [time] in Date(timeIntervalSince1970: time.now.withLock(\.self)) }
    let registration = SessionRegistration(
      session: session, replica: "a", lease: 16_000_000, serves: serves, declares: serves.keys.sorted(),
      handlers: handlers)
    _ = try registration.perform(on: store)
    return store
  }

  private func claim(_ number: Int64, limit: Int = 100, at store: MemoryTimerStore) throws -> ClaimAnswer {
    let claim = ClaimRequest(
      session: session, number: number, isRepeated: false, limit: limit, lease: 16_000_000, except: [])
    return try claim.perform(on: store)
  }

  @Test func `A claim without rows writes the session only when half of its lease is over`() throws {
    let store = try store(handlers: ["report"])
    let ends = try [1, 7, 8, 9, 16, 18].map { second -> StoreTime? in
      time.now.withLock { $0 = second }
      _ = try claim(Int64(second), at: store)
      return try store.read(RowQuery(sessions: [session])).session(session)?.leaseEnd
    }
    #expect(ends.map { $0.map { $0.microseconds / 1_000_000 } } == [16, 16, 16, 25, 25, 34])
  }

  @Test func `A removal of records leaves that of a run under way, and deletes as many as it may`() throws {
    let store = try store(["held": "one"])
    #expect(try claim(1, at: store).runs.count == 1)
    time.now.withLock { $0 = 5 }
    for number in 2...9 as ClosedRange<Int64> {
      let name = "\(number)"
      _ = try PutRequest(job: name, handler: "report", delay: .zero, payload: "").perform(on: store)
      let registration = SessionRegistration(
        session: session, replica: "a", lease: 16_000_000, serves: ["held": "one"], declares: [],
        handlers: ["report"])
      _ = try registration.perform(on: store)
      let run = try #require(try claim(number, at: store).runs.first)
      let end = RunEnd(
        token: run.token, outcome: .done, date: run.until, through: run.until, schedule: run.schedule,
        missed: 0)
      #expect(try EndRequest([end]).perform(on: store).verdicts == [.written])
    }
    let counts = try (0..<4).map { _ in
      try HistoryRemoval(before: StoreTime(microseconds: 1_000_000_000), keeping: nil, limit: 3)
        .perform(on: store).count
    }
    #expect(counts == [3, 3, 2, 0])
    #expect(store.runs(of: nil, limit: 10).map(\.job) == ["held"])
    // Without its records, a job of that name owes its date again.
    #expect(
      try store.read(RowQuery(jobs: ["2"])).lastDate(of: "2", through: .init(microseconds: 6_000_000)) == nil)
  }

  // Fails if the rows that are due longest are taken, whatever their handlers.
  @Test(
    arguments: [
      (limit: 6, rooms: [:], taken: ["a0", "a1", "a2", "b0", "c0", "c1"]),
      (6, ["a": 1], ["a0", "b0", "c0", "c1", "c2"]),
      (2, [:], ["a0", "b0"]), (0, [:], []),
      (100, [:], ["a0", "a1", "a2", "a3", "a4", "b0", "c0", "c1", "c2"]),
    ] as [(limit: Int, rooms: [String: Int], taken: [String])])
  func `Each handler has the same share of a claim that is too small for all`(
    limit: Int, rooms: [String: Int], taken: [String]
  ) {
    let claim = ClaimRequest(
      session: session, number: 1, isRepeated: false, limit: limit, lease: 1, except: [], rooms: rooms)
    let rows = [("a", 5), ("b", 1), ("c", 3)].flatMap { handler, count in
      (0..<count).map { number in
        var row = JobRow(name: "\(handler)\(number)", schedule: "one", now: StoreTime(microseconds: 0))
        row.job.handler = handler
        row.job.nextTime = StoreTime(microseconds: Int64(handler == "a" ? number : 100 + number))
        return row
      }
    }
    #expect(claim.first(of: rows.shuffled()).map(\.job.name).sorted() == taken)
  }
}
