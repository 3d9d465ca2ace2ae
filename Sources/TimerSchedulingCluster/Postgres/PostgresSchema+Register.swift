extension PostgresSchema {
  /// A session: its jobs, its lease and its end.
  static let register = """
    -- Returns the first moment of a new job. Records of later dates are of a clock that was ahead.
    CREATE FUNCTION timers.first_start_2(job_name text, moment bigint) RETURNS bigint
      LANGUAGE sql STABLE AS $f$
      SELECT greatest(moment, (SELECT max(scheduled_date) FROM timers.run
        WHERE job = job_name AND outcome IN ('done', 'failed', 'settled') AND NOT is_asked
          AND scheduled_date <= timers.now_2() + 1000000)) + 1
    $f$;

    -- Returns the first moment after those records, or NULL.
    CREATE FUNCTION timers.records_end_2(job_name text, moment bigint) RETURNS bigint
      LANGUAGE sql STABLE AS $f$
      SELECT max(scheduled_date) + 1 FROM timers.run
        WHERE job = job_name AND outcome IN ('done', 'failed', 'settled') AND NOT is_asked
          AND scheduled_date >= moment + 1000000
    $f$;

    -- Keeps rows that were to go with their runs, as those of new jobs.
    CREATE FUNCTION timers.restore_2(names text[]) RETURNS void LANGUAGE sql AS $f$
      UPDATE timers.job SET
        range_handler = CASE WHEN until IS NOT NULL THEN coalesce(range_handler, handler) END,
        is_removed = false, asked = '[]', last_pause = NULL, is_paused = false, paused_by = '', pause_reason = '', last_date = NULL,
        done_count = 0, failed_count = 0, abandoned_count = 0, missed_count = 0
        WHERE name = ANY (names) AND is_removed
    $f$;

    CREATE FUNCTION timers.is_served_2(job_name text, job_handler text, moment bigint) RETURNS boolean
      LANGUAGE sql STABLE AS $f$
      SELECT job_handler = '' AND EXISTS (
        SELECT FROM timers.session WHERE NOT is_over AND lease_end > moment AND lease_end <= timers.now_2() + lease_length AND serves ? job_name)
    $f$;

    CREATE FUNCTION timers.register_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      id_ uuid := request ->> 'session';
      lease bigint := request ->> 'lease';
      serves_ jsonb := coalesce(request -> 'serves', '{}');
      declared text[] := ARRAY(
        SELECT name FROM jsonb_array_elements_text(request -> 'declares') AS d (name) WHERE serves_ ? name);
      handlers_ text[] := ARRAY(SELECT jsonb_array_elements_text(request -> 'handlers'));
      -- The replica has had them all along, and owes the dates since another version declared its own schedule.
      resumed text[] := ARRAY(SELECT jsonb_array_elements_text(request -> 'resumes'));
      changed text[];
      locked text[];
      moment bigint := timers.now_2();
    BEGIN
      IF EXISTS (SELECT FROM timers.session WHERE id = id_ AND is_over) THEN
        RETURN jsonb_build_object('now', timers.now_2(), 'isOver', true, 'locked', '[]'::jsonb);
      END IF;

      -- The jobs come before the session: renewals don't wait while this waits for a job.
      INSERT INTO timers.job (name, schedule, start, at, ahead)
        SELECT name, serves_ ->> name, timers.first_start_2(name, moment), moment, timers.records_end_2(name, moment)
        FROM unnest(declared) AS d (name)
        WHERE NOT EXISTS (SELECT FROM timers.job WHERE job.name = d.name)
        ORDER BY name
        ON CONFLICT DO NOTHING;
      changed := ARRAY(
        SELECT name FROM timers.job
        -- A job that was put keeps its name.
        WHERE name = ANY (declared) AND (is_removed OR handler = '' AND schedule <> serves_ ->> name)
        ORDER BY name FOR NO KEY UPDATE SKIP LOCKED);
      locked := ARRAY(
        SELECT name FROM timers.job
        WHERE name = ANY (declared) AND name <> ALL (changed)
          AND (is_removed OR handler = '' AND schedule <> serves_ ->> name)
        ORDER BY name);
      moment := timers.now_2();
      UPDATE timers.job
        SET handler = '', payload = '', key = '', options = '{}', schedule = serves_ ->> name,
          at = least(at, timers.first_unknown_2(start, floor, moment))
        WHERE name = ANY (changed) AND name = ANY (resumed) AND NOT is_removed;
      UPDATE timers.job
        SET skipped = timers.skip_2(skipped, 0, greatest(floor, moment), 'scheduleChanged', '', schedule),
          range_handler = CASE WHEN is_removed AND until IS NOT NULL THEN coalesce(range_handler, handler) ELSE range_handler END,
          handler = '', payload = '', key = '', options = '{}', schedule = serves_ ->> name, floor = greatest(floor, moment),
          last_pause = CASE WHEN last_pause -> 'ended' IS NULL THEN last_pause END, at = least(at, moment)
        WHERE name = ANY (changed) AND (is_removed OR name <> ALL (resumed));
      PERFORM timers.restore_2(changed);
      -- A clock that was ahead has accounted for moments that are still to come. These jobs begin at now.
      UPDATE timers.job SET at = moment WHERE name = ANY (ARRAY(
        SELECT name FROM timers.job
        WHERE token IS NULL AND at > moment + 1000000 AND greatest(start, until + 1) > moment + 1000000
        ORDER BY name FOR NO KEY UPDATE SKIP LOCKED));

      INSERT INTO timers.session AS s (id, replica, lease_end, lease_length, handlers, serves, served_count)
        VALUES (
          id_, request ->> 'replica', timers.now_2() + lease, lease, handlers_, serves_,
          (SELECT count(*) FROM jsonb_object_keys(serves_)))
        ON CONFLICT (id) DO UPDATE SET lease_end = timers.now_2() + lease, lease_length = lease,
          handlers = excluded.handlers, serves = excluded.serves, served_count = excluded.served_count
        WHERE NOT s.is_over;
      IF NOT FOUND THEN
        -- It has just become over. What the program declares holds all the same.
        RETURN jsonb_build_object('now', timers.now_2(), 'isOver', true, 'locked', '[]'::jsonb);
      END IF;

      -- Old sessions without rows, of which no late copies of requests can come any more.
      DELETE FROM timers.session WHERE id = ANY (ARRAY(
        SELECT id FROM timers.session AS old
        WHERE lease_end < moment - 86400000000 AND id <> id_
          AND (SELECT true FROM timers.job WHERE session = old.id AND token IS NOT NULL LIMIT 1) IS NULL
        LIMIT 100 FOR UPDATE SKIP LOCKED));
      RETURN jsonb_build_object('now', timers.now_2(), 'isOver', false, 'locked', to_jsonb(locked));
    END $f$;

    -- Rows that are held aren't written, so an open transaction that ends a run isn't disturbed. A run that
    -- is given up keeps its token, as its end may still come. If its row is locked, it is being ended.
    CREATE FUNCTION timers.renew_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      id_ uuid := request ->> 'session';
      lease bigint := request ->> 'lease';
      given_up bigint[] := ARRAY(SELECT jsonb_array_elements_text(request -> 'givesUp')::bigint);
    BEGIN
      PERFORM FROM timers.session WHERE id = id_ AND NOT is_over FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RETURN jsonb_build_object('now', timers.now_2(), 'isOver', true, 'tokens', '[]'::jsonb, 'cancelled', '[]'::jsonb);
      END IF;
      UPDATE timers.session SET lease_end = timers.now_2() + lease, lease_length = lease WHERE id = id_;
      IF given_up <> '{}' THEN
        UPDATE timers.job SET session = NULL WHERE name = ANY (ARRAY(
          SELECT name FROM timers.job
          WHERE session = id_ AND token = ANY (given_up) FOR NO KEY UPDATE SKIP LOCKED));
      END IF;
      RETURN jsonb_build_object('isOver', false, 'tokens', coalesce(
        (SELECT jsonb_agg(token ORDER BY token) FROM timers.job
          WHERE session = id_ AND token IS NOT NULL), '[]'), 'cancelled', coalesce(
        (SELECT jsonb_agg(jsonb_build_object('token', token, 'by', cancelled_by) ORDER BY token)
          FROM timers.job
          WHERE session = id_ AND token IS NOT NULL AND cancelled_by IS NOT NULL), '[]'),
        'now', timers.now_2());
    END $f$;

    CREATE FUNCTION timers.close_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    BEGIN
      UPDATE timers.session SET is_over = true WHERE id = (request ->> 'session')::uuid AND NOT is_over;
      RETURN jsonb_build_object('now', timers.now_2());
    END $f$;
    """
}
