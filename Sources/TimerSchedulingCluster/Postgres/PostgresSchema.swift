/// The schema of a database, as migrations that run once each, in order.
///
/// Functions have the version of their contract in their names. A later version of the package adds functions
/// and columns, and changes none that programs of an earlier version use, so replicas of two versions run
/// side by side. The schema's comment contains its version and the oldest program version it supports.
///
/// The SQL says `timers.` and `SCHEMA timers` for the schema, whatever its name is. Each part is one literal,
/// which `Examples/Cluster/Harness/schema.py` reads from these files. A file that SwiftPM embeds would take 14 s of
/// processor time in each build.
enum PostgresSchema {
  /// The schema version that this program needs.
  static let version = 2

  /// Returns statements to run in order, one for each migration.
  ///
  /// Running one again has no effect. Replicas may run them concurrently. Under an isolation stricter than
  /// READ COMMITTED, one that waited for another then fails, although the schema is there.
  static func migrations(schema: String) -> [String] {
    [named(schema, versionTwo.joined(separator: "\n"))]
  }

  /// Returns a query for the schema's comment, which is NULL if there is no such schema.
  static func commentQuery(schema: String) -> String { named(schema, comment) }

  /// Throws if a schema with this comment doesn't support the program.
  static func check(comment: String?, schema: String) throws(ClusterError) {
    // "TimerScheduling 2, for programs since 2"
    let numbers = (comment ?? "").split { !$0.isNumber }.compactMap { Int($0) }
    guard comment?.hasPrefix("TimerScheduling ") == true, numbers.count == 2, numbers[0] >= version else {
      throw .schemaMissing(schema: schema)
    }
    if numbers[1] > version { throw .schemaNewer(schema: schema, found: numbers[1], supported: version) }
  }

  /// Whether a schema can have a name, which in the SQL is within literals, too, and mustn't contain what is replaced.
  static func isName(_ name: String) -> Bool {
    1...63 ~= name.utf8.count && !name.contains { "$'.\0".contains($0) }
  }

  /// Returns SQL with the schema's name in place of `timers`.
  static func named(_ schema: String, _ sql: String) -> String {
    let name = "\"\(schema.replacing("\"", with: "\"\""))\""
    return sql.replacing("SCHEMA timers", with: "SCHEMA \(name)").replacing("timers.", with: "\(name).")
  }

  private static let versionTwo = [
    opening, tables, register, sessions, judge, take, claim, outlook, end,
    operators, queries, history, closing,
  ]

  private static let comment = """
    SELECT obj_description(
      (SELECT oid FROM pg_namespace WHERE nspname = (parse_ident('timers.token'))[1]), 'pg_namespace')
    """

  private static let opening = """
    DO $migration$ BEGIN
      PERFORM pg_advisory_xact_lock(7310578293);
      IF obj_description(
        (SELECT oid FROM pg_namespace WHERE nspname = (parse_ident('timers.token'))[1]), 'pg_namespace'
      ) LIKE 'TimerScheduling %' THEN
        RETURN;
      END IF;
      CREATE SCHEMA timers;
      COMMENT ON SCHEMA timers IS 'TimerScheduling 2, for programs since 2';

    """

  /// A session makes its plans when the tables are small, and keeps them until there are new statistics. With these
  /// settings, plans read rows by indexes, and stay fast while the tables grow.
  private static let closing = """
      DECLARE
        one regprocedure;
      BEGIN
        FOR one IN SELECT oid FROM pg_proc
          WHERE pronamespace = (SELECT pronamespace FROM pg_proc WHERE oid = 'timers.now_2()'::regprocedure)
            AND proargnames = '{request}' AND prorettype = 'jsonb'::regtype
        LOOP
          EXECUTE format(
            'ALTER FUNCTION %s SET seq_page_cost = 1000 SET enable_hashjoin = off'
            ' SET enable_mergejoin = off SET jit = off', one);
        END LOOP;
      END;
    END $migration$
    """
}
