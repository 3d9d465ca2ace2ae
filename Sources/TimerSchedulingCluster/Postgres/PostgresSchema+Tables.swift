extension PostgresSchema {
  /// The tables. All times are microseconds since 1970 by the database's clock.
  ///
  /// The locks: a function that locks several jobs does so in the order of their names, and one that locks a
  /// job and then its own session never has the session first and waits for a job. A claim waits for its own
  /// session only, and skips whatever else is locked. An end waits for jobs only within a transaction of the
  /// user. So requests never wait for each other in a circle.
  static let tables = """
    CREATE SEQUENCE timers.token;

    CREATE TABLE timers.job (
      name text COLLATE "C" PRIMARY KEY,
      handler text NOT NULL DEFAULT '',
      schedule text NOT NULL,
      payload text NOT NULL DEFAULT '',
      floor bigint NOT NULL DEFAULT 0,
      start bigint NOT NULL,
      at bigint,
      until bigint,
      attempt integer NOT NULL DEFAULT 0,
      fixed_by text,
      is_lost boolean NOT NULL DEFAULT false,
      asked jsonb NOT NULL DEFAULT '[]',
      skipped jsonb NOT NULL DEFAULT '[]',
      is_paused boolean NOT NULL DEFAULT false,
      paused_by text NOT NULL DEFAULT '',
      pause_reason text NOT NULL DEFAULT '',
      is_removed boolean NOT NULL DEFAULT false,
      token bigint,
      session uuid,
      number bigint,
      cancelled_by text,
      failed_end jsonb,
      last_date bigint,
      done_count bigint NOT NULL DEFAULT 0,
      failed_count bigint NOT NULL DEFAULT 0,
      abandoned_count bigint NOT NULL DEFAULT 0,
      missed_count bigint NOT NULL DEFAULT 0,
      ahead bigint,
      range_handler text,
      range_payload text,
      key text COLLATE "C" NOT NULL DEFAULT '',
      held_key text,
      options jsonb NOT NULL DEFAULT '{}',
      postponed integer NOT NULL DEFAULT 0,
      steps jsonb NOT NULL DEFAULT '{}',
      last_pause jsonb
    );
    COMMENT ON COLUMN timers.job.last_pause
      IS 'The job''s own pause, and once it has ended as long as dates from before it are owed: began, ended, by, reason.';
    COMMENT ON COLUMN timers.job.steps IS 'The results of the steps of the range''s action, as JSON in texts.';
    COMMENT ON COLUMN timers.job.key IS 'Empty without one.';
    COMMENT ON COLUMN timers.job.held_key IS 'The key when the run that holds the row was claimed.';
    COMMENT ON COLUMN timers.job.options IS 'What was put with the job: attempts and within, in microseconds.';
    COMMENT ON COLUMN timers.job.postponed IS 'How often the date of the range was postponed.';
    COMMENT ON COLUMN timers.job.range_handler
      IS 'Of the range, as is range_payload, if the job was put with another one since its claim. Otherwise NULL.';
    COMMENT ON COLUMN timers.job.ahead
      IS 'The end of what was accounted for before: by a clock that was ahead, or until an earlier date was put. Or NULL.';
    COMMENT ON COLUMN timers.job.name IS 'In the order of its bytes, as in all stores. So pages of jobs are the same.';
    COMMENT ON COLUMN timers.job.handler
      IS 'Of a job that was put. Empty for a job of a program, which has its schedule.';
    COMMENT ON COLUMN timers.job.floor IS 'Dates up to it aren''t run. 0 if there is no such limit.';
    COMMENT ON COLUMN timers.job.start IS 'The first moment that isn''t accounted for. It grows, but for ahead.';
    COMMENT ON COLUMN timers.job.at IS 'The moment from which the job may be claimed. NULL for never.';
    COMMENT ON COLUMN timers.job.until
      IS 'The end of the range that a claim fixed. NULL before the first attempt.';
    COMMENT ON COLUMN timers.job.is_lost IS 'Whether an attempt of the range was abandoned.';
    COMMENT ON COLUMN timers.job.asked IS 'What an operator has asked for: objects with id, from and through.';
    COMMENT ON COLUMN timers.job.skipped
      IS 'Why dates were left out, and will be: objects with from, through, reason, by and note. No rule reads it.';
    COMMENT ON COLUMN timers.job.cancelled_by IS 'Who has cancelled the run that holds the row.';
    COMMENT ON COLUMN timers.job.failed_end
      IS 'The end of the range''s last attempt, which has failed, if no other attempt follows.';
    COMMENT ON COLUMN timers.job.fixed_by IS 'The schedule for which the range was fixed.';
    COMMENT ON COLUMN timers.job.token
      IS 'Of the run that holds the row, as are session and number. NULL without one.';
    COMMENT ON COLUMN timers.job.session
      IS 'NULL beside a token for a run that its replica has given up.';
    CREATE INDEX job_free ON timers.job (at) WHERE token IS NULL AND NOT is_paused AND handler = '';
    CREATE INDEX job_free_put ON timers.job (handler, at)
      WHERE token IS NULL AND NOT is_paused AND handler <> '';
    CREATE INDEX job_turn ON timers.job (handler, key, at)
      WHERE token IS NULL AND NOT is_paused AND handler <> '';
    CREATE INDEX job_held ON timers.job (session) WHERE token IS NOT NULL;
    CREATE INDEX job_running ON timers.job (coalesce(range_handler, handler)) WHERE token IS NOT NULL;
    CREATE INDEX job_retrying ON timers.job (handler, at)
      WHERE token IS NULL AND NOT is_paused AND handler <> '' AND failed_end IS NOT NULL AND until IS NOT NULL;

    -- Of handlers, and of the cluster with an empty handler. The last one of each.
    CREATE TABLE timers.pause (
      handler text PRIMARY KEY,
      began bigint NOT NULL,
      ended bigint,
      person text NOT NULL,
      reason text NOT NULL
    );
    COMMENT ON COLUMN timers.pause.ended IS 'NULL while it is under way.';

    -- Of handlers with limits for all replicas. Each claim of their jobs writes the row, so no two count the same room.
    CREATE TABLE timers.turn (
      handler text PRIMARY KEY,
      key text COLLATE "C" NOT NULL DEFAULT '',
      claims bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);
    COMMENT ON COLUMN timers.turn.key IS 'The last one that had its turn.';

    -- A row is written with each renewal, and has space beside it for the next version.
    CREATE TABLE timers.session (
      id uuid PRIMARY KEY,
      replica text NOT NULL,
      lease_end bigint NOT NULL,
      lease_length bigint NOT NULL,
      number bigint NOT NULL DEFAULT 0,
      is_over boolean NOT NULL DEFAULT false,
      handlers text[] NOT NULL DEFAULT '{}',
      serves jsonb NOT NULL DEFAULT '{}',
      served_count bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);
    -- A claim looks into it for each row, so it isn't compressed.
    ALTER TABLE timers.session ALTER COLUMN serves SET STORAGE EXTERNAL;
    COMMENT ON COLUMN timers.session.number IS 'Of the last claim that took rows or was sent again.';
    COMMENT ON COLUMN timers.session.is_over
      IS 'Whether its rows are free for others. It never becomes false again.';
    COMMENT ON COLUMN timers.session.serves IS 'The schedule of each job of the program.';

    CREATE TABLE timers.run (
      token bigint PRIMARY KEY,
      job text COLLATE "C" NOT NULL,
      scheduled_date bigint,
      attempt integer NOT NULL,
      missed bigint NOT NULL DEFAULT 0,
      replica text NOT NULL,
      began bigint NOT NULL,
      ended bigint,
      outcome text NOT NULL DEFAULT 'running',
      failure text,
      is_asked boolean NOT NULL DEFAULT false,
      start bigint,
      through bigint,
      schedule text NOT NULL DEFAULT '',
      skipped jsonb NOT NULL DEFAULT '[]'
    );
    COMMENT ON COLUMN timers.run.scheduled_date
      IS 'The date. A run that was settled has one if the date''s attempts are used up.';
    COMMENT ON COLUMN timers.run.start
      IS 'The first moment for which the run accounts, as through is the last. NULL if it was released.';
    COMMENT ON COLUMN timers.run.skipped IS 'The dates that it has left out, as in the job.';
    CREATE INDEX run_job_token ON timers.run (job, token);
    -- The job's row ensures this, and the index checks it once more.
    CREATE UNIQUE INDEX run_once ON timers.run (job, scheduled_date) 
      WHERE outcome IN ('done', 'failed', 'settled') AND NOT is_asked;
    CREATE INDEX run_failed ON timers.run (token) WHERE outcome IN ('failed', 'retried', 'abandoned');

    CREATE FUNCTION timers.now_2() RETURNS bigint LANGUAGE sql VOLATILE AS
      $f$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $f$;
    """
}
