#!/usr/bin/python3
"""Has replicas race for a few jobs on PostgreSQL, with leases of 150 ms, and checks what must hold.

    ../database Harness/races.py [SECONDS [REPLICAS]]
    ../database Harness/races.py --mutants  # and that the races find each fault that is put into the SQL

A replica is a thread with a connection. It claims, renews, ends, repeats requests, ends within transactions that it
commits late or rolls back, sleeps for longer than its lease, and gives its session up. An operator pauses, resumes,
removes and puts two of the jobs. Triggers refuse a write that breaks a rule of the rows. The rest is checked afterwards
from what the replicas have noted, by the clock that they and the server have in common:

    one holder   no two replicas believe at the same time that they hold a job
    accounted    the ranges of a job's ends don't overlap, and leave nothing out
    fenced       each run ends once, and a run whose end was refused has written nothing
    same answer  a claim that is repeated brings what it brought, but for what has ended
    no waiting   a claim does its work while all rows and the other sessions are locked

Needs Debian's package python3-psycopg2.
"""

import collections
import concurrent.futures
import os
import random
import sys
import threading
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schema  # noqa: E402

LEASE = 150_000  # microseconds
# Jobs that are put, which an operator pauses and removes.
OPERATED = ["job-0", "job-1"]
JOBS = [f"job-{n}" for n in range(6)]

RULES = """
CREATE FUNCTION timers.rule() RETURNS trigger LANGUAGE plpgsql AS $f$
BEGIN
  IF TG_TABLE_NAME = 'session' THEN
    ASSERT NOT OLD.is_over OR NEW.is_over, 'a session lives again';
    ASSERT NEW.number >= OLD.number, 'a number goes back';
  ELSIF TG_TABLE_NAME = 'run' THEN
    ASSERT OLD.outcome = 'running', 'a run ends twice: ' || OLD.outcome || ' becomes ' || NEW.outcome;
  ELSE
    ASSERT NEW.start >= OLD.start, 'start goes back';
    ASSERT OLD.token IS NULL OR NEW.token IS NULL OR NEW.token > OLD.token OR NEW.token = OLD.token, 'a token goes back';
    ASSERT OLD.until IS NULL OR NEW.until IS NULL OR NEW.until = OLD.until, 'a range changes';
    ASSERT NEW.token IS NOT NULL OR NEW.session IS NULL, 'a session without a token';
    ASSERT OLD.token IS NULL OR NEW.token = OLD.token OR NEW.token IS NULL OR OLD.session IS NULL OR
      (SELECT is_over FROM timers.session WHERE id = OLD.session), 'a run is taken from a session that lives';
  END IF;
  RETURN NEW;
END $f$;
CREATE TRIGGER rule BEFORE UPDATE ON timers.session FOR EACH ROW EXECUTE FUNCTION timers.rule();
CREATE TRIGGER rule BEFORE UPDATE ON timers.job FOR EACH ROW EXECUTE FUNCTION timers.rule();
CREATE TRIGGER rule BEFORE UPDATE ON timers.run FOR EACH ROW EXECUTE FUNCTION timers.rule();
"""


def microseconds():
    return time.time_ns() // 1000


class Run:
    """A run as its replica sees it: from the claim's answer until its lease or its end."""

    def __init__(self, row, answered, deadline):
        self.row, self.token, self.job = row, row["token"], row["job"]
        self.answered, self.deadline, self.ended = answered, deadline, None
        self.verdicts = []  # pairs of a verdict and the end's outcome and `through`

    def believed(self):
        return self.answered, self.deadline if self.ended is None else min(self.deadline, self.ended)


