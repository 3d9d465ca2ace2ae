#if PostgreSQL
import Foundation
import PostgresClient

/// A job whose row is claimed and ended again and again, by a session of its own.
actor JobClaims: LoadStep {
  private struct Claim: Decodable {
    struct Run: Decodable {
      var token, until: Int64
    }
    var runs: [Run]
  }

  private let client: PostgresClient
  private let session = UUID()
  private var number = 0

  init(_ client: PostgresClient, _ number: Int) async throws {
    self.client = client
    let job = "measured \(number)"
    _ = try await call(
      "register",
      """
      {"session": "\(session)", "replica": "measure", "lease": 60000000, "serves": {"\(job)": "measured"},
        "declares": ["\(job)"]}
      """)
  }

  private func call(_ function: String, _ request: String) async throws -> String? {
    try await client.rows("SELECT timers.\(function)_2($1::text::jsonb)::text", [request])[0][0]
  }

  func perform() async throws -> Duration {
    let asked = ContinuousClock.now
    number += 1
    let claim = """
      {"session": "\(session)", "number": \(number), "isRepeated": false, "limit": 1, "lease": 60000000}
      """
    let answer = try await call("claim", claim) ?? ""
    let latency = ContinuousClock.now - asked
    guard let run = try JSONDecoder().decode(Claim.self, from: Data(answer.utf8)).runs.first else {
      throw Load.NotClaimed()
    }
    let end = """
      {"ends": [{"token": \(run.token), "outcome": "done", "date": \(run.until), "through": \(run.until),
        "next": \(run.until), "schedule": "measured", "missed": 0}]}
      """
    guard try await call("end", end)?.contains("written") == true else { throw Load.NotClaimed() }
    return latency
  }
}
#endif
