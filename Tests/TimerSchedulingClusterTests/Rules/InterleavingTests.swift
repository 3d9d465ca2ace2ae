import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// Requests of which one is done between the read and the write of another.
@Suite(.limited) struct InterleavingTests {
  /// A store on which something is done after the next read.
  private final class Store: RowStore {
    var tables: MemoryTables
    var afterRead: (() throws -> Void)?
    private(set) var refusedCount = 0

    init(_ tables: MemoryTables) { self.tables = tables }

    func read(_ query: RowQuery) throws -> RowSet {
      let rows = try tables.bring(query)
      try afterRead.take()?()
      return rows
    }

    func write(_ rows: RowSet) throws -> Bool {
      let isWritten = try tables.write(rows)
      if !isWritten { refusedCount += 1 }
      return isWritten
    }

    func runs(of job: String?, limit: Int) -> [ClusterRunRecord] { tables.runs(of: job, limit: limit) }

    func removeRuns(_ removal: HistoryRemoval) -> Int { tables.removeRuns(removal) }
  }

  private static let sessions = [UUID(), UUID()]
  private static let second: Int64 = 1_000_000

  private static func registration(_ replica: Int, serves: [String: String]) -> SessionRegistration {
    SessionRegistration(
      session: sessions[replica], replica: "\(replica)", lease: 10 * second, serves: serves,
      declares: serves.keys.sorted(), handlers: ["mail"])
  }

  private static func claim(_ replica: Int, _ number: Int64, isRepeated: Bool = false) -> ClaimRequest {
    ClaimRequest(
      session: sessions[replica], number: number, isRepeated: isRepeated, limit: 10, lease: 10 * second,
      except: [])
  }

  /// A claim of a replica that runs one job of the handler in all. The two replicas want different ones.
  private static func limitedClaim(_ replica: Int, _ number: Int64) -> ClaimRequest {
    var claim = claim(replica, number)
    claim.limits = ["mail": HandlerLimits(inAll: 1)]
    claim.except = [replica == 0 ? "second" : "put"]
    return claim
  }

  private static func ends(_ outcome: RunEnd.Outcome) -> EndRequest {
    EndRequest(
      ([1, 2] as [Int64]).map { token in
        let time = StoreTime(microseconds: 100 * second)
        return RunEnd(
          token: token, outcome: outcome, date: outcome == .released ? nil : time, through: time,
          next: StoreTime(microseconds: 130 * second), schedule: "one", missed: 0, failure: "broken")
      })
  }

  /// Steps that lead to states: requests, and seconds that pass. The tokens of the first claim are 1 and 2.
  private static let states: [[Step]] = {
    let jobs: [Step] = [
      .request(registration(0, serves: ["code": "one"])), .request(registration(1, serves: ["code": "one"])),
      .request(PutRequest(job: "put", handler: "mail", schedule: "one", payload: "first")),
    ]
    let begun = jobs + [.request(claim(0, 1))]
    return [
      [], jobs, begun, begun + [.request(ends(.retried))], begun + [.request(ends(.done)), .pass(40)],
      begun + [.pass(11)], begun + [.pass(11), .request(registration(1, serves: ["code": "one"]))],
      begun + [.request(RemovalRequest(job: "put")), .request(SessionClosing(session: sessions[0]))],
      jobs + [.request(PauseRequest(handler: "mail", isPaused: true))],
      begun + [.request(PauseRequest(isPaused: true)), .request(AskRequest(job: "code"))],
      jobs + [.pass(20)],
      [.request(registration(0, serves: [:])), .request(registration(1, serves: [:]))]
        + ["put", "second"].map { .request(PutRequest(job: $0, handler: "mail", schedule: "one")) },
    ]
  }()