class Replica(threading.Thread):
    def __init__(self, seed, stop):
        super().__init__()
        self.random, self.stop = random.Random(seed), stop
        self.name = f"replica-{seed}"
        self.connection = schema.connect()
        self.cursor, self.second = self.connection.cursor(), schema.connect().cursor()
        self.copies = concurrent.futures.ThreadPoolExecutor(1)
        self.runs, self.problems, self.counts = {}, [], collections.Counter()
        self.slowest = collections.Counter()

    def ask(self, function, **request):
        began = time.monotonic()
        answer = schema.ask(self.cursor, function, **request)
        self.slowest[function] = max(self.slowest[function], time.monotonic() - began)
        self.counts[function] += 1
        return answer

    def run(self):
        try:
            while not self.stop.is_set():
                self.work()
        except Exception as error:  # a problem of whatever kind ends the replica, and is reported
            self.problems.append(f"{self.name}: {error!r}")
        finally:
            self.copies.shutdown()
            self.second.connection.close()
            self.connection.close()

    def work(self):
        """Works for a session."""
        session, number, mine = str(uuid.uuid4()), 0, {}
        asked = {"session": session, "lease": LEASE}
        own = [job for job in JOBS if job not in OPERATED]
        self.ask("register", **asked, replica=self.name, serves=dict.fromkeys(own, "v"), declares=own, handlers=["h"])
        while not self.stop.is_set():
            number += 1
            request = dict(asked, number=number, limit=self.random.randint(1, 4))
            draw = self.random.random()
            copy = None
            if draw < 0.15:
                # The first copy is under way while the second is sent, whose answer counts.
                copy = self.copies.submit(schema.ask, self.second, "claim", **request)
            elif draw < 0.3:
                first = self.ask("claim", **request)
            sent = microseconds()
            answer = self.ask("claim", **request, isRepeated=draw < 0.3)
            if draw < 0.3:
                first = copy.result() if copy else first
                for row in first["runs"]:
                    self.runs[row["token"]] = Run(row, sent, sent)
                if first["runs"] and not answer["isOver"] and answer["runs"] != first["runs"]:
                    self.problems.append(f"a repeated claim brings {answer}, not {first}")
            if answer["isOver"]:
                self.counts["found over"] += 1
                return
            for row in answer["runs"]:
                self.runs[row["token"]] = mine[row["token"]] = Run(row, microseconds(), sent + LEASE)
                self.counts["taken over"] += row["abandonedBy"] is not None
            self.pause()
            sent = microseconds()
            given_up = [token for token in mine if self.random.random() < 0.03]
            for token in given_up:
                mine.pop(token).ended = sent
            # A row that another request has locked is given up with a later renewal.
            for _ in range(100):
                answer = self.ask("renew", **asked, givesUp=given_up)
                if answer["isOver"]:
                    return
                if not set(given_up) & set(answer["tokens"]):
                    break
                self.pause()
            else:
                self.problems.append(f"{given_up} are still held: {answer}")
            self.counts["given up"] += len(given_up)
            for token in answer["tokens"]:
                if token in mine:
                    mine[token].deadline = max(mine[token].deadline, sent + LEASE)
            for token in set(mine) - set(answer["tokens"]):
                # Only this replica ends its runs, so another has no reason to.
                self.problems.append(f"{token} isn't held, and its session isn't over")
            if mine:
                self.end(mine)
                self.pause()
            if self.random.random() < 0.03:
                for run in mine.values():
                    run.ended = microseconds()
                self.ask("close", session=session)
                return

    def pause(self):
        """Waits for a moment, for about a lease, or for much longer."""
        draw = self.random.random()
        time.sleep(0.4 if draw < 0.05 else self.random.uniform(0.1, 0.17) if draw < 0.25 else 0.02 * draw)

    def end(self, mine):
        chosen = self.random.sample(list(mine.values()), self.random.randint(1, len(mine)))
        self.random.shuffle(chosen)
        ends = []
        now = microseconds()
        for run in chosen:
            run.ended = now
            outcome = self.random.choice(["done", "done", "failed", "settled", "retried", "released"])
            first, until = run.row["from"], run.row["until"]
            through = self.random.randint(first, until) if first <= until else until
            ends.append({"token": run.token, "outcome": outcome, "through": through, "next": now, "schedule": "v",
                         "date": through if outcome in ("done", "failed") and first <= until else None, "missed": 0})
        in_transaction = self.random.random() < 0.2
        self.connection.autocommit = not in_transaction
        # A copy in the other order, at the same time.
        copy = None
        if not in_transaction and self.random.random() < 0.2:
            copy = self.copies.submit(schema.ask, self.second, "end", ends=ends[::-1])
        verdicts = self.send(ends, waits=in_transaction)
        if copy:
            pairs = [*zip(verdicts, copy.result()["verdicts"][::-1])]
            if not set(pairs) <= {("written", "before"), ("before", "written"), ("written", "locked"),
                                  ("refused", "refused"), ("refused", "locked")}:
                self.problems.append(f"two copies of an end answer {pairs}")
            verdicts = ["written" if "written" in pair else pair[0] for pair in pairs]
        elif in_transaction:
            time.sleep(self.random.choice([0.01, 0.3]))
            is_rolled_back = self.random.random() < 0.5
            self.connection.rollback() if is_rolled_back else self.connection.commit()
            self.connection.autocommit = True
            if is_rolled_back:
                verdicts = self.send(ends)
        elif self.random.random() < 0.2:
            # The answer was lost.
            again = self.send(ends)
            if again != ["before" if verdict == "written" else verdict for verdict in verdicts]:
                self.problems.append(f"a repeated end answers {again} after {verdicts}")
        for run, end, verdict in zip(chosen, ends, verdicts):
            run.verdicts.append((verdict, end))
            self.counts[verdict] += 1
            del mine[run.token]

    def send(self, ends, waits=False):
        """Sends ends, again for rows that are locked, and returns the verdicts. A transaction waits for such rows."""
        verdicts = self.ask("end", ends=ends, waits=waits)["verdicts"]
        while "locked" in verdicts:
            again = self.ask("end", ends=ends)["verdicts"]
            verdicts = [new if old == "locked" else old for old, new in zip(verdicts, again)]
        return verdicts


