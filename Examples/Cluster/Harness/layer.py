"""A layer over the functions of the schema `timers`, with which the harness sets the store's clock, loses renewals, and
notes what the store does.

Each request is noted with its answer within the transaction that does it, so one that is rolled back isn't. The store's
time stands still while a request is done, as it does in the model.
"""

FUNCTIONS = ["register", "claim", "end", "renew", "close"]

LAYER = """
CREATE SCHEMA harness;
CREATE SEQUENCE harness.shift MINVALUE -1000000000000 START 0;
CREATE TABLE harness.lost (replica text, until timestamptz);
CREATE TABLE harness.trace (
  place bigserial, began timestamptz, function text, request jsonb, answer jsonb, moment bigint);
GRANT USAGE ON SCHEMA harness TO service;
GRANT SELECT ON ALL TABLES IN SCHEMA harness TO service;
GRANT SELECT ON SEQUENCE harness.shift TO service;
GRANT USAGE ON SEQUENCE harness.trace_place_seq TO service;
GRANT INSERT ON harness.trace TO service;

-- A sequence's value is read as it is now, whatever the transaction's isolation.
CREATE OR REPLACE FUNCTION timers.now_2() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $f$
DECLARE
  noted text := current_setting('harness.moment', true);
  moment bigint;
BEGIN
  IF noted NOT IN ('', 'next') THEN RETURN noted; END IF;
  moment := (SELECT extract(epoch FROM clock_timestamp()) * 1000000 + last_value FROM harness.shift);
  IF noted = 'next' THEN PERFORM set_config('harness.moment', moment::text, true); END IF;
  RETURN moment;
END $f$;
"""

WRAPPER = """
ALTER FUNCTION timers.{name}_2(jsonb) RENAME TO {name}_within;
CREATE FUNCTION timers.{name}_2(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
DECLARE
  began timestamptz := clock_timestamp();
  answer jsonb;
BEGIN
  IF '{name}' = 'renew' AND EXISTS (
    SELECT FROM harness.lost JOIN timers.session USING (replica)
    WHERE id = (request ->> 'session')::uuid AND clock_timestamp() < until)
  THEN
    RAISE EXCEPTION 'This renewal is lost.';
  END IF;
  PERFORM set_config('harness.moment', 'next', true);
  answer := timers.{name}_within(request);
  -- Its place comes before that of a request that waits for the same rows.
  INSERT INTO harness.trace (began, function, request, answer, moment)
    VALUES (began, '{name}', request, answer, timers.now_2());
  PERFORM set_config('harness.moment', '', true);
  RETURN answer;
END $f$;
"""


def put_over(postgres):
    """Puts the layer over a schema that is there, before any session is."""
    wrappers = "".join(WRAPPER.format(name=name) for name in FUNCTIONS)
    postgres.query(f"BEGIN; {LAYER} {wrappers} COMMIT;")
