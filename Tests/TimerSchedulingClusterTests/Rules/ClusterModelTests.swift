import Foundation
import TestSupport
import Testing
import TimerSchedulingCluster

/// Whether the store in memory does what Tests/Models/cluster.pml does. A moment of the model is a microsecond here.
///
/// `.ci/models` writes the file with the transitions of the model, and checks that it is up to date.
/// `Examples/Cluster/Harness/transitions.py` compares them with the functions in PostgreSQL.
@Suite(.guarantee("G164")) struct ClusterModelTests {
  @Test func `The store in memory does in each state what its model does`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "../../Models/cluster-transitions.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    var count = 0
    for line in lines {
      guard let transition = Transition(line), let answer = transition.performed else { continue }
      count += 1
      #expect(answer == transition.expected, "\(line)")
    }
    // The others are of rows that are locked or removed, which there are in a database only.
    #expect(count > 3_000)
  }
}

/// A line of the file: the moment, the row, the request, how the store sees its sender, the answer, and the row after
/// it.
private struct Transition {
  private static let lease: Int64 = 3
  private let now: Int64
  private let before: String
  private let request: [String]
  private let view: String
  private let reply: String
  let expected: [String]

  init?(_ line: Substring) {
    let parts = line.split(separator: " ").map(String.init)
    // Locked and removed rows.
    guard !parts[1].contains("L"), !parts[1].contains("R"), !parts[5].contains("R"), parts[1] != "none" else {
      return nil
    }
    (now, before, view, reply) = (Int64(parts[0]) ?? 0, parts[1], parts[3], parts[4])
    request = parts[2].split(separator: "/").map(String.init)
    expected = [reply, parts[5].replacing(".,", with: ",")]
  }

  private let own = UUID()
  private let other = UUID()

  /// The answer and the row after it. Nil if there is no such request.
  var performed: [String]? {
    var tables = MemoryTables()
    let now = now
    tables.clock = { Date(timeIntervalSince1970: Double(now) / 1e6) }
    save(session(), serving: request[1], own, &tables)
    save(session(), serving: "", other, &tables)
    load(&tables)
    let reply: String
    switch request[0] {
    case "claim": reply = claim(&tables)
    case "end": reply = end(&tables)
    case "register":
      _ = try? SessionRegistration(
        session: own, replica: "own", lease: Self.lease, serves: ["job": request[1]], declares: ["job"]
      ).perform(on: &tables)
      reply = "-"
    case "pause", "resume":
      _ = try? PauseRequest(job: "job", isPaused: request[0] == "pause").perform(on: &tables)
      reply = "-"
    default: return nil
    }
    return [reply, text(tables)]
  }

  private func session() -> SessionRow {
    SessionRow(
      replica: "replica", lease: .microseconds(Self.lease),
      leaseEnd: StoreTime(microseconds: now + Self.lease))
  }

  private func save(_ session: SessionRow, serving text: String, _ id: UUID, _ tables: inout MemoryTables) {
    tables.save(session, id)
    tables.setServed(["job": text], handlers: [], by: id)
  }

  /// Sets the row, and the session that holds it.
  private func load(_ tables: inout MemoryTables) {
    let columns = before.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    func time(_ text: String) -> StoreTime? { Int64(text).map { StoreTime(microseconds: $0) } }
    var row = JobRow(name: "job", schedule: columns[5], now: StoreTime(microseconds: now))
    row.from = time(columns[0]) ?? row.from
    row.job.nextTime = columns[1] == "14" ? nil : time(columns[1])
    row.until = time(columns[2])
    row.attempt = Int(columns[3]) ?? 0
    row.floor = time(columns[4]) ?? row.floor
    row.rangeSchedule = row.until == nil ? nil : columns[6]
    row.job.isPaused = columns[7].contains("P")
    let held = columns[8]
    if held != "free" {
      let isOwn = held == "this" || held == "own"
      row.holder = JobRow.Holder(
        token: 1, session: isOwn ? own : other, number: held == "this" ? 5 : 4, began: row.from,
        replica: "replica")
    }
    var holder = session()
    holder.isOver = held == "over"
    if held.hasPrefix("left"), let left = Int64(held.dropFirst(4)) {
      holder.leaseEnd = StoreTime(microseconds: now + left)
    }
    tables.save(holder, other)
    tables.save(row)
    // Whether another replica has the row's schedule.
    if reply == "others" { save(session(), serving: columns[5], UUID(), &tables) }
  }

  private func claim(_ tables: inout MemoryTables) -> String {
    var sender = session()
    sender.isOver = view == "over"
    sender.number = view == "new" ? 4 : view == "again" ? 5 : 6
    tables.save(sender, own)
    let request = ClaimRequest(
      session: own, number: 5, isRepeated: false, limit: 1, lease: Self.lease, except: [])
    guard let answer = try? request.perform(on: &tables) else { return "error" }
    if answer.isOver { return "over" }
    if !answer.runs.isEmpty { return "rows" }
    if answer.isOld { return "then" }
    if !answer.others.isEmpty { return "others" }
    return answer.unserved.isEmpty ? "nothing" : "unserved"
  }

  private func end(_ tables: inout MemoryTables) -> String {
    let outcomes: [RunEnd.Outcome] = [.done, .done, .settled, .settled, .settled, .retried, .released]
    let columns = before.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard columns[8] == "own", let outcome = Int(request[2]), let until = Int64(columns[2]) else {
      return reply
    }
    // The first schedule has the dates 1 and 2, the second has 1.
    let last = request[1] == "0" ? 2 : 1
    let next = outcome == 5 ? now + 1 : until < last ? until + 1 : nil
    let end = RunEnd(
      token: 1, outcome: outcomes[outcome], through: StoreTime(microseconds: until),
      next: next.map { StoreTime(microseconds: $0) }, schedule: request[1], missed: 0)
    return (try? EndRequest([end]).perform(on: &tables))?.verdicts.first?.rawValue ?? "error"
  }

  private func text(_ tables: MemoryTables) -> String {
    guard let row = tables.rows["job"] else { return "none" }
    func text(_ time: StoreTime?, _ none: String) -> String { time.map { "\($0.microseconds)" } ?? none }
    let held =
      if let holder = row.holder {
        holder.session == own ? (holder.number == 5 ? "this" : "own") : heldByOther(tables)
      } else {
        "free"
      }
    return [
      text(row.from, "-"), text(row.job.nextTime, "14"), text(row.until, "-"), "\(row.attempt)",
      text(row.floor, "0"), row.job.schedule, row.rangeSchedule ?? "0", row.job.isPaused ? "P" : "", held,
    ].joined(separator: ",")
  }

  private func heldByOther(_ tables: MemoryTables) -> String {
    guard let session = tables.sessions[other], !session.isOver else { return "over" }
    return "left\(session.leaseEnd.microseconds - now)"
  }
}
