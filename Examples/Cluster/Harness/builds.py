#!/usr/bin/python3
"""Runs an older and a newer build of the program side by side, and checks that no date is lost or done twice.

    ./builds.py --older PATH --newer PATH [--postgres] [--careless]

The newer build, of a copy that altered.py makes, reads the older one's schedules, and the older one can't read its own.
Both have the program's jobs, and both put jobs. One after the other is ended by SIGTERM, and started again. The older one
must run all that it can read, leave the rest to the newer one, and report each job that it leaves once.

With --careless, the older build gives up dates that it can't read. Then it fails unless they are lost.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from kills import STEP, Kills, now, report, second, work  # noqa: E402
from ledger import milliseconds, text  # noqa: E402
from postgres import wait_until  # noqa: E402

# Of each tenant, the build that puts it, the seconds between two dates, and whether their first attempts fail.
TENANTS = {
    "older0": ("older", 1, ""), "older1": ("older", 3, "1 failures"),
    "newer0": ("newer", 1, ""), "newer1": ("newer", 3, "1 failures"),
}
STEPS = {"once": STEP, "again": STEP} | {name: every for name, (_, every, _) in TENANTS.items()}
ALL = {*STEPS}
UNREADABLE = {name for name, (build, *_) in TENANTS.items() if build == "newer"}
# The end of what the store has for a schedule of the older build, and of the newer.
ENDINGS = {"older": "missed ticks burst", "newer": "ticks in a burst"}


class Lost(SystemExit):
    """Dates that aren't done in time."""


