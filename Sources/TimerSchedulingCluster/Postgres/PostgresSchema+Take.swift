extension PostgresSchema {
  /// The sessions that are over by their leases, and the rows that a claim takes.
  static let take = """
    -- Ends other sessions that hold rows beyond their leases, and cuts leases that reach too far, as the clock
    -- was set back. A lease may have been renewed after `moment`. Returns sessions that are over and hold rows.
    CREATE FUNCTION timers.judge_2(own uuid, moment bigint) RETURNS uuid[]
      LANGUAGE plpgsql AS $f$
    DECLARE
      judged uuid[] := ARRAY(
        SELECT id FROM timers.session AS other
        WHERE NOT is_over AND (lease_end <= moment OR lease_end > timers.now_2() + lease_length) AND id <> own
          AND (SELECT true FROM timers.job WHERE session = other.id AND token IS NOT NULL LIMIT 1)
        FOR NO KEY UPDATE SKIP LOCKED);
    BEGIN
      IF judged <> '{}' THEN
        UPDATE timers.session
          SET is_over = lease_end <= moment, lease_end = least(lease_end, timers.now_2() + lease_length)
          WHERE id = ANY (judged);
      END IF;
      RETURN ARRAY(
        SELECT id FROM timers.session AS other
        WHERE is_over
          AND (SELECT true FROM timers.job WHERE session = other.id AND token IS NOT NULL LIMIT 1));
    END $f$;

    -- Whether a job was put with another schedule or handler since its range was claimed. Then no other attempt follows.
    CREATE FUNCTION timers.is_outdated_2(one timers.job) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
      SELECT one.handler <> '' AND one.until IS NOT NULL
        AND (one.range_handler IS NOT NULL OR one.asked = '[]' AND one.fixed_by <> one.schedule)
    $f$;

    -- Returns the moment from which a job is due if its next date isn't known. A pause that began later leaves out
    -- no date from before it.
    CREATE FUNCTION timers.first_unknown_2(start bigint, floor bigint, moment bigint) RETURNS bigint
      LANGUAGE sql IMMUTABLE AS $f$ SELECT least(greatest(start, floor + 1), moment) $f$;

    -- Returns the first moment that isn't accounted for after a range that ends before `range_end`. If the job was
    -- changed during the range, after the clock had gone back, its dates since that change are still owed.
    CREATE FUNCTION timers.after_range_2(floor bigint, range_end bigint) RETURNS bigint
      LANGUAGE sql IMMUTABLE AS $f$ SELECT CASE WHEN floor > 0 THEN least(range_end, floor + 1) ELSE range_end END $f$;

    -- Gives up outdated ranges. The next dates of these jobs aren't known.
    CREATE FUNCTION timers.give_up_outdated_2(names text[], moment bigint) RETURNS void LANGUAGE sql AS $f$
      UPDATE timers.job SET
        start = timers.after_range_2(floor, until + 1),
        at = least(at, timers.first_unknown_2(timers.after_range_2(floor, until + 1), floor, moment)),
        ahead = CASE WHEN timers.after_range_2(floor, until + 1) <= until THEN greatest(ahead, until + 1) ELSE ahead END,
        until = NULL, fixed_by = NULL, attempt = 0, is_lost = false, cancelled_by = NULL,
        failed_end = NULL, range_handler = NULL, range_payload = NULL, postponed = 0, steps = '{}',
        failed_count = failed_count + (NOT is_lost AND token IS NULL)::integer
        WHERE name = ANY (names) AND timers.is_outdated_2(job)
    $f$;

    CREATE FUNCTION timers.give_up_outdated_retry_2(job_name text, moment bigint) RETURNS void LANGUAGE sql AS $f$
      SELECT timers.give_up_outdated_2(ARRAY(SELECT name FROM timers.job WHERE name = job_name AND token IS NULL), moment)
    $f$;

    -- Whether a session runs a suspect: an attempt that was abandoned, not the first, may have ended its process.
    CREATE FUNCTION timers.runs_suspect_2(own uuid) RETURNS boolean LANGUAGE sql STABLE AS $f$
      SELECT EXISTS (SELECT FROM timers.job WHERE session = own AND token IS NOT NULL AND is_lost AND attempt > 2)
    $f$;

    -- Returns the row of the one suspect that a session may take. So a job that ends its process takes no other's last
    -- attempts with it.
    CREATE FUNCTION timers.suspect_2(own timers.session, served jsonb, excluded text[], ended uuid[]) RETURNS text
      LANGUAGE sql AS $f$
      SELECT name FROM timers.job
        WHERE token IS NOT NULL AND (session = ANY (ended) OR session IS NULL) AND attempt > 1
          AND NOT is_paused AND NOT is_removed
          AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END
          AND name <> ALL (excluded) AND NOT timers.runs_suspect_2(own.id)
        ORDER BY at, name LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    $f$;

    -- Takes up to `most` rows, of some handlers no more than their `rooms`. Each handler has the same share, and so
    -- have the program's own jobs as one. Returns how many. An index with the names would be several times as large, so
    -- which rows of one moment are looked at isn't said, if they are more than `most` or their handler's room.
    CREATE FUNCTION timers.take_2(
      own timers.session, served jsonb, excluded text[], ended uuid[], claim_number bigint, most bigint,
      rooms jsonb, limits jsonb, moment bigint
    ) RETURNS bigint LANGUAGE plpgsql AS $f$
    DECLARE
      one record;
      turns jsonb := '[]';
      chosen text[];
      abandoned bigint[];
      suspect text;
      bounds jsonb := '{}';
    BEGIN
      SELECT array_agg(name), array_agg(token) INTO chosen, abandoned FROM (
        SELECT name, token FROM timers.job
        WHERE token IS NOT NULL AND (session = ANY (ended) OR session IS NULL) AND is_removed
        FOR UPDATE SKIP LOCKED) AS removed;
      IF chosen IS NOT NULL THEN
        DELETE FROM timers.job WHERE name = ANY (chosen);
        UPDATE timers.run SET outcome = 'abandoned', ended = moment WHERE token = ANY (abandoned);
      END IF;

      suspect := timers.suspect_2(own, served, excluded, ended);
      -- In one order, as each locks its row.
      FOR one IN SELECT key, value FROM jsonb_each(limits) WHERE key = ANY (own.handlers) ORDER BY key COLLATE "C" LOOP
        turns := turns || timers.turns_2(
          one.key, one.value, least(most, (rooms ->> one.key)::bigint), excluded, ended, suspect, moment);
      END LOOP;

      WITH free AS MATERIALIZED (
        SELECT name, at, token, handler FROM timers.job
        WHERE token IS NULL AND NOT is_paused AND handler = '' AND at <= moment AND NOT is_removed
          AND schedule = served ->> name AND name <> ALL (excluded)
        ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED
      ), put AS MATERIALIZED (
        SELECT due.* FROM unnest(own.handlers) AS own_handler CROSS JOIN LATERAL (
          SELECT name, at, token, handler FROM timers.job
          WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = own_handler AND at <= moment
            AND NOT is_removed AND name <> ALL (excluded)
          ORDER BY at LIMIT least(most, (rooms ->> own_handler)::bigint) FOR NO KEY UPDATE SKIP LOCKED) AS due
        WHERE NOT limits ? own_handler
      ), held AS MATERIALIZED (
        SELECT name, at, token, handler FROM timers.job
        WHERE NOT limits ? handler AND token IS NOT NULL AND (session = ANY (ended) OR session IS NULL)
          AND NOT is_paused AND NOT is_removed
          AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END
          AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect)
        ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED
      )
      SELECT array_agg(name), array_agg(token) FILTER (WHERE token IS NOT NULL) INTO chosen, abandoned
        FROM (
          SELECT name, token FROM (
            SELECT *, row_number() OVER (PARTITION BY handler ORDER BY at, name) AS place
            FROM (SELECT * FROM free UNION ALL SELECT * FROM put UNION ALL SELECT * FROM held) AS due
            UNION ALL SELECT * FROM jsonb_to_recordset(turns) AS t (
              name text, at bigint, token bigint, handler text, place bigint)
          ) AS placed
          WHERE place <= coalesce((rooms ->> handler)::bigint, most)
          ORDER BY place, at, name LIMIT most) AS earliest;
      IF chosen IS NULL THEN RETURN 0; END IF;
      -- The last key in the circle that has had its turn.
      UPDATE timers.turn SET key = last.key FROM (
        SELECT DISTINCT ON (handler) handler, job.key FROM timers.job JOIN timers.turn USING (handler)
        WHERE name = ANY (chosen) AND limits ? handler
        ORDER BY handler, turn.key <> '' AND job.key <= turn.key DESC, job.key DESC) AS last
        WHERE turn.handler = last.handler;

      PERFORM timers.give_up_outdated_2(chosen, moment);
      IF EXISTS (SELECT FROM timers.pause WHERE pause.ended IS NOT NULL)
        OR EXISTS (SELECT FROM timers.job WHERE name = ANY (chosen) AND last_pause IS NOT NULL)
      THEN
        bounds := (
          SELECT coalesce(jsonb_object_agg(name, bound) FILTER (WHERE bound IS NOT NULL), '{}')
          FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) WHERE name = ANY (chosen));
        UPDATE timers.job SET skipped = l.skipped, floor = l.floor
          FROM (
            SELECT name AS left_job, leave_out.* FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) AS leave_out
            WHERE name = ANY (chosen)) AS l
          WHERE name = l.left_job AND (job.skipped, job.floor) IS DISTINCT FROM (l.skipped, l.floor);
      END IF;
      PERFORM timers.follow_clock_2(chosen, moment);
      PERFORM timers.raise_token_2();
      IF abandoned IS NOT NULL THEN
        UPDATE timers.run SET outcome = 'abandoned', ended = moment WHERE token = ANY (abandoned);
      END IF;
      -- A floor in the future, after the clock was set back, ends now.
      WITH taken AS (
        UPDATE timers.job SET
          start = CASE WHEN until IS NULL THEN greatest(start, least(floor, moment) + 1) ELSE start END,
          floor = CASE WHEN until IS NULL THEN 0 ELSE floor END,
          until = CASE WHEN until IS NOT NULL THEN until
            ELSE least(
              greatest(least(moment, (bounds ->> name)::bigint), start - 1, least(floor, moment)),
              CASE WHEN ahead IS NOT NULL
                THEN timers.first_record_2(name, greatest(start, least(floor, moment) + 1)) - 1 END) END,
          attempt = CASE WHEN until IS NULL THEN 1 ELSE attempt + 1 END,
          fixed_by = CASE WHEN until IS NULL THEN schedule ELSE fixed_by END,
          is_lost = until IS NOT NULL AND (is_lost OR token IS NOT NULL),
          skipped = CASE WHEN until IS NULL AND skipped <> '[]'
            THEN timers.noted_2(skipped, start, least(floor, moment)) ELSE skipped END,
          last_pause = CASE WHEN until IS NOT NULL OR bounds ? name OR last_pause -> 'ended' IS NULL THEN last_pause END,
          abandoned_count = abandoned_count + (token IS NOT NULL)::integer,
          token = nextval('timers.token'), session = own.id, number = claim_number, held_key = key
        WHERE name = ANY (chosen)
        RETURNING token, name, start, at, until, attempt, fixed_by, skipped, asked
      )
      -- Which date is run of a range that was asked for, only its replica knows.
      INSERT INTO timers.run (
          token, job, scheduled_date, attempt, replica, began, start, through, schedule, skipped, is_asked)
        SELECT token, name, CASE
              WHEN asked = '[]' THEN CASE WHEN at BETWEEN start AND until THEN at END
              WHEN asked #> '{0,from}' = asked #> '{0,through}' THEN (asked #>> '{0,from}')::bigint END,
            attempt, own.replica, moment, start, until, fixed_by,
            CASE WHEN attempt = 1 THEN skipped ELSE '[]' END, asked <> '[]'
          FROM taken;
      RETURN cardinality(chosen);
    END $f$;

    -- Returns how many runs of a handler are under way, by key, in sessions that aren't over.
    CREATE FUNCTION timers.running_2(of_handler text, ended uuid[]) RETURNS jsonb LANGUAGE sql STABLE AS $f$
      SELECT coalesce(jsonb_object_agg(key, count), '{}') FROM (
        SELECT coalesce(held_key, '') AS key, count(*) FROM timers.job
        WHERE token IS NOT NULL AND coalesce(range_handler, handler) = of_handler
          AND session IS NOT NULL AND session <> ALL (ended)
        GROUP BY 1) AS runs
    $f$;

    -- Returns the rows of a handler that may be taken within its limits, with their places: those of keys with the
    -- fewest runs come first, and of these in a circle those after the last one. Jobs without a key have an empty one,
    -- which has no limit.
    CREATE FUNCTION timers.turns_2(
      of_handler text, limits jsonb, most bigint, excluded text[], ended uuid[], suspect text, moment bigint
    ) RETURNS jsonb LANGUAGE plpgsql SET enable_sort = off SET enable_bitmapscan = off AS $f$
    DECLARE
      room bigint;
      per_key bigint := limits ->> 'perKey';
      last text;
      next_key text;
      keys text[] := '{}';
      running jsonb;
    BEGIN
      FOR step IN 1..2 LOOP
        running := timers.running_2(of_handler, ended);
        room := greatest(0, least(most, (limits ->> 'inAll')::bigint
          - (SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(running))));
        IF room = 0 OR NOT EXISTS (
            SELECT FROM timers.job
            WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = of_handler AND at <= moment)
          AND NOT EXISTS (
            SELECT FROM timers.job
            WHERE token IS NOT NULL AND (session = ANY (ended) OR session IS NULL) AND handler = of_handler)
        THEN
          RETURN '[]';
        END IF;
        -- The runs are counted once more after the row is locked.
        IF step = 1 THEN
          INSERT INTO timers.turn AS t (handler) VALUES (of_handler)
            ON CONFLICT (handler) DO UPDATE SET claims = t.claims + 1 RETURNING t.key INTO last;
        END IF;
      END LOOP;

      -- The keys with rows that are due: at least as many without a run as there is room.
      FOR step IN 1..2 LOOP
        next_key := CASE WHEN step = 1 THEN last ELSE '' END;
        WHILE cardinality(keys) < room + (SELECT count(*) FROM jsonb_object_keys(running)) LOOP
          next_key := (
            SELECT key FROM timers.job
            WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = of_handler AND key > next_key
              AND at <= moment
            ORDER BY handler, key, at LIMIT 1);
          EXIT WHEN next_key IS NULL OR step = 2 AND next_key > last;
          keys := keys || next_key;
        END LOOP;
        EXIT WHEN last = '';
      END LOOP;
      keys := array_append(keys, '');

      RETURN (
        WITH free AS MATERIALIZED (
          SELECT due.* FROM unnest(keys) AS k (key) CROSS JOIN LATERAL (
            SELECT name, at, token, job.key FROM timers.job
            WHERE token IS NULL AND NOT is_paused AND handler <> '' AND handler = of_handler AND job.key = k.key
              AND at <= moment AND NOT is_removed AND name <> ALL (excluded)
            ORDER BY handler, job.key, at
            LIMIT CASE
              WHEN keys = '{""}' THEN room
              WHEN k.key = '' THEN (room + cardinality(keys) - 1) / cardinality(keys)
              ELSE greatest(0, least((room + cardinality(keys) - 1) / cardinality(keys),
                per_key - coalesce((running ->> k.key)::bigint, 0))) END
            FOR NO KEY UPDATE SKIP LOCKED) AS due
        ), held AS MATERIALIZED (
          SELECT name, at, token, key FROM timers.job
          WHERE token IS NOT NULL AND (session = ANY (ended) OR session IS NULL) AND NOT is_paused
            AND NOT is_removed AND handler = of_handler AND name <> ALL (excluded)
            AND (attempt < 2 OR name = suspect)
          ORDER BY at LIMIT room FOR NO KEY UPDATE SKIP LOCKED
        ), placed AS (
          SELECT name, at, token, row_number() OVER (
              ORDER BY rank, last <> '' AND key <= last, key, at, name) AS place
          FROM (
            SELECT *, coalesce((running ->> key)::bigint, 0) + row_number() OVER (PARTITION BY key ORDER BY at, name)
                AS rank
            FROM (SELECT * FROM free UNION ALL SELECT * FROM held) AS due) AS ranked
          WHERE key = '' OR rank <= coalesce(per_key, rank)
        )
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'name', name, 'at', at, 'token', token, 'handler', of_handler, 'place', place)), '[]')
          FROM placed WHERE place <= room);
    END $f$;

    -- Has jobs begin at now after a clock that was ahead, and passes their dates that have a record.
    CREATE FUNCTION timers.follow_clock_2(names text[], moment bigint) RETURNS void LANGUAGE plpgsql AS $f$
    BEGIN
      UPDATE timers.job
        SET ahead = greatest(ahead, start), start = CASE WHEN floor > 0 THEN least(floor, moment) ELSE moment END + 1
        WHERE name = ANY (names) AND until IS NULL AND start > moment + 1000000;
      UPDATE timers.job SET ahead = NULL
        WHERE name = ANY (names) AND until IS NULL AND ahead <= greatest(start, least(floor, moment) + 1);
      LOOP
        UPDATE timers.job SET start = greatest(start, least(floor, moment) + 1) + 1
          WHERE name = ANY (names) AND until IS NULL AND ahead IS NOT NULL
            AND timers.first_record_2(name, greatest(start, least(floor, moment) + 1))
              = greatest(start, least(floor, moment) + 1);
        EXIT WHEN NOT FOUND;
      END LOOP;
    END $f$;

    CREATE FUNCTION timers.first_record_2(job_name text, moment bigint) RETURNS bigint LANGUAGE sql STABLE AS $f$
      SELECT min(scheduled_date) FROM timers.run
        WHERE job = job_name AND outcome IN ('done', 'failed', 'settled') AND NOT is_asked AND scheduled_date >= moment
    $f$;

    CREATE FUNCTION timers.has_one_date_2(one timers.job) RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
      SELECT one.handler <> '' AND starts_with(one.schedule, 'at ')
    $f$;

    -- Returns the date of a job that was put for one, if no range accounts for it.
    CREATE FUNCTION timers.only_date_2(one timers.job) RETURNS bigint LANGUAGE sql STABLE AS $f$
      SELECT CASE WHEN timers.has_one_date_2(one) AND one.schedule ~ '^at [0-9]+-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$' THEN (
        SELECT date FROM (SELECT (extract(epoch FROM substr(one.schedule, 4)::timestamp) * 1000000)::bigint) AS d (date)
        WHERE date >= CASE WHEN one.until IS NULL THEN one.start
          ELSE timers.after_range_2(one.floor, one.until + 1) END) END
    $f$;

    -- Before a range begins, pauses leave their dates out, but not the date of a job that was put for one. If the
    -- job was due before a pause, `bound` is the beginning of that pause, with which the range has to end.
    CREATE FUNCTION timers.leave_out_2(one timers.job, with_others boolean, OUT skipped jsonb, OUT floor bigint, OUT bound bigint)
      LANGUAGE plpgsql STABLE AS $f$
    DECLARE
      p record;
    BEGIN
      skipped := one.skipped;
      floor := one.floor;
      IF one.until IS NOT NULL OR timers.has_one_date_2(one) THEN RETURN; END IF;
      FOR p IN
        SELECT pause.began, pause.ended, pause.person, pause.reason FROM timers.pause
          WHERE with_others AND handler IN ('', one.handler) AND pause.ended >= one.start
        UNION ALL
        SELECT (one.last_pause ->> 'began')::bigint, (one.last_pause ->> 'ended')::bigint,
            one.last_pause ->> 'by', one.last_pause ->> 'reason'
          WHERE (one.last_pause ->> 'ended')::bigint >= one.start
        ORDER BY 1
      LOOP
        IF bound IS NULL AND one.at IS NOT NULL AND greatest(one.at, one.start, floor + 1) <= p.began THEN
          bound := p.began;
        END IF;
        IF bound IS NULL THEN floor := greatest(floor, p.ended); END IF;
        skipped := timers.skip_2(
          skipped, CASE WHEN bound IS NULL THEN 0 ELSE p.began + 1 END,
          CASE WHEN bound IS NULL THEN floor ELSE p.ended END, 'paused', p.person, p.reason);
      END LOOP;
    END $f$;

    -- Returns which moments are left out for each of the reasons, from the first that isn't accounted for.
    CREATE FUNCTION timers.noted_2(skipped jsonb, first bigint, last bigint) RETURNS jsonb
      LANGUAGE sql IMMUTABLE AS $f$
      SELECT coalesce(jsonb_agg(one || jsonb_build_object('from', begins, 'through', ends) ORDER BY place), '[]')
        FROM (
          SELECT one, place, least((one ->> 'through')::bigint, last) AS ends,
            greatest(first, lag((one ->> 'through')::bigint) OVER (ORDER BY place) + 1) AS begins
          FROM jsonb_array_elements(skipped) WITH ORDINALITY AS a (one, place)) AS ranges
        WHERE begins <= ends
    $f$;

    -- Returns the reasons with one more. Of a job that isn't claimed for long, the newest are kept.
    CREATE FUNCTION timers.skip_2(skipped jsonb, first bigint, through bigint, reason text, person text, note text) RETURNS jsonb
      LANGUAGE sql IMMUTABLE AS $f$
      SELECT CASE WHEN jsonb_array_length(skipped) < 8 THEN skipped ELSE skipped - 0 END
        || jsonb_build_object('from', first, 'through', through, 'reason', reason, 'by', person, 'note', note)
    $f$;

    -- Sets the sequence above all tokens, as it may have restarted after a failover.
    CREATE FUNCTION timers.raise_token_2() RETURNS void LANGUAGE plpgsql AS $f$
    BEGIN
      IF (SELECT max(token) FROM timers.run)
        > (SELECT last_value - (NOT is_called)::integer FROM timers.token)
      THEN
        -- Only one claim does it, and the others find it done.
        PERFORM pg_advisory_xact_lock(7310578294);
        PERFORM setval('timers.token', newest)
          FROM timers.token, (SELECT max(token) AS newest FROM timers.run) AS run
          WHERE newest > last_value - (NOT is_called)::integer;
      END IF;
    END $f$;
    """
}