class Operator(threading.Thread):
    def __init__(self, stop):
        super().__init__()
        self.stop, self.random, self.problems = stop, random.Random(0), []

    def run(self):
        cursor = schema.connect().cursor()
        try:
            while not self.stop.is_set():
                job = self.random.choice(OPERATED)
                if self.random.random() < 0.5:
                    schema.ask(cursor, "pause", job=job, isPaused=True)
                    time.sleep(0.1)
                    schema.ask(cursor, "pause", job=job, isPaused=False)
                else:
                    schema.ask(cursor, "remove", job=job)
                    time.sleep(0.05)
                    schema.ask(cursor, "put", jobs=[{"job": job, "handler": "h", "schedule": "v"}])
                schema.ask(cursor, "jobs")
                schema.ask(cursor, "history", limit=10)
                time.sleep(0.1)
        except Exception as error:
            self.problems.append(f"operator: {error!r}")


def check_holders(job, runs):
    intervals = sorted((*run.believed(), run.token) for run in runs if run.believed()[0] < run.believed()[1])
    for (_, end, token), (start, _, other) in zip(intervals, intervals[1:]):
        if start < end:
            yield f"{job}: runs {token} and {other} are held at once, for {end - start} µs"


def check_ranges(job, runs):
    """Each range begins where the one before it ended. A job that is operated may leave moments out."""
    runs = sorted(runs, key=lambda run: run.token)
    for run, following in zip(runs, runs[1:]):
        written = next((end for verdict, end in run.verdicts if verdict == "written"), None)
        first, until = run.row["from"], run.row["until"]
        found = following.row["from"], following.row["until"]
        if written and written["outcome"] in ("done", "failed", "settled"):
            is_right = found[0] > written["through"] if job in OPERATED else found[0] == written["through"] + 1
        elif written and written["outcome"] == "released" and run.row["attempt"] == 1:
            is_right = found[0] >= first if job in OPERATED else found[0] == first and found[1] >= until
        else:
            is_right = found == (first, until) or job in OPERATED and found[0] > until
        if not is_right:
            yield f"{job}: {found} comes after {first, until}, which ended as {written}: {run.token}, {following.token}"


def check_records(runs, records):
    for run in runs:
        outcome = records.get(run.token)
        for verdict, end in run.verdicts:
            # No attempt follows after a job was removed and put again during its run.
            if end["outcome"] == "retried" and outcome == "failed" and run.job in OPERATED:
                continue
            if verdict == "written" and outcome != end["outcome"] or verdict == "refused" and outcome != "abandoned":
                yield f"{run.job}: the end of {run.token} as {end['outcome']} was {verdict}, and is recorded as {outcome}"


NAMES = ["one", "two", "three"]


def check_no_waiting():
    """Claims, and ends runs, while the rows of all other jobs and of other sessions are locked."""
    blocker, cursor = schema.connect(), schema.connect().cursor()
    other, own = str(uuid.uuid4()), str(uuid.uuid4())
    for session in (other, own):
        schema.ask(cursor, "register", session=session, replica="r", lease=1, serves=dict.fromkeys(NAMES, "v"),
                   declares=NAMES)
    runs = schema.ask(cursor, "claim", session=other, number=1, limit=2, lease=1)["runs"]
    [free] = {*NAMES} - {run["job"] for run in runs}
    blocker.autocommit = False
    locks = blocker.cursor()
    locks.execute("SELECT FROM timers.session WHERE id = %s FOR UPDATE", [other])
    locks.execute("SELECT FROM timers.job WHERE name <> %s FOR UPDATE", [runs[1]["job"]])
    cursor.execute("SET lock_timeout = '20ms'")
    answer = schema.ask(cursor, "claim", session=own, number=1, limit=9, lease=1)
    if (answer["runs"], answer["locked"]) != ([], [free]) or not answer["next"] or answer["next"] > answer["now"]:
        yield f"a claim beside locks answers {answer}"
    ends = [{"token": run["token"], "outcome": "done", "through": run["until"], "schedule": "v"} for run in runs]
    if (answer := schema.ask(cursor, "end", ends=ends)["verdicts"]) != ["locked", "written"]:
        yield f"two ends, one beside locks, are {answer}"
    blocker.rollback()
    answer = schema.ask(cursor, "claim", session=own, number=2, limit=9, lease=1)
    if len(answer["runs"]) != 2 or answer["locked"]:
        yield f"a claim after locks answers {answer}"


