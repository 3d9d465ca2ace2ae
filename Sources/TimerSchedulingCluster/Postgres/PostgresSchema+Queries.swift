extension PostgresSchema {
  /// The jobs, and the records of runs.
  static let queries = """
    CREATE FUNCTION timers.state_2(job timers.job, moment bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
      SELECT CASE
        WHEN job.token IS NOT NULL THEN 'running'
        WHEN job.is_paused THEN 'paused'
        WHEN job.handler <> '' AND job.at IS NULL THEN 'failed'
        WHEN job.at <= moment THEN 'due'
        WHEN job.until IS NOT NULL AND job.failed_end IS NOT NULL AND job.at IS NOT NULL THEN 'retrying'
        ELSE 'waiting' END
    $f$;

    -- Each part is a look at an index of its own. Of the jobs that wait, only those that are due are read.
    CREATE FUNCTION timers.backlogs_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint := timers.now_2();
    BEGIN
      RETURN jsonb_build_object('now', moment, 'backlogs', (
        WITH RECURSIVE known (one) AS (
          SELECT min(handler) FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler <> ''
          UNION ALL SELECT (
              SELECT min(handler) FROM timers.job
              WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler > one)
            FROM known WHERE one IS NOT NULL)
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'handler', handler, 'due', due, 'oldest', oldest, 'running', least(running, 10000),
            'retrying', least(retrying, 10000), 'failed', least(failed, 10000), 'isPaused', EXISTS (
              SELECT FROM timers.pause WHERE ended IS NULL AND pause.handler IN ('', backlog.handler))
          ) ORDER BY handler), '[]')
        FROM (
          SELECT handler, sum(due) AS due, min(oldest) AS oldest, sum(running) AS running, sum(retrying) AS retrying,
            sum(failed) AS failed
          FROM (
            SELECT one AS handler, count(*) AS due, min(at) AS oldest, 0 AS running, 0 AS retrying, 0 AS failed
              FROM known CROSS JOIN LATERAL (
                SELECT at FROM timers.job
                WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = one AND at <= moment
                ORDER BY at LIMIT 10000) AS first GROUP BY one
            UNION ALL SELECT handler, 0, NULL, count(*), 0, 0 FROM timers.job
              WHERE token IS NOT NULL AND handler <> '' AND NOT is_removed GROUP BY handler
            UNION ALL SELECT handler, 0, NULL, 0, count(*), 0 FROM timers.job
              WHERE token IS NULL AND NOT is_paused AND handler <> '' AND failed_end IS NOT NULL AND until IS NOT NULL
                AND at > moment GROUP BY handler
            UNION ALL SELECT handler, 0, NULL, 0, 0, count(*) FROM timers.job
              WHERE token IS NULL AND NOT is_paused AND handler <> '' AND at IS NULL GROUP BY handler
          ) AS parts GROUP BY handler) AS backlog));
    END $f$;

    CREATE FUNCTION timers.jobs_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint := timers.now_2();
      part text := coalesce(request ->> 'matching', '');
      after text := coalesce(request ->> 'after', '');
      most bigint := request ->> 'limit';
      of_handler text := request ->> 'handler';
      in_state text := request ->> 'state';
    BEGIN
      RETURN jsonb_build_object('now', moment, 'jobs', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'name', name, 'handler', handler, 'schedule', job.schedule, 'payload', payload, 'key', nullif(key, ''), 'lastDate', last_date, 'nextDate', at, 'isDue', coalesce(at <= moment, false), 'isPaused', is_paused,
            'pausedBy', paused_by, 'pauseReason', pause_reason, 'asked', asked,
            'retry', CASE WHEN job.token IS NULL AND until IS NOT NULL AND failed_end IS NOT NULL AND at IS NOT NULL
              THEN jsonb_build_object(
                'attempt', job.attempt + 1, 'date', at, 'failure', coalesce(failed_end ->> 'failure', '')) END,
            'done', done_count, 'failed', failed_count, 'abandoned', abandoned_count, 'missed', missed_count,
            'run', CASE WHEN job.token IS NOT NULL THEN jsonb_build_object(
              'replica', coalesce(run.replica, session.replica), 'date', scheduled_date, 'token', job.token,
              'attempt', job.attempt, 'began', began,
              'leaseLeft', CASE WHEN is_over IS FALSE THEN lease_end - moment ELSE 0 END) END
          ) ORDER BY name)
        FROM (
          SELECT * FROM timers.job
          WHERE name > after AND NOT is_removed AND position(lower(part COLLATE "C") IN lower(name)) > 0
            AND (of_handler IS NULL OR handler = of_handler)
            AND (in_state IS NULL OR timers.state_2(job, moment) = in_state)
          ORDER BY name LIMIT most) AS job
          LEFT JOIN timers.run ON run.token = job.token
          LEFT JOIN timers.session ON session.id = job.session), '[]'));
    END $f$;

    CREATE FUNCTION timers.history_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      shown text[] := '{running,done,failed,abandoned,retried,postponed}';
      most bigint := request ->> 'limit';
      tokens bigint[];
    BEGIN
      -- Two statements, so that each has its index.
      IF request ->> 'job' IS NULL THEN
        tokens := ARRAY(
          SELECT token FROM timers.run WHERE outcome = ANY (shown) ORDER BY token DESC LIMIT most);
      ELSE
        tokens := ARRAY(
          SELECT token FROM timers.run WHERE job = request ->> 'job' AND outcome = ANY (shown)
          ORDER BY token DESC LIMIT most);
      END IF;
      RETURN jsonb_build_object('runs', coalesce((
        SELECT jsonb_agg(timers.record_2(run) ORDER BY token DESC)
        FROM timers.run WHERE token = ANY (tokens)), '[]'));
    END $f$;

    CREATE FUNCTION timers.record_2(run timers.run) RETURNS jsonb LANGUAGE sql STABLE AS $f$
      SELECT jsonb_build_object(
        'token', run.token, 'job', run.job, 'date', run.scheduled_date, 'attempt', run.attempt,
        'missed', run.missed, 'replica', run.replica, 'began', run.began, 'ended', run.ended,
        'failure', run.failure, 'isAsked', run.is_asked, 'skipped', run.skipped, 'from', run.start,
        'through', run.through, 'schedule', run.schedule,
        'outcome', CASE
          WHEN run.outcome IN ('retried', 'settled', 'released') THEN 'failed'
          WHEN run.outcome = 'running'
            AND NOT EXISTS (SELECT FROM timers.job WHERE name = run.job AND token = run.token) THEN 'abandoned'
          ELSE run.outcome END)
    $f$;

    CREATE FUNCTION timers.explain_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint := timers.now_2();
      one text := request ->> 'job';
      day bigint := request ->> 'date';
      hidden text[] := '{settled,released}';
      tokens bigint[] := ARRAY(
        (SELECT token FROM timers.run
          WHERE job = one AND (day BETWEEN start AND through OR scheduled_date = day OR EXISTS (
            SELECT FROM jsonb_array_elements(skipped) AS one_range (value)
            WHERE day BETWEEN (value ->> 'from')::bigint AND (value ->> 'through')::bigint))
          ORDER BY token DESC LIMIT 100)
        UNION (SELECT token FROM timers.run
          WHERE job = one AND began <= day AND outcome <> ALL (hidden) ORDER BY token DESC LIMIT 1)
        UNION (SELECT token FROM timers.run
          WHERE job = one AND began > day AND outcome <> ALL (hidden) ORDER BY token LIMIT 1));
      starts bigint[] := ARRAY(SELECT start FROM timers.run WHERE token = ANY (tokens) AND start IS NOT NULL);
    BEGIN
      RETURN jsonb_build_object('now', moment, 'row', (
          SELECT jsonb_build_object(
            'schedule', schedule, 'from', start, 'until', until, 'nextDate', at,
            'isPaused', is_paused OR person IS NOT NULL,
            'pausedBy', CASE WHEN is_paused THEN paused_by ELSE coalesce(person, paused_by) END,
            'pauseReason', CASE WHEN is_paused THEN pause_reason ELSE coalesce(reason, pause_reason) END,
            'skipped', (timers.leave_out_2(job, true)).skipped, 'asked', asked,
            'isServed', EXISTS (
              SELECT FROM timers.session WHERE NOT is_over AND lease_end > moment AND CASE
                WHEN handler = '' THEN serves ->> name = schedule
                ELSE handler = ANY (handlers) END))
          FROM timers.job LEFT JOIN LATERAL (
            SELECT person, reason FROM timers.pause
            WHERE ended IS NULL AND pause.handler IN ('', job.handler) ORDER BY pause.handler LIMIT 1) AS p ON true
          WHERE name = one AND NOT is_removed),
        'runs', (
          SELECT coalesce(jsonb_agg(jsonb_build_object(
              'record', timers.record_2(run), 'isHidden', outcome = ANY (hidden)) ORDER BY token), '[]')
          FROM timers.run WHERE token = ANY (tokens) OR (job = one AND start = ANY (starts))));
    END $f$;

    CREATE FUNCTION timers.remove_history_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      removed bigint;
      surplus bigint;
      keeping bigint := request ->> 'keeping';
      most bigint := request ->> 'limit';
      failed_before bigint := request ->> 'failedBefore';
    BEGIN
      -- To find the newest of those that are too many reads all others, so there have to be some more.
      IF (SELECT max(token) FROM timers.run) - (SELECT min(token) FROM timers.run) >= keeping + keeping / 8 THEN
        surplus := (SELECT token FROM timers.run ORDER BY token DESC LIMIT 1 OFFSET keeping);
      END IF;
      -- The records of runs under way stay. One that is locked is being written by an end, and goes another time.
      WITH oldest AS MATERIALIZED (
        (SELECT token, began < (request ->> 'before')::bigint OR token <= surplus AS is_old FROM timers.run
          WHERE failed_before IS NULL OR outcome NOT IN ('failed', 'retried', 'abandoned')
          ORDER BY token LIMIT most + (SELECT count(*) FROM timers.job WHERE token IS NOT NULL))
        UNION ALL (SELECT token, began < failed_before FROM timers.run
          WHERE outcome IN ('failed', 'retried', 'abandoned') AND failed_before IS NOT NULL
          ORDER BY token LIMIT most)
      ), old AS MATERIALIZED (
        SELECT token FROM timers.run JOIN oldest USING (token)
        WHERE is_old AND NOT EXISTS (SELECT FROM timers.job WHERE job.name = run.job AND job.token = run.token)
        ORDER BY token LIMIT most FOR UPDATE OF run SKIP LOCKED
      )
      DELETE FROM timers.run USING old WHERE run.token = old.token;
      GET DIAGNOSTICS removed = ROW_COUNT;
      RETURN jsonb_build_object('count', removed);
    END $f$;
    """
}
