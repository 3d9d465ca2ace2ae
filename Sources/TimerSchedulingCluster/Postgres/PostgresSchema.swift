/// The schema `timers` of a database, as migrations that run once each, in order.
///
/// Functions have the version of their contract in their names. A later version of the package adds functions and
/// columns, and changes none that programs of an earlier version use, so replicas of two versions run side by side.
/// The schema's comment contains its version and the oldest program version it supports.
enum PostgresSchema {
  /// The schema version that this program needs.
  static let version = 1

  /// Statements to run in order, one for each migration. Running one again has no effect. Replicas may run them
  /// concurrently.
  static let migrations = [versionOne]

  /// A query for the schema's comment, which is NULL if there is no such schema.
  static let commentQuery = "SELECT obj_description(to_regnamespace('timers')::oid, 'pg_namespace')"

  /// Throws if a schema with this comment doesn't support the program.
  static func check(comment: String?) throws(ClusterError) {
    // "TimerScheduling 1, for programs since 1"
    let numbers = (comment ?? "").split { !$0.isNumber }.compactMap { Int($0) }
    guard comment?.hasPrefix("TimerScheduling ") == true, numbers.count == 2, numbers[0] >= version else {
      throw .schemaMissing
    }
    if numbers[1] > version { throw .schemaNewer(found: numbers[1], supported: version) }
  }

