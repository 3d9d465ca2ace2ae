import Foundation
import Testing
import TimerSchedulingCluster

/// A line of cluster-transitions.txt or of put-transitions.txt: the moment, the row, in the second file the
/// pauses, the request, in the first how the store sees its sender, the answer, and the row and the pauses
/// after it.
///
/// A moment of the model is a microsecond here.
struct ModelTransition {
  private static let lease: Int64 = 3
  /// Numbers that the store hasn't given: of the run that the sender has, of another, and of what was asked
  /// for.
  private static let own: Int64 = 1 << 40
  private static let other: Int64 = 1 << 41
  private static let asked: Int64 = 1 << 42

  private let isPut: Bool
  private let moment, origin: Int64
  private let before: [String]
  private let pauses: String
  private let request: [String]
  private let view: String
  private let reply: String
  /// The answer, the row and the pauses after the request.
  let expected: [String]
  private let sender = UUID()
  private let holder = UUID()

  /// Returns nil for a line that can't be done here: of a row that is locked, or of one that was deleted,
  /// whose first moment cluster-transitions.txt doesn't say.
  init?(_ line: String, now: StoreTime) {
    var words = line.split(separator: " ").map(String.init)
    isPut = words.count == 7
    guard isPut || !words[1].contains("L") && words[1] != "none" else { return nil }
    pauses = isPut ? words.remove(at: 2) : "-,-,-"
    let after = isPut ? words.removeLast() : "-,-,-"
    moment = Int64(words[0]) ?? 0
    origin = now.microseconds - moment
    before = words[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    request = words[2].split(separator: "/").map(String.init)
    view = isPut ? "new" : words[3]
    reply = words[words.count - 2]
    expected = [reply, words[words.count - 1], after]
  }

  // MARK: The state before the request

  private var now: StoreTime { StoreTime(microseconds: origin + moment) }

  private func time(_ text: String) -> StoreTime? {
    Int64(text).map { StoreTime(microseconds: origin + $0) }
  }

  /// The third text and the fourth have one date.
  private func schedule(_ text: String) -> String { ["3", "4"].contains(text) ? "at \(text)" : text }

  private func session(number: Int64 = 0, isOver: Bool = false, left: Int64 = lease) -> SessionRow {
    var row = SessionRow(
      replica: "replica", lease: .microseconds(Self.lease), leaseEnd: now + .microseconds(left))
    (row.number, row.isOver) = (number, isOver)
    return row
  }

  private func load(on store: some RowStore) throws {
    var rows = try store.read(RowQuery(jobs: ["job"], sessions: [sender, holder]))
    for (place, handler) in ["h0", "h1", nil].enumerated() {
      var ended = ClusterPause(handler: handler, began: .zero, by: "", reason: "")
      ended.ended = .zero
      rows.save(pause(String(pauses.split(separator: ",")[place]), of: handler) ?? ended)
    }
    rows.save(
      session(number: view == "new" ? 4 : view == "again" ? 5 : 6, isOver: view == "over"), sender)
    // The model's replicas have ended when a job is put or removed, as a live one's program keeps its job.
    let serves = isPut || ["put", "remove"].contains(request[0]) ? [:] : ["job": request[1]]
    let handlers =
      !isPut || request[0] != "claim" ? [] : request[1] == "2" ? ["h0", "h1"] : ["h\(request[1])"]
    rows.setServed(serves, handlers: handlers, by: sender)
    if before != ["none"] {
      let held = before[8]
      let left = held.hasPrefix("left") ? Int64(held.dropFirst(4)) : nil
      rows.save(session(isOver: held == "over", left: left ?? Self.lease), holder)
      if reply == "others" {
        let third = UUID()
        rows.save(session(), third)
        rows.setServed(["job": before[5]], handlers: [], by: third)
      }
      rows.save(row)
    }
    #expect(try store.write(rows))
  }

  /// A pause as "1/2" with its beginning and its end, or as "1/-".
  private func pause(_ text: String, of handler: String? = nil) -> ClusterPause? {
    let moments = text.split(separator: "/").map(String.init)
    guard moments.count == 2, let began = time(moments[0]) else { return nil }
    var pause = ClusterPause(handler: handler, began: began, by: "", reason: "")
    pause.ended = time(moments[1])
    return pause
  }

  private var row: JobRow {
    var row = JobRow(name: "job", schedule: schedule(before[5]), now: now)
    row.from = time(before[0]) ?? row.from
    row.job.nextTime = before[1] == "14" ? nil : time(before[1])
    row.until = time(before[2])
    row.attempt = Int(before[3]) ?? 0
    row.floor = before[4] == "0" ? .zero : time(before[4]) ?? .zero
    row.rangeSchedule = row.until == nil ? nil : schedule(before[6])
    let flags = before[7].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    (row.job.isPaused, row.isRemoved) = (flags[0].contains("P"), flags[0].contains("R"))
    row.pause = pause(flags[1])
    let held = before[8]
    if held != "free" {
      let isOwn = held == "this" || held == "own"
      row.holder = JobRow.Holder(
        token: isOwn ? Self.own : Self.other, session: isOwn ? sender : holder,
        number: held == "this" ? 5 : 4,
        began: row.from, replica: "replica")
    }
    if isPut { addPut(to: &row) }
    return row
  }

  private func addPut(to row: inout JobRow) {
    let (own, range) = (before[9].split(separator: "/"), before[10].split(separator: "/"))
    (row.job.handler, row.job.payload) = ("h\(own[0])", "p\(own[1])")
    (row.rangeHandler, row.rangePayload) = (
      range[0] == "-" ? nil : "h\(range[0])", range[1] == "-" ? nil : "p\(range[1])"
    )
    row.isLost = before[11].contains("L")
    row.cancelledBy = before[11].contains("C") ? "Ann" : nil
    row.asked = (0..<(Int64(before[12]) ?? 0)).map {
      AskedRange(id: Self.asked + $0, from: now, through: now)
    }
    if before[11].contains("F"), let until = row.until {
      var end = RunEnd(token: Self.other, outcome: .failed, through: until, schedule: "", missed: 0)
      end.asked = before[11].contains("A") ? Self.asked : nil
      row.failedEnd = end
    }
  }

  // MARK: The request

  /// Does the request, and removes what it leaves. Returns the answer, the row and the pauses.
  func performed(on store: some RowStore) throws -> [String] {
    try load(on: store)
    let answer = try answer(on: store)
    var query = RowQuery(jobs: ["job"], sessions: [holder])
    query.hasPauses = true
    var rows = try store.read(query)
    let found = [answer, try text(of: rows.job("job"), on: rows), pausesText(try rows.allPauses())]
    rows.removeJob("job")
    rows.removeSessions(endedBefore: StoreTime(microseconds: .max))
    #expect(try store.write(rows))
    return found
  }

  private func answer(on store: some RowStore) throws -> String {
    switch request[0] {
    case "claim": return try claim(on: store)
    case "end": return try end(on: store)
    case "register":
      _ = try SessionRegistration(
        session: sender, replica: "own", lease: Self.lease, serves: ["job": request[1]], declares: ["job"],
        resumes: request[2] == "1" ? ["job"] : []
      ).perform(on: store)
    case "pause", "resume":
      let handler = isPut && ["0", "1"].contains(request[1]) ? "h\(request[1])" : nil
      let job = isPut && request[1] != "j" ? nil : "job"
      _ = try PauseRequest(job: job, handler: handler, isPaused: request[0] == "pause").perform(on: store)
    case "put":
      _ = try PutRequest(
        job: "job", handler: isPut ? "h\(request[2])" : "", schedule: schedule(request[1]),
        payload: isPut ? "p\(request[3])" : ""
      ).perform(on: store)
    case "remove": _ = try RemovalRequest(job: "job").perform(on: store)
    case "ask": _ = try AskRequest(job: "job").perform(on: store)
    case "cancel": _ = try CancelRequest(job: "job", by: "Ann").perform(on: store)
    case "retry": _ = try RetryRequest(job: "job").perform(on: store)
    case "withdraw": _ = try WithdrawalRequest(job: "job").perform(on: store)
    default: return "no request \(request[0])"
    }
    return "-"
  }

  private func claim(on store: some RowStore) throws -> String {
    let answer = try ClaimRequest(
      session: sender, number: 5, isRepeated: false, limit: 1, lease: Self.lease, except: []
    ).perform(on: store)
    if answer.isOver { return "over" }
    if let run = answer.runs.first {
      let isAsked = run.asked == nil ? "0" : "1"
      return isPut ? "rows/\(run.handler.dropFirst())/\(run.payload.dropFirst())/\(isAsked)" : "rows"
    }
    if answer.isOld { return "then" }
    if !answer.others.isEmpty { return "others" }
    return answer.unserved.isEmpty ? "nothing" : "unserved"
  }

  private func end(on store: some RowStore) throws -> String {
    let isHeld = before.count > 8 && before[8] == "own"
    let until = isHeld ? time(before[2]) ?? now : now
    var end = RunEnd(
      token: isHeld ? Self.own : Self.asked, outcome: .done, through: until, schedule: "", missed: 0)
    if isPut {
      end.outcome = RunEnd.Outcome(rawValue: request[1]) ?? .settled
      end.next = request[2] == "14" ? nil : time(request[2])
      end.schedule = schedule(request[3])
      end.asked = ["1": Self.asked, "2": Self.asked - 1][request[4]]
    } else {
      // Whether a run that isn't the row's has ended, the model knows by itself.
      guard isHeld, let outcome = Int(request[2]) else { return reply }
      end.outcome = [.done, .done, .settled, .settled, .settled, .retried, .released][outcome]
      end.schedule = request[1]
      // The first schedule has the dates 1 and 2, the second has 1.
      let next = until.next.microseconds - origin
      end.next =
        outcome == 5 ? now.next : next <= (request[1] == "0" ? 2 : 1) ? time("\(next)") : nil
    }
    return try EndRequest([end]).perform(on: store).verdicts.first?.rawValue ?? "no verdict"
  }

  // MARK: The state after it

  private func text(_ time: StoreTime?, _ none: String) -> String {
    time.map { "\($0.microseconds - origin)" } ?? none
  }

  private func text(of schedule: String) -> String { String(schedule.suffix(1)) }

  private func text(of row: JobRow?, on rows: RowSet) throws -> String {
    guard let row else { return "none" }
    var columns = [
      text(row.from, "-"), text(row.job.nextTime, "14"), text(row.until, "-"), "\(row.attempt)",
      row.floor == .zero ? "0" : text(row.floor, "0"), text(of: row.job.schedule),
      row.rangeSchedule.map { text(of: $0) } ?? "0",
      (row.job.isPaused ? "P" : "") + (row.isRemoved ? "R" : "") + "." + text(of: row.pause),
      try holderText(row, rows),
    ]
    if isPut {
      func digit(_ text: String?) -> String { text.map { String($0.dropFirst()) } ?? "-" }
      let flags = [
        row.isLost ? "L" : "", row.cancelledBy == nil ? "" : "C", row.failedEnd == nil ? "" : "F",
        row.failedEnd?.asked == nil ? "" : "A", ".",
      ]
      columns += [
        "\(digit(row.job.handler))/\(digit(row.job.payload))",
        "\(digit(row.rangeHandler))/\(digit(row.rangePayload))", flags.joined(), "\(row.asked.count)",
      ]
    }
    return columns.joined(separator: ",")
  }

  private func holderText(_ row: JobRow, _ rows: RowSet) throws -> String {
    guard let held = row.holder else { return "free" }
    if held.session == sender { return held.number == 5 ? "this" : "own" }
    guard let session = try rows.session(holder), !session.isOver else { return "over" }
    return "left\(session.leaseEnd.microseconds - now.microseconds)"
  }

  private func pausesText(_ found: [ClusterPause]) -> String {
    ["h0", "h1", nil].map { handler in
      let pause = text(of: found.first { $0.handler == handler })
      return pause.isEmpty ? "-" : pause
    }.joined(separator: ",")
  }

  private func text(of pause: ClusterPause?) -> String {
    // The model's moment 0 is before all dates.
    guard let pause, pause.ended?.microseconds != .some(origin), pause.ended != .zero else { return "" }
    return "\(text(pause.began, "-"))/\(text(pause.ended, "-"))"
  }
}