  private static let requests: [any StoreCall] = [
    registration(0, serves: ["code": "two"]), registration(1, serves: ["code": "one", "put": "one"]),
    registration(1, serves: [:]), claim(0, 2), claim(1, 1), claim(0, 1, isRepeated: true), limitedClaim(0, 2),
    limitedClaim(1, 1), ends(.done),
    ends(.failed), ends(.retried), ends(.released),
    SessionRenewal(session: sessions[0], lease: 10 * second, givesUp: [1]),
    SessionClosing(session: sessions[0]),
    PutRequest(job: "put", handler: "mail", schedule: "one", payload: "second"),
    PutRequest(job: "put", handler: "mail", date: StoreTime(microseconds: 120 * second)),
    PutRequest(job: "code", handler: "mail", delay: .zero),
    PutRequest(job: "new", handler: "mail", delay: .zero),
    RemovalRequest(job: "put"), RemovalRequest(job: "code"), PauseRequest(job: "put", isPaused: true),
    PauseRequest(handler: "mail", isPaused: true), PauseRequest(handler: "mail", isPaused: false),
    PauseRequest(isPaused: true), AskRequest(job: "put"), RetryRequest(job: "put"),
    WithdrawalRequest(job: "code"), CancelRequest(job: "put", by: "Ann"), PausesRequest(),
    DateRequest(job: "put", date: StoreTime(microseconds: 100 * second)),
    HistoryRemoval(before: StoreTime(microseconds: 1_000 * second)),
  ]

  private enum Step {
    case request(any StoreCall)
    case pass(Double)
  }

  private final class Time: Sendable {
    let seconds = Mutex(100.0)
  }

  /// A request that is done between the read and the write of another one has the same effect as before or
  /// after it, and so have both answers.
  ///
  /// Fails if a store writes rows although a row, a pause or a registration isn't as it was read.
  @Test(arguments: states.indices)
  func `A request in the middle of another one has the effect of one before or after it`(state: Int) throws {
    let time = Time()
    let origin = Store(
      MemoryTables(clock: { Date(timeIntervalSince1970: time.seconds.withLock(\.self)) }))
    for step in Self.states[state] {
      switch step {
      case .request(let call): _ = try answer(call, origin)
      case .pass(let seconds): time.seconds.withLock { $0 += seconds }
      }
    }
    var refusedCount = 0
    for outer in Self.requests {
      for inner in Self.requests {
        let found = Store(origin.tables)
        var innerAnswer: any Encodable = ""
        found.afterRead = { innerAnswer = try self.answer(inner, found) }
        let outerAnswer = try answer(outer, found)
        // A request that reads no rows has no middle.
        if found.afterRead != nil { continue }
        // A claim after the end of its lease renews it, and doesn't see the put. The replica's next claim
        // says so.
        if outer is ClaimRequest, let put = inner as? PutRequest, put.jobs[0].job == "code" { continue }
        refusedCount += found.refusedCount
        let text = try text(found.tables, outerAnswer, innerAnswer)
        let (first, last) = (Store(origin.tables), Store(origin.tables))
        let before = try (answer(outer, first), answer(inner, first))
        if try self.text(first.tables, before.0, before.1) == text { continue }
        let after = try (answer(inner, last), answer(outer, last))
        #expect(try self.text(last.tables, after.1, after.0) == text, "\(inner) in \(outer)")
      }
    }
    #expect(refusedCount > 20)
  }

  private func answer(_ call: some StoreCall, _ store: Store) throws -> any Encodable {
    try call.perform(on: store)
  }

  /// Returns a text of a state and of two answers, in which tokens are named by their runs, as reads may have
  /// drawn others.
  private func text(_ tables: MemoryTables, _ answers: any Encodable...) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func text(_ value: any Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let runs = tables.history
    let names = Dictionary(
      uniqueKeysWithValues: runs.map { run in
        ("\(run.record.token)", "\(run.record.job) \(run.record.attempt) \(run.record.replica)")
      })
    let parts =
      try answers.map(text) + tables.rows.values.map(text).sorted() + runs.map(text).sorted()
      + Self.sessions.map { try tables.sessions[$0].map(text) ?? "none" } + tables.pauses().map(text).sorted()
      + ["code", "put"].map { "\(tables.sessions(serving: $0).values.sorted())" }
      + ["\(tables.sessions(handling: "mail").count)"]
    return parts.joined(separator: "\n").replacing(/"(token|id|asked)":(\d+)/) { found in
      "\"\(found.1)\":\"\(names[String(found.2)] ?? "no run")\""
    }
  }
}
