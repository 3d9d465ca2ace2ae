import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Jobs that are put.
extension TimerStoreContract {
  func checkPut() async throws {
    let (name, session) = ("Put É \(UUID())", UUID())
    try await put(name, schedule: "one", payload: "first")
    try await register(handlers: [handler], session)
    let other = UUID()
    try await register(other, isDeclared: false)
    let unhandled = try await claim(other, 1)
    try expect(
      !unhandled.runs.contains { $0.job == name }, "A job that was put is left to replicas with its handler.")
    try expect(!unhandled.unhandled.contains(handler), "A handler that a replica has is handled.")
    let unwanted = try await claim(session, 1, except: [name])
    try expect(
      unwanted.runs.isEmpty && unwanted.next == nil,
      "A job that was put and that the replica doesn't want isn't claimed.")
    let unwantedHandler = try await claim(session, 1, exceptHandlers: [handler])
    try expect(
      unwantedHandler.runs.isEmpty && unwantedHandler.next == nil
        && !unwantedHandler.unhandled.contains(handler),
      "The jobs of a handler that the replica doesn't want now aren't claimed.")
    try await checkRooms()
    try await checkShares()
    let run = try unwrap(
      try await claim(session, 1).runs.first { $0.job == name }, "A job that was put is due at once.")
    try expect(
      run.handler == handler && run.payload == "first" && run.schedule == "one" && run.attempt == 1,
      "A claim brings the handler, the payload and the schedule of a job that was put.")
    let again = try await claim(session, 1, isRepeated: true)
    try expect(again.runs == [run], "A repeated claim brings the same of a job that was put.")
    try await put(name, schedule: "one", payload: "second")
    var end = end(of: run, .done)
    end.next = run.until
    _ = try await store.end([end])
    let second = try unwrap(
      try await claim(session, 2).runs.first, "A job that was put during its run is due at its next date.")
    try expect(
      second.payload == "second" && second.from == run.until.next,
      "A job that is put again with its schedule gets the payload, and owes what it did.")
    try await checkChangedPut(of: second, by: session)
    try await store.close(session: session)
    try expect(
      try await claim(other, 2).unhandled.contains(handler), "A handler that no replica has is unhandled.")
    try await checkRemoval(name)
    try await store.close(session: other)
  }

  /// Checks that a claim brings no more rows of a handler than there is room for, whether they are free or
  /// were given up.
  private func checkRooms() async throws {
    let id = UUID()
    let (handler, names) = ("Rooms \(id)", (0..<3).map { "Rooms \($0) \(id)" })
    let (first, second) = (UUID(), UUID())
    for name in names { try await put(name, schedule: "one", handler: handler) }
    try await register(handlers: [handler], first)
    let runs = try await claim(first, 1, rooms: [handler: 2]).runs
    try expect(
      runs.map(\.job) == Array(names.prefix(2)), "A claim brings as many jobs of a handler as have room.")
    try await register(handlers: [handler], second)
    try await store.close(session: first)
    for (first, page) in [(0, [names[1], names[2]]), (1, [names[2]]), (2, [])] {
      let found = try await store.jobs(matching: "\(id)", after: names[first], limit: 2)
      try expect(found.map(\.name) == page, "A page of jobs begins after a name, in the order of names.")
    }
    let abandoned = try await claim(second, 1, rooms: [handler: 1]).runs
    try expect(
      abandoned.count == 1, "A claim brings abandoned jobs of a handler only as far as they have room.")
    for name in names { _ = try await store.answer(RemovalRequest(job: name)) }
    try await store.close(session: second)
  }

  /// Checks that a backlog of one handler leaves room in a claim for other handlers, and for the program's
  /// own jobs.
  private func checkShares() async throws {
    let (busy, other, own, session) = ("Busy \(UUID())", "Other \(UUID())", "Own \(UUID())", UUID())
    let names = (0..<5).map { "Share \($0) \(UUID())" }
    for name in names.reversed() {
      let handler = name == names[4] ? other : busy
      _ = try await store.answer(PutRequest(job: name, handler: handler, date: StoreTime(microseconds: 1)))
    }
    _ = try await store.answer(
      SessionRegistration(
        session: session, replica: "replica \(session)", lease: lease.wholeMicroseconds, serves: [own: "one"],
        declares: [own], handlers: [busy, other]))
    let claimed = try await claim(session, 1, limit: 5).runs.map(\.job)
    let rest = try await claim(session, 2, limit: 5).runs.map(\.job)
    try expect(
      claimed == names[..<3] + [names[4], own] && rest == [names[3]],
      "Each handler, and the program's jobs as one, have a share of a claim, by name of one moment's jobs.")
    for name in names + [own] { _ = try await store.answer(RemovalRequest(job: name)) }
    try await store.close(session: session)
  }

