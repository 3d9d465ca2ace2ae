#if PostgreSQL
import PostgresClient

/// Two updates of a row, each with a commit, as a claim and its end have.
struct PlainUpdates: LoadStep {
  private let client: PostgresClient
  private let number: Int

  init(_ client: PostgresClient, _ number: Int) {
    (self.client, self.number) = (client, number)
  }

  static func makeTable(_ count: Int, in client: PostgresClient) async throws {
    try await client.rows("CREATE TABLE IF NOT EXISTS plain (id int PRIMARY KEY, n int NOT NULL)")
    try await client.rows(
      "INSERT INTO plain SELECT id, 0 FROM generate_series(0, $1::int) id ON CONFLICT DO NOTHING",
      ["\(count)"])
  }

  func perform() async throws -> Duration {
    let asked = ContinuousClock.now
    for _ in 0..<2 { try await client.rows("UPDATE plain SET n = n + 1 WHERE id = $1::int", ["\(number)"]) }
    return ContinuousClock.now - asked
  }
}
#endif
