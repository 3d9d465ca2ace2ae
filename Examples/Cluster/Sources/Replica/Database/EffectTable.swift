#if PostgreSQL
import Foundation
import PostgresClient

/// The table that the jobs write to in PostgreSQL: a row for each date that was done. Beside it are those of
/// the dates that were begun, and of the tenants.
struct EffectTable {
  static func make(in database: PostgresClient) async throws {
    try await database.transaction { db in
      // Replicas that start together would create it twice.
      try await db.rows("SELECT pg_advisory_xact_lock(hashtext('effect'))")
      try await db.rows(
        """
        CREATE TABLE IF NOT EXISTS effect (
          job text NOT NULL,
          scheduled_at timestamptz NOT NULL,
          token bigint UNIQUE,
          replica text NOT NULL,
          written_at timestamptz NOT NULL DEFAULT clock_timestamp())
        """)
      try await db.rows(
        "CREATE TABLE IF NOT EXISTS beginning (job text NOT NULL, scheduled_at timestamptz NOT NULL)")
      try await db.rows("CREATE TABLE IF NOT EXISTS tenant (name text PRIMARY KEY, payload text NOT NULL)")
    }
  }

  /// Writes that a date was begun.
  static func insertBeginning(job: String, date: Date, with db: PostgresConnection) async throws {
    try await db.rows("INSERT INTO beginning VALUES ($1, $2::text::timestamptz)", [job, date.text])
  }

  /// Writes the effect of a run.
  ///
  /// If the answer to a commit is lost, the run tries again, and finds the row that its token has written.
  static func insert(
    job: String, date: Date, token: Int64?, replica: String, with db: PostgresConnection
  ) async throws {
    try await db.rows(
      """
      INSERT INTO effect (job, scheduled_at, token, replica) VALUES ($1, $2::text::timestamptz, $3::text::bigint, $4) \
      ON CONFLICT (token) DO NOTHING
      """,
      [job, date.text, token.map { "\($0)" }, replica])
  }
}
#endif
