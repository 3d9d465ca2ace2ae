import Foundation
import PostgresClient

/// The table that the jobs write to: a row for each date that was done.
struct EffectTable {
  static func make(in database: PostgresClient) async throws {
    try await database.transaction { db in
      // Replicas that start together would make it twice.
      try await db.rows("SELECT pg_advisory_xact_lock(hashtext('effect'))")
      try await db.rows(
        """
        CREATE TABLE IF NOT EXISTS effect (
          job text NOT NULL,
          scheduled_at timestamptz NOT NULL,
          replica text NOT NULL,
          written_at timestamptz NOT NULL DEFAULT clock_timestamp())
        """)
    }
  }

  static func insert(job: String, date: Date, replica: String, with db: PostgresConnection) async throws {
    try await db.rows(
      "INSERT INTO effect (job, scheduled_at, replica) VALUES ($1, $2::text::timestamptz, $3)",
      [job, date.text, replica])
  }
}