class Builds(Kills):
    """The replicas have the names of their builds."""

    def __init__(self, programs, database, folder):
        super().__init__(None, database, folder, 0, 5)
        self.folder, self.programs = folder, programs
        self.processes = {}
        self.reports = []  # of each start, the build and the file of its errors
        self.absences = []  # from when to when no newer build was there

    def use(self, build):
        self.program = self.programs[build]

    def start_build(self, build):
        self.use(build)
        path = os.path.join(self.folder, f"errors{len(self.reports)}")
        self.reports.append((build, path))
        with open(path, "w") as self.errors:
            process = self.start_one(build)
        self.processes[build] = process
        self.replicas.append(process)
        self.wait_for_start(process)

    def stop_build(self, build):
        began = now()
        process = self.processes.pop(build)
        process.send_signal(signal.SIGTERM)
        self.expect(process.wait(timeout=60) == 0, f"the {build} build has ended with {process.returncode}")
        self.expect(now() - began < self.lease * 1000, f"the {build} build has taken {now() - began} ms to end")
        self.done["orderly ends"] += 1

    def wait_for_dates(self, jobs, seconds):
        """Waits until each job has done a date so many seconds from now."""
        moment = now() + seconds * 1000

        def are_done():
            if ended := [name for name, process in self.processes.items() if process.poll() is not None]:
                raise SystemExit(f"The {ended[0]} build has ended by itself.")
            missing.difference_update(job for job, date, _ in self.database.effects() if date >= moment)
            return not missing or time.monotonic() > end

        missing, end = {*jobs}, time.monotonic() + 30
        wait_until(are_done, "dates to be done")
        if missing:
            raise Lost(f"Waited in vain for dates of {', '.join(sorted(missing))}.")

    def run_both(self):
        absent = now()
        self.start_build("older")
        for name, (build, every, payload) in TENANTS.items():
            self.use(build)
            self.put(False, name, every, payload)
        self.wait_for_dates(ALL - UNREADABLE, 3)
        self.start_build("newer")
        self.absences.append((absent, now()))
        # Each asks for dates of a job that the other has put.
        self.use("older")
        self.backfill(False, "newer0", 1000)
        self.use("newer")
        self.backfill(False, "older0", 1000)
        self.wait_for_dates(ALL, 3)

        self.stop_build("older")
        self.wait_for_dates(ALL, 3)
        self.start_build("older")

        absent = now()
        self.stop_build("newer")
        self.wait_for_dates(ALL - UNREADABLE, 3)
        self.start_build("newer")
        self.absences.append((absent, now()))
        self.wait_for_dates(ALL, 1)
        self.stop_build("older")
        self.stop_build("newer")
        self.check()

    # Checks

    def check(self):
        self.use("newer")
        runs = self.listed("history", "--limit", "1000000")
        for job in ALL:
            self.check_dates(job)
            self.check_runs(job, [run for run in runs if run["job"] == job and run["date"]])
        self.check_replicas(runs)
        self.check_reports()
        for build in self.programs:
            self.use(build)
            schedules = {job["name"]: job["schedule"] for job in self.listed("jobs")}
            for name, (build_of_job, *_) in TENANTS.items():
                self.expect(
                    schedules[name].endswith(ENDINGS[build_of_job]), f"{name} has the schedule {schedules[name]}")
                date = max(date for job, date, _ in self.database.effects() if job == name)
                said = subprocess.run(
                    [self.program, "explain", *self.database.options, name, second(date)], capture_output=True, text=True)
                self.expect(
                    said.stdout.startswith(f'"{name}", {second(date)}: run.'),
                    f"the {build} build says: {said.stdout}{said.stderr}")

    def backfilled(self, job):
        return {date for name, dates, _ in self.backfills if name == job for date in dates}

    def check_dates(self, job):
        asked, step = self.backfilled(job), round(STEPS[job] * 1000)
        found = [date for name, date, _ in self.database.effects() if name == job]
        for date, count in collections.Counter(found).items():
            self.expect(count == 1, f"{job} has {count} effects for {text(date)}")
        self.expect(asked <= {*found}, f"{job} lacks dates that were asked for")
        dates = sorted({*found} - asked)
        if not dates:
            return self.problems.append(f"{job} has no effect")
        self.expect(dates[0] <= self.added.get(job, dates[0]) + step, f"{job} begins with {text(dates[0])}")
        missing = sorted({*range(dates[0], dates[-1] + 1, step)} - {*dates})
        self.expect(not missing, f"{job} has no effect for {[*map(text, missing)]}")
        self.done["dates done"] += len(found)

    def check_runs(self, job, runs):
        fails, ended = TENANTS.get(job, ("", 0, ""))[2] != "", 0
        for run in sorted(runs, key=lambda run: milliseconds(run["began"])):
            date, attempt = milliseconds(run["date"]), int(run["attempt"])
            is_as_asked = (run["outcome"], attempt) in ([("failed", 1), ("done", 2)] if fails else [("done", 1)])
            self.expect(is_as_asked, f"{job} for {text(date)}, attempt {attempt}: {run['outcome']}")
            is_alone = job in UNREADABLE and any(start - 100 <= date <= end for start, end in self.absences)
            if attempt == 1 and not is_alone and date not in self.backfilled(job):
                self.check_wait(run, ended)
            # A run without an end isn't as asked.
            ended = milliseconds(run["ended"] or run["began"])

    def check_replicas(self, runs):
        """Each job was run by the builds that can read it, and by the older one in the absence of the newer."""
        builds = {job: {run["replica"] for run in runs if run["job"] == job} for job in ALL}
        for job in ALL:
            readers = {"newer"} if job in UNREADABLE else {"older", "newer"}
            self.expect(builds[job] == readers, f"{job} was run by {sorted(builds[job])}")

    def check_reports(self):
        sentence = re.compile(r"This program can't run the schedule \"(.*?)\" of \"(\w+)\": ")
        for build, path in self.reports:
            with open(path) as file:
                lines = file.read().splitlines()
            found = collections.Counter(match[2] for line in lines if (match := sentence.search(line)))
            wanted = dict.fromkeys(UNREADABLE, 1) if build == "older" else {}
            self.expect(found == wanted, f"the {build} build has reported {dict(found)}")
            others = [line for line in lines if not sentence.search(line) and "not ready" not in line]
            self.expect(not others, f"the {build} build has written: {others[:3]}")
            self.done["jobs reported"] += sum(found.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--older", required=True, help="the program")
    parser.add_argument("--newer", required=True, help="the program of the copy")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL, which is started")
    parser.add_argument("--careless", action="store_true", help="fail unless the older build loses dates")
    arguments = parser.parse_args()
    programs = {"older": arguments.older, "newer": arguments.newer}
    try:
        builds = work(lambda database, folder: Builds(programs, database, folder), Builds.run_both, arguments.postgres)
    except Lost as lost:
        if not arguments.careless:
            raise
        return print(f"✔ A careless build is found. {lost}")
    if arguments.careless:
        sys.exit("✘ The harness has found nothing wrong with a careless build.")
    report(builds, f"{'PostgreSQL' if arguments.postgres else 'SQLite'}, an older and a newer build side by side")


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
main()
