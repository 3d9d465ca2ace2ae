import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Jobs whose runs were abandoned more than once, each of which may have ended its process.
extension TimerStoreContract {
  func checkSuspects() async throws {
    let handler = "suspects \(UUID())"
    try await put([nil, nil, nil], of: handler)
    for attempt in 1...2 {
      let session = UUID()
      try await register(handlers: [handler], session)
      let runs = try await claim(session, 1).runs
      try expect(runs.count == 3, "All rows are claimed whose runs were abandoned once at most.")
      try expect(runs.allSatisfy { $0.attempt == attempt }, "An abandoned attempt counts.")
      try await store.close(session: session)
    }
    let (one, other) = (UUID(), UUID())
    for session in [one, other] { try await register(handlers: [handler], session) }
    let first = try await claim(one, 1)
    try expect(
      first.runs.map(\.attempt) == [3],
      "Of rows whose runs were abandoned twice, a session has one at a time.")
    try await checkWait(one, 2)
    let second = try await claim(other, 1)
    try expect(
      second.runs.count == 1 && second.runs[0].job != first.runs.first?.job,
      "Each session has one row whose runs were abandoned twice.")
    try await checkWait(other, 2)
    try await end(first.runs)
    let last = try await claim(one, 3)
    try expect(last.runs.count == 1, "The end of such a run lets the session have another one.")
    try await end(second.runs + last.runs)
    for session in [one, other] { try await store.close(session: session) }
  }

  /// Checks a claim of a session that has such a row already.
  private func checkWait(_ session: UUID, _ number: Int64) async throws {
    let answer = try await claim(session, number)
    try expect(answer.runs.isEmpty, "A session with a row whose runs were abandoned twice has no other.")
    try expect(
      answer.locked.isEmpty && answer.next.map { $0 > answer.now } ?? true,
      "Such rows aren't locked, and wait for the session's run.")
  }
}