  private static let versionOne = """
    DO $migration$ BEGIN
      PERFORM pg_advisory_xact_lock(7310578293);
      IF obj_description(to_regnamespace('timers')::oid, 'pg_namespace') LIKE 'TimerScheduling %' THEN
        RETURN;
      END IF;
      CREATE SCHEMA timers;
      COMMENT ON SCHEMA timers IS 'TimerScheduling 1, for programs since 1';

      CREATE SEQUENCE timers.token;

      CREATE TABLE timers.job (
        name text PRIMARY KEY,
        fingerprint text NOT NULL,
        known_since timestamptz NOT NULL,
        last_date timestamptz NOT NULL,
        next_date timestamptz,
        is_paused boolean NOT NULL DEFAULT false,
        done_count bigint NOT NULL DEFAULT 0,
        failed_count bigint NOT NULL DEFAULT 0,
        abandoned_count bigint NOT NULL DEFAULT 0,
        missed_count bigint NOT NULL DEFAULT 0,
        token bigint,
        claim uuid,
        scheduled_date timestamptz,
        attempt integer,
        missed bigint,
        replica text,
        began timestamptz,
        lease_end timestamptz
      );
      COMMENT ON COLUMN timers.job.last_date IS 'The cursor: the last date that was claimed. It only grows.';
      COMMENT ON COLUMN timers.job.token IS 'Of the run under way, as are the columns that follow. NULL without a run.';

      CREATE TABLE timers.run (
        token bigint PRIMARY KEY,
        job text NOT NULL,
        scheduled_date timestamptz NOT NULL,
        attempt integer NOT NULL,
        missed bigint NOT NULL,
        replica text NOT NULL,
        began timestamptz NOT NULL,
        ended timestamptz,
        outcome text NOT NULL DEFAULT 'running',
        failure text
      );
      CREATE INDEX run_job_token ON timers.run (job, token);
      -- The cursor ensures this, and the index checks it once more.
      CREATE UNIQUE INDEX run_once ON timers.run (job, scheduled_date) WHERE outcome <> 'abandoned';

      CREATE FUNCTION timers.microseconds(t timestamptz) RETURNS bigint LANGUAGE sql STABLE AS
        $f$ SELECT (extract(epoch FROM t)::numeric * 1000000)::bigint $f$;
      CREATE FUNCTION timers.moment(microseconds bigint) RETURNS timestamptz LANGUAGE sql STABLE AS
        $f$ SELECT timestamptz '1970-01-01 00:00:00+00' + microseconds * interval '1 microsecond' $f$;

      CREATE FUNCTION timers.register_1(
        p_job text, p_fingerprint text, OUT last_us bigint, OUT since_us bigint, OUT now_us bigint
      ) LANGUAGE plpgsql AS $f$
      DECLARE t timestamptz := clock_timestamp();
      BEGIN
        INSERT INTO timers.job (name, fingerprint, known_since, last_date) VALUES (p_job, p_fingerprint, t, t)
          ON CONFLICT DO NOTHING;
        UPDATE timers.job SET fingerprint = p_fingerprint, known_since = t
          WHERE name = p_job AND fingerprint <> p_fingerprint;
        SELECT timers.microseconds(last_date), timers.microseconds(known_since) INTO last_us, since_us
          FROM timers.job WHERE name = p_job;
        now_us := timers.microseconds(clock_timestamp());
      END $f$;

      CREATE FUNCTION timers.claim_1(
        p_id uuid, p_job text, p_cursor bigint, p_date bigint, p_following bigint, p_missed bigint, p_replica text,
        p_lease bigint, p_attempts integer,
        OUT verdict text, OUT date_us bigint, OUT run_token bigint, OUT run_attempt integer, OUT run_missed bigint,
        OUT until_us bigint, OUT now_us bigint
      ) LANGUAGE plpgsql AS $f$
      DECLARE
        j timers.job;
        t timestamptz;
        d timestamptz := timers.moment(p_date);
        lease interval := p_lease * interval '1 microsecond';
        is_abandoned boolean := false;
      BEGIN
        -- A claim never waits for a lock, as a stopped process may hold it.
        SELECT * INTO j FROM timers.job WHERE name = p_job FOR NO KEY UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
          verdict := CASE WHEN EXISTS (SELECT FROM timers.job WHERE name = p_job) THEN 'contended' ELSE 'unknown' END;
          now_us := timers.microseconds(clock_timestamp());
          RETURN;
        END IF;
        t := clock_timestamp();
        now_us := timers.microseconds(t);

        IF j.token IS NOT NULL AND j.claim = p_id THEN
          -- The answer to this claim was lost.
          UPDATE timers.job SET lease_end = t + lease WHERE name = p_job;
          verdict := 'claimed'; date_us := timers.microseconds(j.scheduled_date); run_token := j.token;
          run_attempt := j.attempt; run_missed := j.missed;
          RETURN;
        END IF;
        IF j.token IS NOT NULL AND j.lease_end > t THEN
          verdict := 'busy'; date_us := timers.microseconds(j.last_date);
          until_us := timers.microseconds(j.lease_end);
          RETURN;
        END IF;
        IF j.is_paused THEN verdict := 'paused'; RETURN; END IF;

        IF j.token IS NOT NULL THEN
          is_abandoned := true;
          UPDATE timers.run SET outcome = 'abandoned', ended = t WHERE token = j.token;
          UPDATE timers.job SET token = NULL, claim = NULL, abandoned_count = abandoned_count + 1 WHERE name = p_job;
        END IF;

        IF is_abandoned AND j.attempt < p_attempts THEN
          d := j.scheduled_date; run_attempt := j.attempt + 1; run_missed := j.missed;
        ELSIF timers.microseconds(j.last_date) <> p_cursor THEN
          verdict := 'moved'; date_us := timers.microseconds(j.last_date);
          RETURN;
        ELSIF d > t THEN
          verdict := 'early';
          UPDATE timers.job SET next_date = d WHERE name = p_job AND next_date IS DISTINCT FROM d;
          RETURN;
        ELSE
          run_attempt := 1; run_missed := p_missed;
          UPDATE timers.job SET last_date = d, next_date = timers.moment(p_following),
            missed_count = missed_count + p_missed WHERE name = p_job;
        END IF;

        verdict := 'claimed'; date_us := timers.microseconds(d); run_token := nextval('timers.token');
        UPDATE timers.job SET token = run_token, claim = p_id, scheduled_date = d, attempt = run_attempt,
          missed = run_missed, replica = p_replica, began = t, lease_end = t + lease WHERE name = p_job;
        INSERT INTO timers.run (token, job, scheduled_date, attempt, missed, replica, began)
          VALUES (run_token, p_job, d, run_attempt, run_missed, p_replica, t);
      END $f$;

      -- A row that is locked is in the transaction that ends its run. It isn't waited for, and counts as held.
      CREATE FUNCTION timers.renew_1(p_tokens bigint[], p_lease bigint, OUT tokens text, OUT now_us bigint)
      LANGUAGE plpgsql AS $f$
      DECLARE t timestamptz := clock_timestamp();
      BEGIN
        UPDATE timers.job SET lease_end = t + p_lease * interval '1 microsecond' WHERE name IN
          (SELECT name FROM timers.job WHERE token = ANY (p_tokens) FOR NO KEY UPDATE SKIP LOCKED);
        SELECT string_agg(token::text, ',') INTO tokens FROM timers.job WHERE token = ANY (p_tokens);
        now_us := timers.microseconds(clock_timestamp());
      END $f$;

      -- 'ended', or 'over' if the run has ended before, as when a transaction is made again whose commit wasn't answered,
      -- or 'lost' if the run was taken over.
      CREATE FUNCTION timers.end_1(p_job text, p_token bigint, p_failure text) RETURNS text
      LANGUAGE plpgsql AS $f$
      BEGIN
        UPDATE timers.job SET token = NULL, claim = NULL,
          done_count = done_count + (p_failure IS NULL)::integer,
          failed_count = failed_count + (p_failure IS NOT NULL)::integer
          WHERE name = p_job AND token = p_token;
        IF NOT FOUND THEN
          RETURN CASE WHEN EXISTS (SELECT FROM timers.run WHERE token = p_token AND outcome IN ('done', 'failed'))
            THEN 'over' ELSE 'lost' END;
        END IF;
        UPDATE timers.run SET outcome = CASE WHEN p_failure IS NULL THEN 'done' ELSE 'failed' END,
          failure = p_failure, ended = clock_timestamp() WHERE token = p_token;
        RETURN 'ended';
      END $f$;

      CREATE FUNCTION timers.finish_1(p_job text, p_token bigint, p_failure text) RETURNS boolean LANGUAGE sql AS
        $f$ SELECT timers.end_1(p_job, p_token, p_failure) <> 'lost' $f$;

      CREATE FUNCTION timers.pause_1(p_job text, p_is_paused boolean) RETURNS boolean LANGUAGE plpgsql AS $f$
      BEGIN
        UPDATE timers.job SET is_paused = p_is_paused, last_date =
          CASE WHEN is_paused AND NOT p_is_paused THEN greatest(last_date, clock_timestamp()) ELSE last_date END
          WHERE name = p_job;
        RETURN FOUND;
      END $f$;
    END $migration$
    """
}