  /// Registers a session with handlers. Returns the store's time.
  @discardableResult
  func register(handlers: [String], _ session: UUID) async throws -> StoreTime {
    try await store.answer(
      SessionRegistration(
        session: session, replica: "replica \(session)", lease: lease.wholeMicroseconds, serves: [:],
        declares: [], handlers: handlers)
    ).now
  }

  /// Checks a change of the schedule while a run is under way.
  private func checkChangedPut(of run: ClaimedRun, by session: UUID) async throws {
    try await pass(.milliseconds(10))
    try await put(run.job, schedule: "two", payload: "third")
    _ = try await store.end([end(of: run, .done)])
    let third = try unwrap(
      try await claim(session, 3).runs.first,
      "A job with a schedule that was put during its run is due at once.")
    try expect(
      third.schedule == "two" && third.from > run.until + .milliseconds(5),
      "A schedule that was put isn't run for dates before.")
    var end = end(of: third, .done)
    (end.schedule, end.next) = ("two", third.until)
    _ = try await store.end([end])
  }

  private func checkRemoval(_ name: String) async throws {
    let found = try await store.jobs(matching: name.replacing("Put", with: "pUT"), limit: 2)
    try expect(
      found.map(\.name) == [name],
      "Jobs are found by a part of their names, whose case of A to Z doesn't matter.")
    try expect(
      try await store.jobs(matching: name.replacing("É", with: "é")).isEmpty,
      "The case of other letters of names matters.")
    try expect(
      found[0].handler == handler && found[0].payload == "third" && found[0].schedule == "two",
      "A job that was put is shown.")
    try expect(
      try await store.jobs(matching: name, limit: 0).isEmpty, "A list has no more jobs than its limit.")
    try expect(try await store.answer(RemovalRequest(job: name)).found, "A job is removed.")
    try expect(try await !store.answer(RemovalRequest(job: name)).found, "A removed job isn't removed again.")
    try expect(try await store.jobs(matching: name).isEmpty, "A removed job isn't shown.")
    let session = UUID()
    try await put(name, schedule: "one", payload: "")
    try await register(handlers: [handler], session)
    let run = try unwrap(
      try await claim(session, 1).runs.first { $0.job == name },
      "A removed job that is put again is due at once.")
    try expect(try await store.answer(RemovalRequest(job: name)).found, "A job is removed during its run.")
    try expect(
      try await store.jobs(matching: name).isEmpty, "A job that was removed during its run isn't shown.")
    try expect(
      try await store.end([end(of: run, .done)]).verdicts == [.written],
      "The run of a removed job ends as any other.")
    try expect(try await claim(session, 2).runs.isEmpty, "A removed job isn't run.")
    try await checkReturn(name, by: session)
    try await store.close(session: session)
    _ = try await store.answer(RemovalRequest(job: name))
  }

  /// Checks jobs that come back while a run of the removed one is under way.
  private func checkReturn(_ name: String, by session: UUID) async throws {
    try await put(name, schedule: "one", payload: "")
    for (number, isPut) in [(3, true), (4, false)] {
      let run = try unwrap(
        try await claim(session, Int64(number)).runs.first { $0.job == name }, "A job that is back is due.")
      try expect(run.asked == nil, "Requested ranges go with a removed job.")
      _ = try await store.answer(AskRequest(job: name))
      _ = try await pause(name, true, by: "ann", reason: "a repair")
      _ = try await store.answer(RemovalRequest(job: name))
      if isPut {
        try await put(name, schedule: "one", payload: "")
      } else {
        _ = try await store.answer(
          SessionRegistration(
            session: session, replica: "replica \(session)", lease: lease.wholeMicroseconds,
            serves: [name: "two"], declares: [name]))
      }
      let job = try unwrap(
        try await store.jobs(matching: name).first, "A removed job is back when it is put or declared.")
      try expect(
        !job.isPaused && job.pausedBy.isEmpty && job.pauseReason.isEmpty && job.doneCount == 0
          && job.run?.token == run.token,
        "A job that is put again has only the run of the removed job.")
      let again = try await claim(session, Int64(number), isRepeated: true)
      try expect(again.runs.first == run, "The run of a removed job keeps its handler and its payload.")
      var end = end(of: run, .done)
      end.next = run.until
      _ = try await store.end([end])
    }
    let last = try unwrap(try await claim(session, 5).runs.first, "A job that was declared is due.")
    try expect(last.schedule == "two" && last.asked == nil, "A job that was declared has its schedule.")
    _ = try await store.end([end(of: last, .done)])
  }

  func put(_ name: String, schedule: String, payload: String = "", handler: String? = nil) async throws {
    _ = try await store.answer(
      PutRequest(job: name, handler: handler ?? self.handler, schedule: schedule, payload: payload))
  }

  func pause(_ job: String, _ isPaused: Bool, by person: String = "", reason: String = "") async throws
    -> Bool
  {
    try await store.answer(PauseRequest(job: job, isPaused: isPaused, by: person, reason: reason)).found
  }
}
