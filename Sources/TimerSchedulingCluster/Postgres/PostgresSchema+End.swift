extension PostgresSchema {
  /// The ends of runs. Within a transaction of the user, its job's row stays locked until the commit.
  static let end = """
    CREATE FUNCTION timers.end_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      tokens bigint[] := ARRAY(
        SELECT (value ->> 'token')::bigint FROM jsonb_array_elements(request -> 'ends'));
      held bigint[];
      held_jobs text[];
      names text[];
      moment bigint;
      verdicts jsonb;
    BEGIN
      -- A run's record leads to its job. The rows are locked in the order of their names, so ends don't block
      -- each other. One that is locked for long, by a transaction of the user, keeps no other run from ending.
      IF (request ->> 'waits')::boolean THEN
        PERFORM FROM timers.run JOIN timers.job ON job.name = run.job AND job.token = run.token
          WHERE run.token = ANY (tokens) ORDER BY job.name FOR UPDATE OF job;
      END IF;
      SELECT array_agg(token), array_agg(name) INTO held, held_jobs FROM (
        SELECT job.token, job.name
        FROM timers.run JOIN timers.job ON job.name = run.job AND job.token = run.token
        WHERE run.token = ANY (tokens) ORDER BY job.name FOR UPDATE OF job SKIP LOCKED) AS locked;
      moment := timers.now_2();
      IF held IS NOT NULL THEN
        PERFORM timers.write_ends_2(request -> 'ends', held, held_jobs, moment);
      END IF;

      -- Of two ends of one run, the first is written.
      SELECT jsonb_agg(CASE
          WHEN token = ANY (held) AND place = first THEN 'written'
          WHEN outcome IN ('done', 'failed', 'retried', 'postponed', 'released', 'settled') THEN 'before'
          WHEN EXISTS (SELECT FROM timers.job WHERE job.name = run.job AND job.token = run.token) THEN 'locked'
          ELSE 'refused' END ORDER BY place)
        INTO verdicts
        FROM (SELECT token, place, min(place) OVER (PARTITION BY token) AS first
          FROM unnest(tokens) WITH ORDINALITY AS e (token, place)) AS asked
        LEFT JOIN timers.run USING (token);

      -- A record whose job was deleted by hand.
      UPDATE timers.run SET outcome = 'abandoned', ended = moment WHERE token = ANY (ARRAY(
        SELECT token FROM timers.run
        WHERE token = ANY (tokens) AND outcome = 'running'
          AND NOT EXISTS (SELECT FROM timers.job WHERE job.name = run.job AND job.token = run.token)
        FOR NO KEY UPDATE SKIP LOCKED));
      -- A job that was released is for others. With OFFSET, the least is found among these jobs, and not along an
      -- index of all.
      names := ARRAY(SELECT job FROM timers.run WHERE token = ANY (ARRAY(
        SELECT (value ->> 'token')::bigint FROM jsonb_array_elements(request -> 'ends')
          WHERE value ->> 'outcome' <> 'released')));
      RETURN jsonb_build_object('now', timers.now_2(), 'verdicts', coalesce(verdicts, '[]'), 'next', (
        SELECT min(at) FROM (
          SELECT at FROM timers.job WHERE name = ANY (names) AND token IS NULL AND NOT is_paused OFFSET 0) AS free));
    END $f$;

    -- Keeps the result of a step, or asks for it. The row stays locked until the commit.
    CREATE FUNCTION timers.step_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      one text := request ->> 'step';
      result text := request ->> 'value';
      held timers.job;
      verdict text := 'written';
    BEGIN
      SELECT job.* INTO held FROM timers.run JOIN timers.job ON job.name = run.job AND job.token = run.token
        WHERE run.token = (request ->> 'token')::bigint FOR NO KEY UPDATE OF job;
      IF NOT FOUND THEN
        verdict := 'refused';
      ELSIF held.steps ? one THEN
        verdict := 'before';
      ELSIF result IS NOT NULL THEN
        held.steps := held.steps || jsonb_build_object(one, result);
        IF (SELECT sum(octet_length(key) + octet_length(value)) FROM jsonb_each_text(held.steps)) > 65536 THEN
          RETURN jsonb_build_object('now', timers.now_2(), 'verdict', 'tooLarge');
        END IF;
        UPDATE timers.job SET steps = held.steps WHERE name = held.name;
      END IF;
      RETURN jsonb_build_object('now', timers.now_2(), 'verdict', verdict, 'value', CASE WHEN verdict = 'before' THEN held.steps ->> one END);
    END $f$;

    -- Returns the first end of each run that is held, with its job. If no other attempt may follow, its next
    -- moment isn't a date, so it has no schedule, and the job is due at once.
    CREATE FUNCTION timers.first_ends_2(ends jsonb, held bigint[], held_jobs text[]) RETURNS TABLE (
      job text, token bigint, outcome text, date bigint, through bigint, next bigint, schedule text,
      missed bigint, failure text, asked bigint, asked_rest bigint, skipped jsonb, given_up text
    ) LANGUAGE sql STABLE AS $f$
      SELECT DISTINCT ON (e.token) h.job, e.token, CASE WHEN is_cancelled THEN 'failed' ELSE e.outcome END,
          e.date, e.through, e.next, CASE WHEN NOT is_cancelled THEN e.schedule END,
          coalesce(e.missed, 0), e.failure, e.asked, e."askedRest", coalesce(e.skipped, '[]'),
          -- A request that is withdrawn, and a date of an earlier put, aren't given up.
          CASE WHEN NOT is_cancelled OR cancelled_by IS NOT NULL THEN e."ifGivenUp" END
        FROM ROWS FROM (jsonb_to_recordset(ends) AS (
            token bigint, outcome text, date bigint, through bigint, next bigint, schedule text,
            missed bigint, failure text, asked bigint, "askedRest" bigint, skipped jsonb, "ifGivenUp" text)
          ) WITH ORDINALITY AS e (
            token, outcome, date, through, next, schedule, missed, failure, asked, "askedRest", skipped, "ifGivenUp", place)
          JOIN unnest(held, held_jobs) AS h (token, job) ON h.token = e.token
          JOIN timers.job AS held_job ON held_job.name = h.job
          CROSS JOIN LATERAL (
            SELECT e.outcome IN ('retried', 'postponed') AND (cancelled_by IS NOT NULL OR timers.is_outdated_2(held_job)
              OR e.asked IS NOT NULL
              AND NOT held_job.asked @> jsonb_build_array(jsonb_build_object('id', e.asked))) AS is_cancelled) AS c
        ORDER BY e.token, e.place
    $f$;

    CREATE FUNCTION timers.asked_left_2(asked jsonb, ended bigint, rest bigint) RETURNS jsonb
      LANGUAGE sql IMMUTABLE AS $f$
      SELECT coalesce(jsonb_agg(
          CASE WHEN (one ->> 'id')::bigint = ended THEN one || jsonb_build_object('from', rest) ELSE one END
          ORDER BY place), '[]')
        FROM jsonb_array_elements(asked) WITH ORDINALITY AS a (one, place)
        WHERE (one ->> 'id')::bigint <> ended OR rest IS NOT NULL
    $f$;

    CREATE FUNCTION timers.abandoned_date_2(skipped jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE AS $f$
      SELECT CASE WHEN skipped #>> '{-1,reason}' IN ('attemptsUsedUp', 'tooOld')
        THEN (skipped #>> '{-1,through}')::bigint END
    $f$;

    -- Returns the first moment after the range of a run, which bounds what its end accounts for.
    CREATE FUNCTION timers.range_end_2(held timers.job, through bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $f$
      SELECT greatest(held.start, least(through, held.until) + 1)
    $f$;

    -- Writes the ends of rows that are locked.
    CREATE FUNCTION timers.write_ends_2(ends jsonb, held bigint[], held_jobs text[], moment bigint)
    RETURNS void LANGUAGE plpgsql AS $f$
    DECLARE
      one jsonb;
      given_up jsonb := (
        SELECT jsonb_agg(jsonb_build_object(
            'job', e.given_up || ' ' || e.token, 'handler', e.given_up, 'delay', 0,
            'payload', jsonb_build_object(
              'name', name, 'payload', coalesce(range_payload, payload), 'failure', coalesce(e.failure, ''))::text))
          FROM timers.first_ends_2(ends, held, held_jobs) AS e JOIN timers.job ON name = e.job
          WHERE e.given_up IS NOT NULL AND NOT is_removed AND (
            e.outcome = 'failed' OR e.outcome = 'settled' AND timers.abandoned_date_2(e.skipped) IS NOT NULL));
    BEGIN
      UPDATE timers.run SET
        outcome = e.outcome, ended = coalesce(run.ended, moment), missed = e.missed, failure = e.failure,
        scheduled_date = CASE WHEN e.outcome = 'released' THEN NULL
          WHEN e.outcome = 'settled' THEN timers.abandoned_date_2(e.skipped)
          ELSE coalesce(e.date, run.scheduled_date) END,
        is_asked = e.asked IS NOT NULL,
        start = CASE WHEN e.outcome <> 'released' THEN run.start END,
        through = CASE WHEN e.outcome <> 'released' THEN e.through END, skipped = run.skipped || e.skipped
        FROM timers.first_ends_2(ends, held, held_jobs) AS e WHERE run.token = e.token;

      DELETE FROM timers.job USING timers.first_ends_2(ends, held, held_jobs) AS e
        WHERE job.name = e.job AND (is_removed OR handler <> '' AND e.outcome = 'done' AND e.next IS NULL
          AND timers.after_range_2(floor, timers.range_end_2(job.*, e.through)) = timers.range_end_2(job.*, e.through)
          AND e.schedule = job.schedule
          AND CASE WHEN e.asked IS NULL THEN job.asked
            ELSE timers.asked_left_2(job.asked, e.asked, e.asked_rest) END = '[]');

      -- A range that stays is begun again. Otherwise it is over, up to `through`.
      UPDATE timers.job SET
        token = NULL, session = NULL, number = NULL, held_key = NULL,
        postponed = CASE WHEN e.keeps THEN postponed + (e.outcome = 'postponed')::integer ELSE 0 END,
        steps = CASE WHEN e.keeps THEN steps ELSE '{}' END,
        cancelled_by = CASE WHEN e.keeps THEN cancelled_by END,
        failed_end = CASE
          WHEN e.outcome IN ('retried', 'postponed') THEN jsonb_build_object(
            'token', e.token, 'outcome', 'failed', 'date', e.date, 'through', e.through, 'missed', e.missed,
            'failure', CASE WHEN e.outcome = 'retried' THEN e.failure ELSE failed_end ->> 'failure' END,
            'asked', e.asked, 'askedRest', e.asked_rest, 'ifGivenUp', e.given_up)
          WHEN e.keeps THEN failed_end END,
        is_lost = e.keeps AND is_lost, asked = e.asked_left,
        start = e.starts, ahead = CASE WHEN e.starts < e.range_end THEN greatest(ahead, e.range_end) ELSE ahead END,
        until = CASE WHEN e.keeps THEN until END,
        fixed_by = CASE WHEN e.keeps THEN fixed_by END,
        range_handler = CASE WHEN e.keeps THEN range_handler END,
        range_payload = CASE WHEN e.keeps THEN range_payload END,
        attempt = CASE WHEN e.stays THEN e.attempts_left ELSE 0 END,
        at = CASE
          WHEN e.outcome = 'released' THEN CASE WHEN at > moment + 1000000 THEN moment ELSE at END
          WHEN e.outcome IN ('retried', 'postponed') THEN e.next
          -- The clock was ahead when the range was claimed.
          WHEN e.next IS NOT NULL AND e.starts > moment + 1000000 THEN least(e.next, moment)
          ELSE least(
            CASE WHEN e.schedule = job.schedule AND e.starts = e.range_end THEN e.next
              ELSE timers.first_unknown_2(e.starts, floor, moment) END,
            CASE WHEN e.asked_left <> '[]' THEN moment END) END,
        last_date = coalesce(
          CASE
            WHEN e.asked IS NOT NULL THEN NULL
            WHEN e.outcome IN ('done', 'failed') THEN e.date
            WHEN e.outcome = 'settled' THEN timers.abandoned_date_2(e.skipped) END,
          last_date),
        done_count = done_count + (e.outcome = 'done')::integer,
        failed_count = failed_count + (e.outcome = 'failed')::integer,
        missed_count = missed_count + CASE WHEN e.stays THEN 0 ELSE e.missed END
        FROM (
          SELECT f.*, stays, attempts_left, keeps, range_end,
            CASE WHEN keeps THEN range_end ELSE timers.after_range_2(held_job.floor, range_end) END AS starts,
            CASE
              WHEN f.asked IS NULL OR stays THEN held_job.asked
              ELSE timers.asked_left_2(held_job.asked, f.asked, f.asked_rest) END AS asked_left
          FROM timers.first_ends_2(ends, held, held_jobs) AS f
            JOIN timers.job AS held_job ON held_job.name = f.job
            CROSS JOIN LATERAL (
              SELECT f.outcome IN ('retried', 'postponed', 'released') AS stays,
                held_job.attempt - (f.outcome IN ('postponed', 'released'))::integer AS attempts_left) AS left_over
            CROSS JOIN LATERAL (
              SELECT stays AND (attempts_left > 0 OR f.outcome = 'postponed' OR held_job.failed_end IS NOT NULL) AS keeps,
                CASE WHEN stays THEN held_job.start ELSE timers.range_end_2(held_job, f.through) END AS range_end
            ) AS closed
        ) AS e
        WHERE job.name = e.job;
      FOR one IN SELECT jsonb_array_elements(given_up) LOOP PERFORM timers.put_one_2(one); END LOOP;
    END $f$;
    """
}
