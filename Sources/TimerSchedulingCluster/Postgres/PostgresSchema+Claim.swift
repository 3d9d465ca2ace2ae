extension PostgresSchema {
  /// A claim. It waits for its own session's row, and for nothing else.
  static let claim = """
    CREATE FUNCTION timers.claim_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      own timers.session;
      claim_number bigint := request ->> 'number';
      lease bigint := request ->> 'lease';
      most bigint := request ->> 'limit';
      excluded text[] := ARRAY(SELECT jsonb_array_elements_text(request -> 'except'));
      rooms jsonb := coalesce(request -> 'rooms', '{}');
      limits jsonb := coalesce(request -> 'limits', '{}');
      limited text[];
      paused text[] := ARRAY(SELECT handler FROM timers.pause WHERE pause.ended IS NULL);
      moment bigint;
      served jsonb;
      ended uuid[];
      is_old boolean;
      taken bigint;
      answer jsonb := '{"isOver": false, "isOld": false, "runs": [], "next": null, "others": [], "unserved": [],
        "put": [], "missing": [], "locked": [], "unhandled": []}';
    BEGIN
      SELECT * INTO own FROM timers.session
        WHERE id = (request ->> 'session')::uuid AND NOT is_over FOR NO KEY UPDATE;
      IF NOT FOUND THEN RETURN answer || jsonb_build_object('now', timers.now_2(), 'isOver', true); END IF;
      moment := timers.now_2();
      own.handlers := ARRAY(
        SELECT unnest(own.handlers) EXCEPT SELECT jsonb_array_elements_text(request -> 'exceptHandlers')
        EXCEPT SELECT unnest(paused));
      IF '' = ANY (paused) THEN most := 0; END IF;
      is_old := claim_number <= own.number;

      IF is_old THEN
        UPDATE timers.session SET lease_end = moment + lease, lease_length = lease WHERE id = own.id;
      ELSE
        -- With an empty object the value is in memory. Otherwise each row would read it from its table again.
        served := own.serves || '{}';
        own.serves := '{}';
        -- A pause that ended while the clock was ahead ends now.
        UPDATE timers.pause AS p SET ended = moment WHERE handler IN (
          SELECT a.handler FROM timers.pause AS a WHERE a.ended > moment + 1000000 FOR NO KEY UPDATE SKIP LOCKED);
        ended := timers.judge_2(own.id, moment);
        taken := timers.take_2(own, served, excluded, ended, claim_number, most, rooms, limits, moment);
        -- A claim that was sent once and brings nothing isn't numbered, as no copy of it is under way.
        IF taken > 0 OR (request ->> 'isRepeated')::boolean THEN
          UPDATE timers.session SET number = claim_number, lease_end = moment + lease, lease_length = lease
            WHERE id = own.id;
        ELSIF own.lease_end NOT BETWEEN moment + lease / 2 AND moment + lease THEN
          UPDATE timers.session SET lease_end = moment + lease, lease_length = lease WHERE id = own.id;
        END IF;
        -- A job that limits hold back waits for the end of a run.
        limited := ARRAY(SELECT unnest(own.handlers) INTERSECT SELECT jsonb_object_keys(limits));
        own.handlers := ARRAY(SELECT unnest(own.handlers) EXCEPT SELECT unnest(limited));
        answer := answer || timers.outlook_2(own, served, excluded, ended, moment, taken >= most);
        IF limited <> '{}' THEN
          answer := answer || jsonb_build_object('next', least((answer ->> 'next')::bigint, (
            SELECT min(due.at) FROM unnest(limited) AS own_handler CROSS JOIN LATERAL (
              SELECT at FROM timers.job
              WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = own_handler AND at > moment
              ORDER BY at LIMIT 1) AS due)));
        END IF;
        IF '' = ANY (paused) THEN answer := answer || jsonb_build_object('next', NULL); END IF;
      END IF;

      answer := answer || jsonb_build_object('isOld', is_old, 'runs', CASE
        WHEN taken > 0 OR claim_number = own.number THEN timers.brought_2(own.id, claim_number)
        ELSE '[]' END);
      -- The store's time is read last, as its reader takes it for that of the answer.
      RETURN answer || jsonb_build_object('now', timers.now_2());
    END $f$;

    CREATE FUNCTION timers.brought_2(own uuid, claim_number bigint) RETURNS jsonb LANGUAGE plpgsql AS $f$
    BEGIN
      RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'job', name, 'from', start, 'until', until, 'attempt', attempt, 'token', token,
          'schedule', fixed_by, 'handler', coalesce(range_handler, handler),
          'payload', coalesce(range_payload, payload),
          'isLost', is_lost, 'isCancelled', cancelled_by IS NOT NULL, 'asked', asked -> 0,
          'previousFailure', failed_end ->> 'failure', 'key', nullif(held_key, ''), 'options', options,
          'postponed', postponed, 'steps', steps,
          'abandonedBy', CASE WHEN attempt > 1 THEN (
            SELECT CASE WHEN outcome = 'abandoned' THEN replica END FROM timers.run
            WHERE run.job = job.name AND run.token < job.token ORDER BY run.token DESC LIMIT 1) END
        ) ORDER BY at, name), '[]')
        FROM timers.job WHERE session = own AND number = claim_number AND token IS NOT NULL);
    END $f$;

    -- Returns the rest of the answer. A claim that brings as many rows as it may leaves long lists to the next.
    CREATE FUNCTION timers.outlook_2(
      own timers.session, served jsonb, excluded text[], ended uuid[], moment bigint, is_full boolean
    ) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      next_at bigint;
      -- Further ones wait for the end of this one.
      has_suspect boolean := timers.runs_suspect_2(own.id);
      changed text[];
      missing text[];
      locked text[];
      unhandled text[];
    BEGIN
      -- A few jobs are found by their names, and of many the first by its moment.
      IF own.served_count <= 1000 THEN
        SELECT
            min(at) FILTER (
              WHERE token IS NULL AND NOT is_paused AND handler = '' AND schedule = text
                AND name <> ALL (excluded) AND NOT is_removed),
            array_agg(name) FILTER (WHERE (schedule <> text OR handler <> '') AND NOT is_removed),
            array_agg(mine.job ORDER BY mine.job) FILTER (WHERE name IS NULL)
          INTO next_at, changed, missing
          FROM jsonb_each_text(served) AS mine (job, text) LEFT JOIN timers.job ON name = mine.job;
      ELSE
        next_at := (SELECT at FROM timers.job
          WHERE token IS NULL AND NOT is_paused AND handler = '' AND at IS NOT NULL AND NOT is_removed
            AND schedule = served ->> name AND name <> ALL (excluded)
          ORDER BY at LIMIT 1);
        IF NOT is_full THEN
          changed := ARRAY(
            SELECT name FROM timers.job
            WHERE NOT is_removed AND served ? name AND (schedule <> served ->> name OR handler <> ''));
          missing := ARRAY(
            SELECT key FROM jsonb_object_keys(served) AS own_job (key)
            WHERE NOT EXISTS (SELECT FROM timers.job WHERE name = key) ORDER BY key);
        END IF;
      END IF;

      next_at := least(next_at, (
        SELECT min(due.at) FROM unnest(own.handlers) AS own_handler CROSS JOIN LATERAL (
          SELECT at FROM timers.job
          WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = own_handler AND at IS NOT NULL
            AND NOT is_removed AND name <> ALL (excluded)
          ORDER BY at LIMIT 1) AS due));

      IF NOT is_full THEN
        locked := ARRAY(
          SELECT name FROM timers.job
          WHERE token IS NULL AND NOT is_paused AND handler = '' AND at <= moment AND NOT is_removed
            AND schedule = served ->> name AND name <> ALL (excluded)
          UNION ALL
          SELECT due.name FROM unnest(own.handlers) AS own_handler CROSS JOIN LATERAL (
            SELECT name FROM timers.job
            WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = own_handler AND at <= moment
              AND NOT is_removed AND name <> ALL (excluded)
            ORDER BY at LIMIT 100) AS due
          UNION ALL
          SELECT name FROM timers.job
          WHERE token IS NOT NULL AND (session = ANY (ended) OR session IS NULL)
            AND NOT is_paused AND NOT is_removed
            AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END
            AND name <> ALL (excluded) AND NOT (has_suspect AND attempt > 1)
          ORDER BY name);
        -- The handlers of jobs that are due, of which no live session has the code. Each is found by the index.
        WITH RECURSIVE found (handler) AS (
          (SELECT handler FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler <> ''
            ORDER BY handler LIMIT 1)
          UNION ALL
          SELECT (SELECT handler FROM timers.job
            WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler > found.handler
            ORDER BY handler LIMIT 1)
          FROM found WHERE found.handler IS NOT NULL
        )
        SELECT array_agg(handler ORDER BY handler) INTO unhandled FROM found
          WHERE handler <> ALL (own.handlers)
            AND NOT EXISTS (SELECT FROM timers.pause WHERE pause.handler = found.handler AND pause.ended IS NULL)
            AND (SELECT at FROM timers.job
              WHERE token IS NULL AND NOT is_paused AND handler <> '' AND job.handler = found.handler
                AND at IS NOT NULL
              ORDER BY at LIMIT 1) <= moment
            AND NOT EXISTS (
              SELECT FROM timers.session
              WHERE NOT is_over AND lease_end > moment AND found.handler = ANY (handlers));
      END IF;

      next_at := least(next_at, (
        SELECT moment FROM timers.job
        WHERE token IS NOT NULL AND session IS NULL AND (is_removed OR NOT is_paused)
          AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END
          AND name <> ALL (excluded) AND NOT (has_suspect AND attempt > 1)
        LIMIT 1), (
        SELECT min(CASE WHEN is_over THEN moment ELSE lease_end END) FROM timers.session AS other
        WHERE id <> own.id AND (SELECT true FROM timers.job
          WHERE session = other.id AND token IS NOT NULL AND (is_removed OR NOT is_paused)
            AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END
            AND name <> ALL (excluded) AND NOT (has_suspect AND attempt > 1 AND other.is_over)
          LIMIT 1)));
      RETURN (
        SELECT jsonb_build_object(
          'next', next_at, 'locked', to_jsonb(coalesce(locked, '{}')), 'unhandled', to_jsonb(coalesce(unhandled, '{}')),
          'missing', to_jsonb(coalesce(missing, '{}')),
          'put', coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE handler <> ''), '[]'),
          'others', coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE handler = '' AND is_served), '[]'),
          'unserved', coalesce(jsonb_agg(name ORDER BY name) FILTER (WHERE handler = '' AND NOT is_served), '[]'))
        FROM (
          SELECT name, handler, EXISTS (
              SELECT FROM timers.session
              WHERE id <> own.id AND NOT is_over AND lease_end > moment
                AND lease_end <= timers.now_2() + lease_length AND serves ->> name = schedule) AS is_served
          FROM timers.job WHERE name = ANY (changed)) AS other_schedule);
    END $f$;
    """
}
