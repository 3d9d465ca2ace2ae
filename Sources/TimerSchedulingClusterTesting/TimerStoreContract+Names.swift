import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Names that a program and jobs that are put have in common.
extension TimerStoreContract {
  func checkNames() async throws {
    let (name, session) = ("Names \(UUID())", UUID())
    try await registerProgram(of: name, session)
    try expect(
      try await putAnswer(name).served == name, "A job that a live replica's program serves isn't replaced.")
    let refused = try await store.answer(RemovalRequest(job: name))
    try expect(
      refused.found && refused.isServed, "A job that a live replica's program serves isn't removed.")
    let kept = try await store.jobs(matching: name).first
    try expect(
      kept?.handler == "" && kept?.schedule == "program",
      "A put or a removal that is refused changes nothing.")
    try await checkMany(name)
    try await store.close(session: session)
    try expect(
      try await putAnswer(name).served == nil, "A job whose program has no live replica may be replaced.")
    try await checkTakenName(name)
  }

  /// Checks jobs that are put together: all, or none if a program has one of them.
  private func checkMany(_ served: String) async throws {
    let names = (0..<3).map { "Many \($0) \(UUID())" }
    try await put(names[1], schedule: "old", payload: "old")
    func request(_ names: [String]) -> PutRequest {
      var request = PutRequest(job: names[0], handler: handler, schedule: "one", payload: "new")
      for name in names.dropFirst() {
        request.jobs += PutRequest(job: name, handler: handler, schedule: "one", payload: "new").jobs
      }
      return request
    }
    let refused = try await store.answer(request(names.reversed() + [served]))
    let before = try await store.jobs(matching: "Many ").filter { names.contains($0.name) }
    try expect(
      refused.served == served && before.map(\.payload) == ["old"],
      "If a program has one of the jobs that are put together, none is put.")
    try expect(try await store.answer(request(names.reversed())).served == nil, "Jobs are put together.")
    let after = try await store.jobs(matching: "Many ").filter { names.contains($0.name) }
    try expect(
      after.map(\.name) == names && after.allSatisfy { $0.payload == "new" && $0.schedule == "one" },
      "Of jobs that are put together, each is new or changed.")
    for name in names { _ = try await store.answer(RemovalRequest(job: name)) }
  }

  /// Checks a program whose job's name has a job that was put.
  private func checkTakenName(_ name: String) async throws {
    let session = UUID()
    try await registerProgram(of: name, session)
    let taken = try await claim(session, 1)
    try expect(
      taken.put == [name] && taken.others.isEmpty && taken.unserved.isEmpty && taken.runs.isEmpty,
      "A claim names the jobs of its program whose names have jobs that were put.")
    try expect(
      try await store.jobs(matching: name).first?.handler == handler,
      "A job that was put isn't taken by a program.")
    try expect(taken.missing.isEmpty, "A job that has a row isn't missing.")
    let removed = try await store.answer(RemovalRequest(job: name))
    try expect(
      removed.found && !removed.isServed, "A job that was put is removed, although a program has its name.")
    let missing = try await claim(session, 2)
    try expect(
      missing.missing == [name] && missing.put.isEmpty, "A claim names the jobs of its program without a row."
    )
    try await registerProgram(of: name, session)
    try expect(
      try await claim(session, 3).runs.map(\.job) == [name], "A job that is declared again is due at once.")
    try await store.close(session: session)
    _ = try await store.answer(RemovalRequest(job: name))
    let last = UUID()
    try await register(handlers: [], last)
    _ = try await claim(last, 1)
    try expect(try await store.jobs(matching: name).isEmpty, "A removed job goes with its abandoned run.")
    try await store.close(session: last)
  }

  private func registerProgram(of name: String, _ session: UUID) async throws {
    _ = try await store.answer(
      SessionRegistration(
        session: session, replica: "replica \(session)", lease: lease.wholeMicroseconds,
        serves: [name: "program"], declares: [name]))
  }

  private func putAnswer(_ name: String) async throws -> PutRequest.Answer {
    try await store.answer(PutRequest(job: name, handler: handler, schedule: "one"))
  }
}
