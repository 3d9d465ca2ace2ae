#!/usr/bin/python3
"""Kills every process while jobs are put, removed, backfilled and retried, and checks that nothing is lost or done twice.

    ./kills.py --replica PATH [--seconds 8] [--seed 1] [--postgres] [--orderly]

Three replicas share a file of SQLite, or a PostgreSQL. The commands of `Replica` change the tenants, each in one
transaction with its job. Again and again, a SIGKILL ends the replicas and the command, which may be within its
transaction. While no process lives, each tenant must be as the last command that returned has left it, or as the killed
one would have, and its job with it. At no time may more runs be under way than the limits allow. In the end each date and
its step must have been done once, no attempt forgotten, and `explain` must say what became of each date.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from databases import File, Server  # noqa: E402
from ledger import Ledger, milliseconds, text  # noqa: E402
from postgres import Postgres, wait_until  # noqa: E402

LEASE, STEP, WORK = 1, 0.5, 0.2
# The jobs of each second while replicas are ended in order.
MANY = 25
HOUR = 3_600_000
# Of each kind of tenant, the seconds between two dates and whether its dates fail at first. Those of one have a key.
KINDS = {"quick": (2, ""), "flaky": (4, "1 failures"), "hourly": (3600, ""), "keyed": (2, "")}
# The seconds between two dates of each tenant that always runs.
STEADY = {f"{kind}{number}": KINDS[kind][0] for kind in ("quick", "flaky", "keyed") for number in range(2)}
# The runs of tenants on all replicas at a time, and those of a key.
IN_ALL, PER_KEY = 4, 1
BACKOFF = 1000


def now():
    return round(time.time() * 1000)


class Kills:
    def __init__(self, program, database, folder, seed, lease):
        self.program, self.database, self.lease = program, database, lease
        self.random = random.Random(seed)
        self.output = os.path.join(folder, "output")
        open(self.output, "w").close()
        self.ledger = Ledger(self.output)
        self.replicas = []
        self.limits = []  # options of the replicas
        self.is_over = False
        self.errors = subprocess.DEVNULL
        self.numbers = itertools.count(1)
        self.payloads = {}  # of each tenant, those it can have; None if it can be absent
        self.added, self.removed = {}, {}  # the moments since which tenants are there, or aren't
        self.backfills = []  # lists of tenant, dates, and whether it returned
        self.took = collections.defaultdict(lambda: [0.01])  # seconds, by operation
        self.done = collections.Counter()
        self.problems = []

    # Processes

    def start(self):
        self.replicas += map(self.start_one, "abc")

    def start_one(self, name):
        with open(self.output, "a") as output:
            return subprocess.Popen(
                [self.program, "run", *self.database.options, "--name", name, "--lease", str(self.lease), "--step", str(STEP),
                 "--work", str(WORK), "--attempts", "1000", "--catch-up", "86400", *self.limits],
                stdout=output, stderr=self.errors)

    def kill(self):
        for process in self.replicas:
            if process.poll() is not None:
                raise SystemExit(f"A replica has ended by itself, with {process.returncode}.")
            process.kill()
        for process in self.replicas:
            process.wait()
        self.replicas = []

    def listed(self, *arguments):
        """Returns the rows that a command lists, by the names of their columns."""
        done = subprocess.run(
            [self.program, arguments[0], *self.database.options, *arguments[1:]], capture_output=True, text=True, check=True)
        names, *rows = [line.split("\t") for line in done.stdout.splitlines()]
        return [dict(zip(names, row)) for row in rows]

    def perform(self, is_killed, operation, tenant, *arguments):
        """Runs a command, or kills it with all replicas while it works. Returns whether it has returned."""
        process = subprocess.Popen(
            [self.program, operation, *self.database.options, tenant, *arguments], stdout=subprocess.PIPE, text=True)
        if process.stdout.readline() != f"asks {operation} {tenant}\n":
            raise SystemExit(f"{operation} of {tenant} has failed.")
        began = time.monotonic()
        if is_killed:
            time.sleep(self.random.uniform(0, 1.2) * statistics.median(self.took[operation]))
            process.kill()
            self.kill()
        has_returned = process.stdout.readline() == f"did {operation} {tenant}\n"
        if not is_killed:
            self.took[operation].append(time.monotonic() - began)
        if process.wait() and not is_killed:
            raise SystemExit(f"{operation} of {tenant} has failed.")
        self.done[f"{operation}{', killed' if is_killed else ''}{'' if has_returned else ' before it returned'}"] += 1
        return has_returned

    # Operations

    def change(self, is_killed):
        """Performs one operation."""
        there = [name for name, payloads in self.payloads.items() if payloads != {None}]
        hourly = [name for name in there if name.startswith("hourly")]
        extra = [name for name in there if name.startswith("extra")]
        chosen = self.random.choice(["put", "change"] + ["remove"] * bool(extra) + ["backfill"] * 2)
        if chosen == "backfill":
            self.backfill(is_killed, self.random.choice(hourly))
        elif chosen == "change":
            self.put(is_killed, self.random.choice(hourly), 3600, f"payload {next(self.numbers)}")
        elif chosen == "put":
            self.put(is_killed, f"extra{next(self.numbers)}", 2, "")
        else:
            self.remove(is_killed, self.random.choice(extra))

    def put(self, is_killed, name, every, payload):
        key = ["--key", "shared"] if name.startswith("keyed") else []
        has_returned = self.perform(is_killed, "put", name, "--every", str(every), "--payload", payload, *key)
        self.payloads[name] = {payload} if has_returned else {*self.payloads.get(name, {None}), payload}
        self.added.setdefault(name, now())

    def remove(self, is_killed, name):
        has_returned = self.perform(is_killed, "remove", name)
        self.payloads[name] = {None} if has_returned else {*self.payloads[name], None}
        self.removed[name] = now()

    def backfill(self, is_killed, name, step=HOUR):
        first = milliseconds("2026-01-01T00:00:00.000Z") + 4 * HOUR * next(self.numbers)
        dates = [first + step * number for number in range(4)]
        has_returned = self.perform(is_killed, "backfill", name, second(dates[0]), second(dates[-1]))
        self.backfills.append((name, dates, has_returned))

    def run(self, seconds):
        self.limits = ["--limit-in-all", str(IN_ALL), "--limit-per-key", str(PER_KEY)]
        self.start()
        for name, (every, payload) in KINDS.items():
            for number in range(2):
                self.put(False, f"{name}{number}", every, payload)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            watch = pool.submit(self.watch)
            try:
                self.kill_again_and_again(seconds)
                self.end()
            finally:
                self.is_over = True
            self.expect(watch.result() > 0, "no look has found a run of the key")

    def kill_again_and_again(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.problems:
            for _ in range(self.random.randrange(3)):
                self.change(False)
            time.sleep(self.random.uniform(0, 1))
            self.change(True)
            self.check_tenants()
            self.start()

    def watch(self):
        """Looks at the runs that count for the limits, again and again until a limit is exceeded. Returns the most runs of
        a key at a time.
        """
        most = 0
        while not self.is_over and most <= PER_KEY and self.done["runs of tenants at a time"] <= IN_ALL:
            keys = self.database.held()
            shared = keys.count("shared")
            self.expect(len(keys) <= IN_ALL and shared <= PER_KEY, f"{len(keys)} runs, {shared} of a key, at a time")
            self.done["runs of tenants at a time"] = max(self.done["runs of tenants at a time"], len(keys))
            most = max(most, shared)
            time.sleep(0.05)
        return most

    def deploy(self, seconds):
        """Ends replicas in order, each at any moment or at one at which it may be claiming, and starts others."""
        self.start()
        for number in range(MANY):
            self.put(False, f"each{number}", 1, "")
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.problems:
            # One that has run jobs claims the next dates, too, as others come a little later from then on.
            self.ledger.read()
            place = "abc".index(self.ledger.events[-1].replica) if self.ledger.events else 0
            process = self.replicas[place]
            self.wait_for_start(process)
            # All jobs are due at the second. Half of the moments are anywhere.
            near = self.random.uniform(-0.005, 0.04)
            time.sleep(self.random.choice([max(0, 1 - time.time() % 1 + near), self.random.uniform(0, 1)]))
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            self.expect(process.wait(timeout=60) == 0, f"a replica has ended with {process.returncode}")
            took = time.monotonic() - began
            self.expect(took < 15, f"a replica has taken {took:.1f} s to end")
            self.done["orderly ends"] += 1
            self.replicas[place] = self.start_one("abc"[place])
        # Others take a row that was left after half a lease or more. So each job has one more date.
        jobs, moment = {"once", "again", *(f"each{number}" for number in range(MANY))}, now()
        wait_until(
            lambda: jobs <= {job for job, date, _ in self.database.effects() if date >= moment}, "each job to be run")
        for process in self.replicas:
            self.wait_for_start(process)
            process.send_signal(signal.SIGTERM)
        for process in self.replicas:
            self.expect(process.wait(timeout=60) == 0, f"a replica has ended with {process.returncode}")
        self.check_orderly()

    def wait_for_start(self, process):
        """Waits until a replica handles signals."""
        wait_until(lambda: self.ledger.has_started(process.pid), "a replica to start")

    def check_orderly(self):
        runs = {}
        for run in self.listed("history", "--limit", "1000000"):
            if run["date"]:
                runs.setdefault(run["job"], []).append(run)
        for job in ("once", "again", *(f"each{number}" for number in range(MANY))):
            self.done["dates"] += len(runs[job])
            found = sorted(milliseconds(run["date"]) for run in runs[job])
            step = 1000 if job.startswith("each") else round(STEP * 1000)
            missing = sorted({*range(found[0], found[-1] + 1, step)} - {*found})
            self.expect(not missing, f"{job} wasn't run for {[*map(text, missing)]}")
            self.expect(len(found) == len({*found}), f"{job} was run twice for a date")
            ended = 0
            for run in sorted(runs[job], key=lambda run: milliseconds(run["began"])):
                self.expect(run["outcome"] == "done", f"{job} for {run['date']}: {run['outcome']}")
                self.check_wait(run, ended)
                ended = milliseconds(run["ended"])
        for (job, date), count in collections.Counter(self.database.beginnings()).items():
            self.expect(count == 1, f"{job} has {count} effects of its step for {text(date)}")

    def check_wait(self, run, ended):
        """Checks how long a date has waited since the end of its job's run before. A slow machine may run each date later
        than the one before.
        """
        waited = milliseconds(run["began"]) - max(milliseconds(run["date"]), ended)
        self.expect(waited < 5_000, f"{run['job']} for {run['date']} has waited for {waited} ms")
        self.done["ms a date has waited at most"] = max(self.done["ms a date has waited at most"], waited)

    def end(self):
        """Lets the replicas catch up, and ends them."""
        end = now()

        def is_caught_up():
            last = {}
            for job, date, _ in self.database.effects():
                last[job] = max(last.get(job, 0), date)
            if any(last.get(job, 0) <= end for job in ("again", *STEADY)):
                return False
            # What was asked for makes a job due.
            return all(job["run by"] == "" and milliseconds(job["next"]) > now() for job in self.listed("jobs", "hourly"))

        wait_until(is_caught_up, "the replicas to catch up", timeout=300)
        for process in self.replicas:
            process.send_signal(signal.SIGTERM)
        for process in self.replicas:
            if process.wait(timeout=120):
                raise SystemExit(f"A replica has ended with {process.returncode}.")
        self.check_effects()
        self.check_attempts()

    # Checks

    def expect(self, is_so, problem):
        if not is_so:
            self.problems.append(problem)

    def check_tenants(self):
        """Compares the tenants and the jobs with what was put, while no process lives."""
        wait_until(self.database.is_at_rest, "the sessions of killed processes to end")
        tenants = dict(map(tuple, self.database.query("SELECT name, payload FROM tenant")))
        jobs = {job["name"]: job["payload"] for job in self.listed("jobs") if job["name"] not in ("once", "again")}
        self.expect(jobs == tenants, f"the jobs are {jobs}, and the tenants {tenants}")
        for name, payloads in self.payloads.items():
            found = tenants.get(name)
            self.expect(found in payloads, f"{name} is {found}, though it was put as {payloads}")
            self.payloads[name] = {found}
        self.expect(not tenants.keys() - self.payloads.keys(), "there are tenants that were never put")

    def check_effects(self):
        effects = [(job, date) for job, date, _ in self.database.effects()]
        for (job, date), count in collections.Counter(effects).items():
            self.expect(count == 1, f"{job} has {count} effects for {text(date)}")
        # A tenant's date has a step before its effect.
        steps = collections.Counter(self.database.beginnings())
        for job, date in {effect for effect in effects if effect[0] not in ("once", "again")} | {*steps}:
            self.expect(steps[job, date] == 1, f"{job} has {steps[job, date]} effects of its step for {text(date)}")
        dates = {}
        for job, date in sorted(effects, key=lambda effect: effect[1]):
            dates.setdefault(job, []).append(date)
        for job, step in [("again", STEP), *STEADY.items()]:
            found, step = dates[job], round(step * 1000)
            self.expect(found[0] <= self.added.get(job, now()) + step, f"{job} begins with {text(found[0])}")
            missing = sorted({*range(found[0], found[-1] + 1, step)} - {*found})
            self.expect(not missing, f"{job} has no effect for {[*map(text, missing)]}")
        for name, moment in self.removed.items():
            later = [text(date) for date in dates.get(name, []) if date > moment and self.payloads[name] == {None}]
            self.expect(not later, f"{name} has run for {later}, though removed")
        for name, asked, has_returned in self.backfills:
            count = len({*asked} & {*dates.get(name, [])})
            self.expect(count == 4 or count == 0 and not has_returned, f"{name} has {count} of 4 dates of a backfill")
        self.done["dates done"] = len(effects)

    def check_attempts(self):
        self.ledger.read()
        attempts = {}
        for event in sorted((e for e in self.ledger.events if e.kind == "begin"), key=lambda event: int(event.token)):
            attempts.setdefault((event.job, event.date), []).append(event.attempt)
        self.done["attempts again"] = sum(map(len, attempts.values())) - len(attempts)
        for (job, date), found in attempts.items():
            self.expect(found == sorted(set(found)), f"{job} was begun for {text(date)} as attempts {found}")
            self.expect(job != "once" or len(found) == 1, f"once was begun for {text(date)} {len(found)} times")
        for job in ("flaky0", "flaky1"):
            runs = sorted(self.listed("history", job, "--limit", "100000"), key=lambda run: int(run["token"]))
            for run, later in zip(runs, runs[1:]):
                if run["failure"] == "not ready":
                    self.done["retries"] += 1
                    # The replica says when, by its estimate of the store's clock, before its answer is there.
                    wait = milliseconds(later["began"]) - milliseconds(run["began"])
                    self.expect(wait > BACKOFF * 0.8, f"{job} was tried again after {wait} ms")
                    self.expect(
                        int(later["attempt"]) == int(run["attempt"]) + 1, f"{job} has forgotten attempt {run['attempt']}")
        self.check_explanations(attempts)

    def check_explanations(self, attempts):
        """Compares what `explain` says of dates that were begun with what became of them."""
        effects = {(job, date) for job, date, _ in self.database.effects()}
        for job in ("once", "again", "flaky0", "hourly0"):
            # Later dates may wait for their next attempt.
            last = max((date for name, date in effects if name == job), default=0)
            dates = sorted(date for name, date in attempts if name == job and date % 1000 == 0 and date <= last)
            if not dates:
                continue
            done = subprocess.run(
                [self.program, "explain", *self.database.options, job, *map(second, dates)], capture_output=True, text=True,
                check=True)
            explanations = re.split(r'^(?=")', done.stdout, flags=re.MULTILINE)[1:]
            self.expect(len(explanations) == len(dates), f"{len(explanations)} of {len(dates)} dates of {job} are explained")
            for date, explanation in zip(dates, explanations):
                is_done = (job, date) in effects
                words = "run" if is_done else "begun, and abandoned by its replica"
                head, *runs = explanation.splitlines()
                self.expect(head == f'"{job}", {second(date)}: {words}.', f"explain says: {explanation}")
                numbers = [int(re.match(r"attempt (\d+) on", run)[1]) for run in runs]
                outcomes = [re.search(r", (\w+)(: not ready)?$", run)[1] for run in runs]
                self.expect(
                    numbers == [*range(1, len(runs) + 1)] and {*attempts[job, date]} <= {*numbers}
                    and outcomes[-1:] == ["done" if is_done else "abandoned"], f"explain says: {explanation}")
                self.done["dates explained"] += 1


def second(moment):
    return text(moment)[:19] + "Z"


def work(make, perform, is_postgres):
    """Has what is made for a new database and a folder do its work, and returns it. No replica of it lives then."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = Server(stack.enter_context(Postgres())) if is_postgres else File(folder)
        kills = make(database, folder)
        try:
            perform(kills)
        finally:
            for process in kills.replicas:
                if process.poll() is None:
                    process.kill()
    return kills


def report(kills, kind):
    """Prints what was done. Exits if something was wrong."""
    print(f"\n{kind}:")
    for what, count in sorted(kills.done.items()):
        print(f"  {count} × {what}")
    if kills.problems:
        sys.exit("\n".join(f"✘ {problem}" for problem in kills.problems[:20]))
    print("✔ Nothing was lost or done twice.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replica", required=True, help="the program")
    parser.add_argument("--seconds", type=float, default=8, help="how long to kill")
    parser.add_argument("--seed", type=int, default=None, help="draws what is done and when it is killed")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL, which is started")
    parser.add_argument("--orderly", action="store_true", help="end one replica after the other by SIGTERM")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1_000_000)

    def make(database, folder):
        # A machine that stalls for seconds isn't to look like a replica that has died or has left a row.
        return Kills(arguments.replica, database, folder, arguments.seed, 20 if arguments.orderly else LEASE)

    kills = work(
        make, lambda kills: (kills.deploy if arguments.orderly else kills.run)(arguments.seconds), arguments.postgres)
    report(
        kills, f"Seed {arguments.seed}, {'PostgreSQL' if arguments.postgres else 'SQLite'}, "
        f"{'replicas ended in order' if arguments.orderly else 'every process killed'}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
