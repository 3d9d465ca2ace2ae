package import Foundation
package import PostgresClient

/// The functions of a schema, called as a store does.
package struct StoreFunctions: Sendable {
  private let client: PostgresClient
  private let prefix: String

  package init(_ client: PostgresClient, schema: String = "timers") {
    self.client = client
    prefix = "\"\(schema.replacing("\"", with: "\"\""))\"."
  }

  /// The end of a run, as a statement and as its parameters.
  package typealias Statement = (sql: String, parameters: [String?])

  private struct Claim: Decodable {
    struct Run: Decodable {
      var token, until: Int64
    }
    var runs: [Run]
  }

  private struct Renewal: Decodable {
    var tokens: [Int64]
  }

  private func call(_ function: String, _ request: String) async throws -> Data {
    let rows = try await client.rows("SELECT \(prefix)\(function)_2($1::text::jsonb)::text", [request])
    return Data((rows[0][0] ?? "").utf8)
  }

  /// Makes a session that has a job, by a schedule with the text "one".
  package func register(_ session: UUID, job: String, lease: Duration) async throws {
    _ = try await call(
      "register",
      """
      {"session": "\(session)", "replica": "test", "lease": \(Int64(lease / .microseconds(1))),
        "serves": {"\(job)": "one"}, "declares": ["\(job)"]}
      """)
  }

  /// Claims the session's job. Returns the statement that ends its run, and the run's token.
  package func claim(_ session: UUID, lease: Duration) async throws -> (end: Statement, token: Int64) {
    var number = 0
    while true {
      number += 1
      let answer = try JSONDecoder().decode(
        Claim.self,
        from: try await call(
          "claim",
          """
          {"session": "\(session)", "number": \(number), "isRepeated": false, "limit": 1,
            "lease": \(Int64(lease / .microseconds(1))), "except": []}
          """))
      // Another test's claim may have locked the session that is over, to say so.
      guard let run = answer.runs.first else { continue }
      let end = """
        {"ends": [{"token": \(run.token), "outcome": "done", "date": \(run.until), "through": \(run.until),
          "next": \(run.until), "schedule": "one", "missed": 0}]}
        """
      return (("SELECT \(prefix)end_2($1::text::jsonb) #>> '{verdicts,0}'", [end]), run.token)
    }
  }

  /// Renews a session's lease of a minute. Returns the tokens that it holds.
  package func renew(_ session: UUID) async throws -> [Int64] {
    let answer = try await call(
      "renew", "{\"session\": \"\(session)\", \"lease\": 60000000, \"givesUp\": []}")
    return try JSONDecoder().decode(Renewal.self, from: answer).tokens
  }
}
