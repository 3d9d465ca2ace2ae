"""Counts what became of each date of the jobs."""

import collections

# The jobs of all replicas, those that only the harness has, and the one that it puts, with the steps between two dates.
JOBS = {"once": 1, "again": 1}
MORE = {"long": 16, "fails": 1, "changes": 1}
PUT = {"tenant": 8}
AGAIN = ["again", "long", "tenant"]
# Some of their attempts fail.
FAILING = ["fails", "tenant"]


class Verdict:
    """The dates up to `end`, in milliseconds since 1970, from the first that was claimed."""

    def __init__(self, jobs, ledger, database, step, end, is_leader):
        self.jobs = jobs
        effects, beginnings = database.effects(), database.beginnings()
        self.counts = {
            job: self.count(job, ledger, database, effects, beginnings, round(step * steps * 1000), end, is_leader)
            for job, steps in self.jobs.items()}

    def count(self, job, ledger, database, effects, beginnings, step, end, is_leader):
        begun = ledger.count("begin", job, end)
        written = {token for name, _, token in effects if name == job}
        beginnings = collections.Counter(date for name, date in beginnings if name == job and date <= end)
        effects = collections.Counter(date for name, date, _ in effects if name == job and date <= end)
        runs = [] if is_leader else database.runs(job)
        done = {token for _, token, outcome, _ in runs if outcome == "done"}
        claims = [(date, outcome, is_early) for date, _, outcome, is_early in runs if date <= end]
        claimed = set(begun) if is_leader else {date for date, _, _ in claims}
        due = range(min(claimed), end + 1, step)
        outcomes = {date for date, outcome, _ in claims if outcome in ("done", "failed", "abandoned")}
        failures = [date for date, outcome, _ in claims if outcome == "failed"]
        return {
            "dates due": len(due),
            "never claimed": len(set(due) - claimed),
            "claimed, though not due": len(claimed - set(due)),
            "claimed early": sum(is_early for *_, is_early in claims),
            "begun twice or more": sum(count > 1 for count in begun.values()),
            "effects": sum(effects.values()),
            "dates with two effects or more": sum(count > 1 for count in effects.values()),
            "dates without an effect": len(set(due) - set(effects)),
            "dates whose step has two effects": sum(count > 1 for count in beginnings.values()),
            "dates whose step has no effect": len(set(due) - set(beginnings)) if job in PUT else 0,
            "dates without an outcome": 0 if is_leader else len(set(due) - outcomes),
            "effects without a run, or the reverse": 0 if is_leader else len(written ^ done),
            "runs abandoned": sum(outcome == "abandoned" for _, outcome, _ in claims),
            "runs failed": len(failures),
            "dates failed twice or more": len(failures) - len(set(failures)),
            "dates missed": 0 if is_leader else database.missed(job),
            "ends refused by the fence": sum(ledger.count("fenced", job, end).values()),
        }

    def broken_promises(self):
        def found(job, *names):
            return [f"{job}: {name}: {self.counts[job][name]}" for name in names if self.counts[job][name]]

        broken = []
        for job in self.jobs:
            broken += found(job, "claimed early", "dates with two effects or more", "dates failed twice or more",
                            "effects without a run, or the reverse", "dates whose step has two effects",
                            "dates whose step has no effect")
            if job not in AGAIN:
                broken += found(job, "begun twice or more")
            else:
                broken += found(job, "dates without an effect")
            # One version has other dates than the other.
            if job != "changes":
                broken += found(job, "never claimed", "claimed, though not due", "dates without an outcome", "dates missed")
            if job not in FAILING:
                broken += found(job, "runs failed")
        return broken

    def print_table(self):
        print(f"  {'':<38}" + "".join(f"{job:>8}" for job in self.jobs))
        for name in self.counts["once"]:
            print(f"  {name:<38}" + "".join(f"{self.counts[job][name]:>8}" for job in self.jobs))
