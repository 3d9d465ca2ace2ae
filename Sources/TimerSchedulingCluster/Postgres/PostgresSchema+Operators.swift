extension PostgresSchema {
  /// The changes by operators. They wait for the job's row, and never write the fields of a run.
  static let operators = """
    CREATE FUNCTION timers.pause_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      pauses boolean := request ->> 'isPaused';
      one text := request ->> 'job';
      of_handler text := coalesce(request ->> 'handler', '');
      moment bigint;
      is_found boolean;
    BEGIN
      IF one IS NULL THEN
        IF pauses THEN
          INSERT INTO timers.pause (handler, began, person, reason) VALUES (
              of_handler, timers.now_2(), coalesce(request ->> 'by', ''), coalesce(request ->> 'reason', ''))
            ON CONFLICT (handler) DO UPDATE SET
              began = timers.now_2(), ended = NULL, person = excluded.person, reason = excluded.reason
            WHERE pause.ended IS NOT NULL;
        ELSE
          UPDATE timers.pause SET ended = timers.now_2() WHERE handler = of_handler AND ended IS NULL;
        END IF;
        RETURN jsonb_build_object('now', timers.now_2(), 'found', true);
      END IF;
      PERFORM FROM timers.job WHERE name = one AND NOT is_removed FOR NO KEY UPDATE;
      is_found := FOUND;
      moment := timers.now_2();
      UPDATE timers.job SET
        is_paused = pauses,
        -- Without a beginning, an older program has paused it.
        last_pause = CASE
          WHEN pauses THEN jsonb_build_object(
            'began', moment, 'by', coalesce(request ->> 'by', ''), 'reason', coalesce(request ->> 'reason', ''))
          ELSE coalesce(last_pause, jsonb_build_object('began', 0, 'by', paused_by, 'reason', pause_reason))
            || jsonb_build_object('ended', moment) END,
        paused_by = coalesce(request ->> 'by', ''), pause_reason = coalesce(request ->> 'reason', '')
        WHERE name = one AND NOT is_removed AND is_paused <> pauses;
      UPDATE timers.job SET skipped = l.skipped, floor = l.floor, last_pause = NULL
        FROM (SELECT left_out.* FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, false) AS left_out
          WHERE name = one AND until IS NULL AND NOT is_removed AND last_pause -> 'ended' IS NOT NULL) AS l
        WHERE NOT pauses AND name = one AND l.bound IS NULL;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', is_found);
    END $f$;

    CREATE FUNCTION timers.pauses_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    BEGIN
      RETURN jsonb_build_object('now', timers.now_2(), 'pauses', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'handler', nullif(handler, ''), 'began', began, 'by', person, 'reason', reason) ORDER BY handler), '[]')
          FROM timers.pause WHERE ended IS NULL));
    END $f$;

    CREATE FUNCTION timers.ask_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint;
      only_date bigint;
      old timers.job;
    BEGIN
      SELECT * INTO old FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed FOR NO KEY UPDATE;
      moment := timers.now_2();
      -- A job that waits for its only date is put for now instead.
      only_date := timers.only_date_2(old);
      IF coalesce((request ->> 'from')::bigint, only_date) = only_date
        AND coalesce((request ->> 'through')::bigint, only_date) = only_date
      THEN
        IF only_date > moment THEN
          PERFORM timers.put_one_2(jsonb_build_object(
            'job', old.name, 'handler', old.handler, 'payload', old.payload, 'delay', 0, 'key', nullif(old.key, ''),
            'options', old.options));
        END IF;
        RETURN jsonb_build_object('now', timers.now_2(), 'found', true);
      END IF;
      -- A retry keeps its moment.
      UPDATE timers.job SET
        at = CASE WHEN until IS NULL OR token IS NOT NULL THEN least(at, moment) ELSE at END,
        asked = asked || jsonb_build_object(
          'id', nextval('timers.token'), 'from', coalesce((request ->> 'from')::bigint, moment),
          'through', coalesce((request ->> 'through')::bigint, moment))
        WHERE name = request ->> 'job' AND NOT is_removed;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', FOUND);
    END $f$;

    -- The renewal of the run's session tells its replica. An attempt that waits is given up.
    CREATE FUNCTION timers.cancel_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      given_up jsonb;
    BEGIN
      UPDATE timers.job SET cancelled_by = coalesce(cancelled_by, request ->> 'by')
        WHERE name = request ->> 'job' AND token IS NOT NULL AND session IS NOT NULL;
      IF FOUND THEN RETURN jsonb_build_object('now', timers.now_2(), 'found', true); END IF;
      SELECT failed_end || jsonb_build_object(
          'failure', coalesce(failed_end ->> 'failure' || ' (given up by ' || (request ->> 'by') || ')',
            'given up by ' || (request ->> 'by')))
        INTO given_up FROM timers.job
        WHERE name = request ->> 'job' AND token IS NULL AND until IS NOT NULL FOR UPDATE;
      PERFORM timers.give_up_2(request ->> 'job', given_up);
      RETURN jsonb_build_object('now', timers.now_2(), 'found', given_up IS NOT NULL);
    END $f$;

    -- Gives up the attempt of a job that waits, whose row is locked.
    CREATE FUNCTION timers.give_up_2(job_name text, given_up jsonb) RETURNS void LANGUAGE plpgsql AS $f$
    BEGIN
      IF given_up IS NOT NULL THEN
        PERFORM timers.write_ends_2(
          jsonb_build_array(given_up), ARRAY[(given_up ->> 'token')::bigint], ARRAY[job_name], timers.now_2());
      END IF;
    END $f$;

    CREATE FUNCTION timers.retry_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      is_found boolean;
      moment bigint;
    BEGIN
      PERFORM FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed FOR NO KEY UPDATE;
      moment := timers.now_2();
      PERFORM FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed
        AND coalesce(timers.state_2(job, moment) = request ->> 'state', true);
      is_found := FOUND;
      IF NOT is_found THEN
        RETURN jsonb_build_object('now', moment, 'found', false, 'isRetried', false);
      END IF;
      UPDATE timers.job SET at = least(at, moment)
        WHERE name = request ->> 'job' AND NOT is_removed AND token IS NULL AND until IS NOT NULL;
      IF NOT FOUND THEN
        UPDATE timers.job SET at = moment, asked = asked || jsonb_build_object(
            'id', nextval('timers.token'), 'from', coalesce(last_date, moment), 'through', coalesce(last_date, moment))
          WHERE name = request ->> 'job' AND NOT is_removed AND token IS NULL AND handler <> '' AND at IS NULL;
      END IF;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', is_found, 'isRetried', FOUND);
    END $f$;

    CREATE FUNCTION timers.withdraw_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      given_up jsonb;
      is_found boolean;
    BEGIN
      SELECT CASE WHEN token IS NULL AND until IS NOT NULL AND failed_end ->> 'asked' IS NOT NULL THEN failed_end - 'ifGivenUp' END
        INTO given_up FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed FOR UPDATE;
      is_found := FOUND;
      PERFORM timers.give_up_2(request ->> 'job', given_up);
      UPDATE timers.job SET asked = '[]' WHERE name = request ->> 'job' AND NOT is_removed;
      PERFORM timers.give_up_outdated_retry_2(request ->> 'job', timers.now_2());
      RETURN jsonb_build_object('now', timers.now_2(), 'found', is_found);
    END $f$;

    -- A row that is held goes with its run: the end deletes it, or a claim when its session is over.
    CREATE FUNCTION timers.remove_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      held_by bigint;
      of_handler text;
      is_found boolean;
    BEGIN
      SELECT token, handler INTO held_by, of_handler FROM timers.job
        WHERE name = request ->> 'job' AND NOT is_removed FOR UPDATE;
      is_found := FOUND AND EXISTS (
        SELECT FROM timers.job WHERE name = request ->> 'job'
          AND coalesce(timers.state_2(job, timers.now_2()) = request ->> 'state', true));
      IF NOT is_found THEN RETURN jsonb_build_object('now', timers.now_2(), 'found', false, 'isServed', false); END IF;
      IF is_found AND timers.is_served_2(request ->> 'job', of_handler, timers.now_2()) THEN
        RETURN jsonb_build_object('now', timers.now_2(), 'found', true, 'isServed', true);
      END IF;
      IF held_by IS NULL THEN
        DELETE FROM timers.job WHERE name = request ->> 'job' AND token IS NULL;
      ELSE
        UPDATE timers.job SET is_removed = true WHERE name = request ->> 'job';
      END IF;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', is_found, 'isServed', false);
    END $f$;

    -- Returns the text of a schedule with one date.
    CREATE FUNCTION timers.at_text_2(moment bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
      SELECT 'at ' || regexp_replace(to_char(
        timestamp '1970-01-01' + moment * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        '[.]?0*Z$', 'Z')
    $f$;

    CREATE FUNCTION timers.put_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      names text[] := ARRAY(SELECT value ->> 'job' FROM jsonb_array_elements(request -> 'jobs'));
      served text;
      one jsonb;
      is_put boolean := true;
    BEGIN
      -- Without locks, as rows that come or go would be locked out of the order of their names. Each put looks
      -- again.
      served := (
        SELECT name FROM timers.job
        WHERE name = ANY (names) AND timers.is_served_2(name, handler, timers.now_2()) ORDER BY name LIMIT 1);
      IF served IS NULL THEN
        FOR one IN
          SELECT value FROM jsonb_array_elements(request -> 'jobs') WITH ORDINALITY AS a (value, place)
          ORDER BY value ->> 'job' COLLATE "C", place
        LOOP
          is_put := timers.put_one_2(one) AND is_put;
        END LOOP;
      END IF;
      RETURN jsonb_build_object('now', timers.now_2(), 'served', served, 'isPut', is_put AND served IS NULL);
    END $f$;

    -- Returns the first moment from a date on, up to the end of the records, for which a job has no record.
    CREATE FUNCTION timers.unrecorded_2(job_name text, date bigint, end_of_records bigint) RETURNS bigint
      LANGUAGE plpgsql STABLE AS $f$
    BEGIN
      WHILE date < end_of_records AND timers.first_record_2(job_name, date) = date LOOP date := date + 1; END LOOP;
      RETURN date;
    END $f$;

    CREATE FUNCTION timers.has_begun_2(job_name text, within bigint) RETURNS boolean LANGUAGE sql STABLE AS $f$
      SELECT coalesce(within > 0 AND (
        SELECT began FROM timers.run WHERE job = job_name AND outcome NOT IN ('settled', 'released')
        ORDER BY token DESC LIMIT 1) > timers.now_2() - within, false)
    $f$;

    -- Returns whether it was put.
    CREATE FUNCTION timers.put_one_2(request jsonb) RETURNS boolean LANGUAGE plpgsql AS $f$
    DECLARE
      job_name text := request ->> 'job';
      moment bigint := timers.now_2();
      only_date bigint;
      first bigint;
      owed bigint;
      is_done boolean;
      end_of_records bigint;
      text_ text;
      key_ text := coalesce(request ->> 'key', '');
      options_ jsonb := coalesce(request -> 'options', '{}');
      unless bigint := request ->> 'unless';
      old timers.job;
    BEGIN
      LOOP
        IF timers.has_begun_2(job_name, unless) THEN RETURN false; END IF;
        only_date := coalesce((request ->> 'date')::bigint, moment + (request ->> 'delay')::bigint);
        first := timers.first_start_2(
          job_name, CASE WHEN only_date IS NULL THEN moment ELSE least(only_date, moment) - 1 END);
        -- Within the statement, this would be planned again for each job.
        end_of_records := CASE WHEN coalesce(only_date > moment + 1000000, true)
          THEN timers.records_end_2(job_name, moment) END;
        owed := only_date;
        IF only_date < greatest(first, end_of_records) THEN
          owed := timers.unrecorded_2(job_name, only_date, greatest(first, end_of_records));
          IF owed < first THEN
            end_of_records := greatest(first, end_of_records);
            first := owed;
          END IF;
        END IF;
        text_ := CASE WHEN only_date IS NULL THEN request ->> 'schedule' ELSE timers.at_text_2(owed) END;
        INSERT INTO timers.job (name, key, options, handler, schedule, payload, start, at, ahead)
          VALUES (
            job_name, key_, options_, coalesce(request ->> 'handler', ''), text_, coalesce(request ->> 'payload', ''), first,
            CASE WHEN only_date IS NULL THEN moment ELSE owed END, end_of_records)
          ON CONFLICT DO NOTHING;
        IF FOUND THEN
          -- It may have been put, run and done meanwhile.
          is_done := owed <> moment AND owed <= timers.now_2() AND timers.first_record_2(job_name, owed) = owed;
          IF NOT (timers.has_begun_2(job_name, unless) OR coalesce(is_done, false)) THEN RETURN true; END IF;
          DELETE FROM timers.job WHERE name = job_name;
          CONTINUE;
        END IF;
        SELECT * INTO old FROM timers.job WHERE name = job_name FOR NO KEY UPDATE;
        moment := timers.now_2();
        IF FOUND THEN
          IF timers.is_served_2(job_name, old.handler, moment) THEN
            RAISE EXCEPTION 'A program has just scheduled the job "%".', job_name USING ERRCODE = '40001';
          END IF;
          IF unless IS NOT NULL AND (timers.has_begun_2(job_name, unless)
            OR NOT old.is_removed AND (old.token IS NOT NULL OR old.at IS NOT NULL OR old.handler = ''))
          THEN
            RETURN false;
          END IF;
          IF timers.at_text_2((request ->> 'date')::bigint) = old.schedule AND NOT old.is_removed
            AND old.handler = coalesce(request ->> 'handler', '') AND (old.token IS NOT NULL OR old.at IS NOT NULL)
          THEN
            UPDATE timers.job SET
                range_payload = CASE WHEN until IS NULL OR payload = coalesce(request ->> 'payload', '')
                  THEN range_payload ELSE coalesce(range_payload, payload) END,
                payload = coalesce(request ->> 'payload', ''), key = key_, options = options_
              WHERE name = job_name;
            RETURN true;
          END IF;
          only_date := coalesce((request ->> 'date')::bigint, moment + (request ->> 'delay')::bigint);
          -- Moments that a clock which was ahead has accounted for are owed again from now on.
          owed := CASE
            WHEN only_date IS NULL THEN NULL
            WHEN old.until IS NULL THEN only_date
            WHEN old.until > moment + 1000000 THEN greatest(only_date, moment + 1)
            ELSE greatest(only_date, old.until + 1) END;
          owed := timers.unrecorded_2(job_name, owed, greatest(old.start, old.ahead));
          text_ := coalesce(timers.at_text_2(owed), request ->> 'schedule');
          UPDATE timers.job SET
              range_handler = CASE WHEN until IS NULL OR handler = coalesce(request ->> 'handler', '') THEN range_handler
                ELSE coalesce(range_handler, handler) END,
              range_payload = CASE WHEN until IS NULL OR payload = coalesce(request ->> 'payload', '') THEN range_payload
                ELSE coalesce(range_payload, payload) END,
              handler = coalesce(request ->> 'handler', ''), payload = coalesce(request ->> 'payload', ''),
              key = key_, options = options_,
              ahead = CASE WHEN until IS NULL AND owed < start THEN greatest(start, ahead) ELSE ahead END,
              start = CASE WHEN until IS NULL AND owed < start THEN owed ELSE start END,
              at = CASE WHEN handler = coalesce(request ->> 'handler', '') OR at IS NULL THEN at ELSE least(at, moment) END
            WHERE name = job_name;
          IF old.is_removed OR old.schedule <> text_
            OR owed IS NOT NULL AND old.token IS NULL AND old.at IS NULL AND old.handler <> ''
          THEN
            UPDATE timers.job
              SET schedule = text_, floor = least(greatest(floor, moment), owed - 1),
                skipped = timers.skip_2(
                  skipped, 0, least(greatest(floor, moment), owed - 1), 'scheduleChanged', '', schedule),
                last_pause = CASE WHEN last_pause -> 'ended' IS NULL THEN last_pause END,
                at = least(at, moment, owed)
              WHERE name = job_name;
          END IF;
          PERFORM timers.restore_2(ARRAY[job_name]);
          PERFORM timers.give_up_outdated_retry_2(job_name, moment);
          RETURN true;
        END IF;
        -- It was deleted meanwhile.
      END LOOP;
    END $f$;
    """
}