# What is wrong, the SQL, and what is in its place.
MUTANTS = [
    ("a renewal doesn't lock its session", "PERFORM FROM timers.session WHERE id = id_ AND NOT is_over FOR NO KEY UPDATE;",
     "PERFORM FROM timers.session WHERE id = id_ AND NOT is_over; IF FOUND THEN PERFORM pg_sleep(0.02); END IF;"),
    ("a claim doesn't lock its session", "WHERE id = (request ->> 'session')::uuid AND NOT is_over FOR NO KEY UPDATE;",
     "WHERE id = (request ->> 'session')::uuid AND NOT is_over; IF FOUND THEN PERFORM pg_sleep(0.02); END IF;"),
    ("a judge doesn't lock the session", "NOT NULL LIMIT 1) FOR NO KEY UPDATE SKIP LOCKED);",
     "NOT NULL LIMIT 1)); n integer := (SELECT 1 FROM pg_sleep(0.02));"),
    ("a claim waits for sessions", "NOT NULL LIMIT 1) FOR NO KEY UPDATE SKIP LOCKED);", "NOT NULL LIMIT 1) FOR NO KEY UPDATE);"),
    ("a claim doesn't lock what is free", "ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ), put",
     "ORDER BY at LIMIT most ), put"),
    ("a claim waits for jobs", "ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ), put",
     "ORDER BY at LIMIT most FOR NO KEY UPDATE ), put"),
    ("an end waits for jobs", "FOR UPDATE OF job SKIP LOCKED) AS locked;", "FOR UPDATE OF job) AS locked;"),
    ("an end doesn't lock its jobs", "ORDER BY job.name FOR UPDATE OF job SKIP LOCKED) AS locked;",
     "ORDER BY job.name) AS locked; PERFORM pg_sleep(0.02);"),
]


def race(cursor, sql, seconds, count):
    """Has replicas race, and returns what they have noted and what is wrong with it."""
    cursor.execute("DROP SCHEMA IF EXISTS timers CASCADE")
    cursor.execute(sql)
    cursor.execute(RULES)
    try:
        problems = list(check_no_waiting())
    except schema.Error as error:
        problems = [f"a claim beside locks: {error}"]
    if problems:
        return [], problems
    stop = threading.Event()
    replicas = [Replica(seed, stop) for seed in range(1, count + 1)]
    threads = [*replicas, Operator(stop)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not any(thread.problems for thread in threads):
        time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()
        problems += thread.problems

    cursor.execute("SELECT token, outcome FROM timers.run")
    records = dict(cursor.fetchall())
    runs = [run for replica in replicas for run in replica.runs.values()]
    for job in JOBS:
        of_job = [run for run in runs if run.job == job]
        problems += [*check_holders(job, of_job), *check_ranges(job, of_job)]
    unknown = set(records) - {run.token for run in runs}
    # The claims of `check_no_waiting` have brought four.
    if len(unknown) > 4 and not problems:
        problems.append(f"no replica knows the runs {unknown}")
    problems += check_records(runs, records)
    return replicas, problems


def main():
    is_search = sys.argv[1:2] == ["--mutants"]
    numbers = sys.argv[2:] if is_search else sys.argv[1:]
    seconds, count = [int(text) for text in (numbers + ["20", "6"][len(numbers):])]
    cursor = schema.connect().cursor()
    cursor.execute("SET client_min_messages = warning")
    sql = schema.migration()
    if is_search:
        missed = 0
        for name, old, new in MUTANTS:
            _, problems = race(cursor, schema.changed(sql, old, new), seconds, count)
            missed += not problems
            print(f"✔ {name}: {' '.join(problems[0].split())[:120]}" if problems else f"✘ not found: {name}", flush=True)
        sys.exit(1 if missed else 0)
    replicas, problems = race(cursor, sql, seconds, count)
    counts, slowest = collections.Counter(), collections.Counter()
    for replica in replicas:
        counts += replica.counts
        slowest |= replica.slowest
    print("  " + ", ".join(f"{name} {number}" for name, number in sorted(counts.items())))
    print("  slowest: " + ", ".join(f"{name} {duration * 1000:.0f} ms" for name, duration in sorted(slowest.items())))
    if problems:
        sys.exit("\n".join(f"✘ {problem}" for problem in problems[:20]) + f"\n{len(problems)} problems")
    runs = sum(len(replica.runs) for replica in replicas)
    print(f"✔ {runs} runs of {len(JOBS)} jobs by {count} replicas in {seconds} s")


main()
