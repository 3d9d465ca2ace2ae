extension PostgresSchema {
  /// The changes by operators. They wait for the job's row, and never write the fields of a run.
  static let operators = """
    -- Without a job, all are paused or resumed.
    CREATE FUNCTION timers.pause_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      pauses boolean := request ->> 'isPaused';
      one text := request ->> 'job';
      chosen text[] := ARRAY(
        SELECT name FROM timers.job WHERE (one IS NULL OR name = one) AND NOT is_removed
        ORDER BY name FOR NO KEY UPDATE);
      moment bigint := timers.now_2();
    BEGIN
      UPDATE timers.job SET
        is_paused = pauses, floor = CASE WHEN pauses THEN floor ELSE greatest(floor, moment) END,
        skipped = CASE WHEN pauses THEN skipped
          ELSE timers.skip_2(skipped, greatest(floor, moment), 'paused', paused_by, pause_reason) END,
        paused_by = coalesce(request ->> 'by', ''), pause_reason = coalesce(request ->> 'reason', '')
        WHERE name = ANY (chosen) AND NOT is_removed AND is_paused <> pauses;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', one IS NULL OR chosen <> '{}');
    END $f$;

    -- Runs that are asked for don't write the fields of a run under way. They come after it.
    CREATE FUNCTION timers.ask_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint;
    BEGIN
      PERFORM FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed FOR NO KEY UPDATE;
      moment := timers.now_2();
      -- A retry keeps its moment.
      UPDATE timers.job SET
        at = CASE WHEN until IS NULL OR token IS NOT NULL THEN least(at, moment) ELSE at END,
        asked = asked || jsonb_build_object(
          'id', nextval('timers.token'), 'from', coalesce((request ->> 'from')::bigint, moment),
          'through', coalesce((request ->> 'through')::bigint, moment))
        WHERE name = request ->> 'job' AND NOT is_removed;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', FOUND);
    END $f$;

    -- The renewal of the run's session tells its replica.
    CREATE FUNCTION timers.cancel_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    BEGIN
      UPDATE timers.job SET cancelled_by = coalesce(cancelled_by, request ->> 'by')
        WHERE name = request ->> 'job' AND token IS NOT NULL AND session IS NOT NULL;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', FOUND);
    END $f$;

    -- A row that is held goes with its run: the end deletes it, or a claim when its session is over.
    CREATE FUNCTION timers.remove_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      held_by bigint;
      is_found boolean;
    BEGIN
      SELECT token INTO held_by FROM timers.job WHERE name = request ->> 'job' AND NOT is_removed FOR UPDATE;
      is_found := FOUND;
      IF held_by IS NULL THEN
        DELETE FROM timers.job WHERE name = request ->> 'job' AND token IS NULL;
      ELSE
        UPDATE timers.job SET is_removed = true WHERE name = request ->> 'job';
      END IF;
      RETURN jsonb_build_object('now', timers.now_2(), 'found', is_found);
    END $f$;

    CREATE FUNCTION timers.put_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
    DECLARE
      moment bigint := timers.now_2();
    BEGIN
      LOOP
        INSERT INTO timers.job (name, handler, schedule, payload, start, at)
          VALUES (
            request ->> 'job', coalesce(request ->> 'handler', ''), request ->> 'schedule',
            coalesce(request ->> 'payload', ''), timers.first_start_2(request ->> 'job', moment), moment)
          ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
        PERFORM FROM timers.job WHERE name = request ->> 'job' FOR NO KEY UPDATE;
        moment := timers.now_2();
        IF FOUND THEN
          UPDATE timers.job
            SET handler = coalesce(request ->> 'handler', ''), payload = coalesce(request ->> 'payload', '')
            WHERE name = request ->> 'job';
          UPDATE timers.job
            SET schedule = request ->> 'schedule', floor = greatest(floor, moment),
              skipped = timers.skip_2(skipped, greatest(floor, moment), 'scheduleChanged', '', schedule),
              at = least(at, moment)
            WHERE name = request ->> 'job' AND (is_removed OR schedule <> request ->> 'schedule');
          PERFORM timers.restore_2(ARRAY[request ->> 'job']);
          EXIT;
        END IF;
        -- It was deleted meanwhile.
      END LOOP;
      RETURN jsonb_build_object('now', timers.now_2());
    END $f$;
    """
}
