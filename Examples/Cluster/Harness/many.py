#!/usr/bin/python3
"""Checks that claims, ends and puts of jobs read a few rows, however many jobs and records there are.

Run it with Examples/Cluster/database. A session makes its plans while there are ten jobs. Then 100,000 jobs are put
that are due in an hour, and as many that are overdue and whose handler no replica has. It claims, ends and puts some,
without statistics of the new rows and with them, and counts the rows that are read. Last it looks for old records
among 200,000 new ones, and counts those that it reads.
"""

import itertools
import json
import statistics
import sys
import time

import schema

JOBS = 100_000
LEASE = 600_000_000
SESSION = "00000000-0000-0000-0000-000000000001"
SCHEDULE = "every 1 h, starting aligned"
PROGRAM = [f"own {number}" for number in range(10)]


def main():
    cursor = schema.connect().cursor()
    cursor.execute("SET client_min_messages = warning")
    cursor.execute("DROP SCHEMA IF EXISTS timers CASCADE")
    cursor.execute(schema.migration())
    cursor.execute("ALTER TABLE timers.job SET (autovacuum_enabled = off)")
    schema.ask(cursor, "register", session=SESSION, replica="a", lease=LEASE, handlers=["report"],
               serves={job: SCHEDULE for job in PROGRAM}, declares=PROGRAM)
    numbers, times, read = itertools.count(1), {}, {}

    def rows_read():
        cursor.execute(
            "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables"
            " WHERE schemaname = 'timers' AND relname = 'job'")
        return int(cursor.fetchone()[0] or 0)

    def ask(what, function, **request):
        # The numbers are those of a transaction and of some before it.
        cursor.execute("BEGIN")
        before, began = rows_read(), time.perf_counter()
        answer = schema.ask(cursor, function, **request)
        times.setdefault(what, []).append((time.perf_counter() - began) * 1000)
        read[what] = max(read.get(what, 0), rows_read() - before)
        cursor.execute("COMMIT")
        return answer

    def claim(what):
        return ask(what, "claim", session=SESSION, number=next(numbers), isRepeated=False, limit=100, lease=LEASE)

    def put(first):
        ask("a put of 100 jobs", "put", jobs=[
            {"job": f"job {number}", "handler": "report", "schedule": SCHEDULE} for number in range(first, first + 100)])

    def end(runs):
        answer = ask("the ends of up to 100 runs", "end", ends=[
            {"token": run["token"], "outcome": "done", "date": run["until"], "through": run["until"],
             "next": run["until"] + 3_600_000_000, "schedule": run["schedule"], "missed": 0} for run in runs])
        if answer["verdicts"] != ["written"] * len(runs):
            sys.exit(f"✘ {json.dumps(answer)}")

    def check(unhandled, due):
        for _ in range(20):
            answer = claim("a claim without rows")
            if answer["runs"] or answer["unhandled"] != unhandled:
                sys.exit(f"✘ {json.dumps(answer)}")
        for _ in range(10):
            cursor.execute("UPDATE timers.job SET at = 2 WHERE name = ANY (%s)", [due])
            runs = claim("a claim of up to 100 rows")["runs"]
            if len(runs) != len(due):
                sys.exit(f"✘ {len(runs)} runs")
            end(runs)

    # Each statement is planned for any values after a few executions.
    end(claim("a claim of up to 100 rows")["runs"])
    check([], PROGRAM)
    for _ in range(10):
        put(0)
    end(claim("a claim of up to 100 rows")["runs"])
    read.clear()
    for name, handler, at in (("job", "report", "timers.now_2() + 3600000000"), ("other", "mail", "1")):
        cursor.execute(
            "INSERT INTO timers.job (name, handler, schedule, payload, start, at)"
            f" SELECT '{name} ' || i, '{handler}', '{SCHEDULE}', i::text, 1, {at}"
            " FROM generate_series(100, %s) AS i", [JOBS + 99])
    for _ in range(2):
        check(["mail"], PROGRAM + [f"job {number}" for number in range(90)])
        put(0)
        cursor.execute("VACUUM ANALYZE timers.job")
    cursor.execute(
        "INSERT INTO timers.run (token, job, attempt, replica, began, outcome)"
        " SELECT nextval('timers.token'), 'job', 1, 'a', timers.now_2(), 'done' FROM generate_series(1, 200000)")
    cursor.execute("VACUUM ANALYZE timers.run")
    cursor.execute("BEGIN")
    cursor.execute("SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE relname = 'run'")
    before = int(cursor.fetchone()[0] or 0)
    answer = schema.ask(cursor, "remove_history", before=1, keeping=1_000_000, limit=1_000)
    cursor.execute("SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE relname = 'run'")
    records = int(cursor.fetchone()[0] or 0) - before
    cursor.execute("COMMIT")
    print(f"a removal without old records: {records} records read")
    if records > 10_000 or answer["count"] != 0:
        sys.exit("✘ A removal reads the history.")
    for what, values in times.items():
        print(f"{what}: {statistics.median(values):.1f} ms, {read[what]} reads of jobs")
    if max(read.values()) > 5_000:
        sys.exit("✘ A request reads jobs that don't concern it.")
    print(f"✔ {2 * JOBS} jobs")


main()
