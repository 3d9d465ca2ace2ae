/// The schema of a database.
///
/// Functions have the version of their contract in their names. A later version of the package adds functions
/// and columns, and changes none that programs of an earlier version use, so replicas of two versions run
/// side by side. The schema's comment contains its version and the oldest program version it supports.
///
/// The SQL says `timers.` and `SCHEMA timers` for the schema, whatever its name is. Each part is one literal,
/// which `Examples/Cluster/Harness/schema.py` reads from these files. A file that SwiftPM embeds would take
/// 14 s of processor time in each build.
enum PostgresSchema {
  /// The schema version that this program needs.
  static let version = 3

  /// Returns SQL with the schema's name in place of `timers`.
  static func named(_ schema: String, _ sql: String) -> String {
    let name = "\"\(schema.replacing("\"", with: "\"\""))\""
    return sql.replacing("SCHEMA timers", with: "SCHEMA \(name)").replacing("timers.", with: "\(name).")
  }

  /// The statement that makes the schema. If the schema is there, it has no effect. Replicas may run it
  /// concurrently.
  static let versionThree = [opening, tables, register, take, claim, end, operators, queries, closing]
    .joined(separator: "\n")

  /// A query for the schema's comment, which is NULL if there is no such schema.
  static let comment = """
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
      COMMENT ON SCHEMA timers IS 'TimerScheduling 3, for programs since 3';

    """

  /// A session makes its plans when the tables are small, and keeps them until there are new statistics. With
  /// these settings, plans read rows by indexes, and stay fast while the tables grow.
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
