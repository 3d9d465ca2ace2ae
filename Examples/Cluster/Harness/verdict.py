"""Counts what became of each date of the jobs."""

import collections

# The jobs of all replicas, and those that only the harness has, with the steps between two dates of each.
JOBS = {"once": 1, "again": 1}
MORE = {"long": 16, "fails": 1, "changes": 1}
AGAIN = ["again", "long"]


class Verdict:
    """The dates up to `end`, in milliseconds since 1970, from the first that was claimed."""

    def __init__(self, ledger, postgres, step, end, is_leader):
        self.jobs = JOBS if is_leader else JOBS | MORE
        self.counts = {
            job: self.count(job, ledger, postgres, round(step * steps * 1000), end, is_leader)
            for job, steps in self.jobs.items()}

    def count(self, job, ledger, postgres, step, end, is_leader):
        begun = ledger.count("begin", job, end)
        rows = postgres.query(f"SELECT (extract(epoch FROM scheduled_at) * 1000)::bigint FROM effect WHERE job = '{job}'")
        effects = collections.Counter(int(date) for date, in rows if int(date) <= end)
        claims = [] if is_leader else self.claims(job, postgres, end)
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
            "dates without an outcome": 0 if is_leader else len(set(due) - outcomes),
            "effects without a run, or the reverse": 0 if is_leader else self.unmatched(job, postgres),
            "runs abandoned": sum(outcome == "abandoned" for _, outcome, _ in claims),
            "runs failed": len(failures),
            "dates failed twice or more": len(failures) - len(set(failures)),
            "dates missed": 0 if is_leader else self.missed(job, postgres),
            "ends refused by the fence": sum(ledger.count("fenced", job, end).values()),
        }

    def claims(self, job, postgres, end):
        """Returns of each claim its date, what became of it, and whether it was early by the store's clock.

        The clock may be set back before a later attempt.
        """
        rows = postgres.query(f"""
            SELECT scheduled_date / 1000, outcome, attempt = 1 AND began < scheduled_date FROM timers.run
            WHERE job = '{job}' AND outcome NOT IN ('settled', 'released') AND scheduled_date IS NOT NULL""")
        return [(int(date), outcome, early == "t") for date, outcome, early in rows if int(date) <= end]

    def unmatched(self, job, postgres):
        """Returns how many runs are done without an effect, or have one and aren't done."""
        return int(postgres.query(f"""
            SELECT count(*) FROM (SELECT * FROM effect WHERE job = '{job}') AS effect
              FULL JOIN (SELECT * FROM timers.run WHERE job = '{job}' AND outcome = 'done') AS run USING (token)
            WHERE effect.token IS NULL OR run.token IS NULL""")[0][0])

    def missed(self, job, postgres):
        return int(postgres.query(f"SELECT missed_count FROM timers.job WHERE name = '{job}'")[0][0])

    def broken_promises(self):
        def found(job, *names):
            return [f"{job}: {name}: {self.counts[job][name]}" for name in names if self.counts[job][name]]

        broken = []
        for job in self.jobs:
            broken += found(job, "claimed early", "dates with two effects or more", "dates failed twice or more",
                            "effects without a run, or the reverse")
            if job not in AGAIN:
                broken += found(job, "begun twice or more")
            else:
                broken += found(job, "dates without an effect")
            # One version has other dates than the other.
            if job != "changes":
                broken += found(job, "never claimed", "claimed, though not due", "dates without an outcome", "dates missed")
            if job != "fails":
                broken += found(job, "runs failed")
        return broken

    def print_table(self):
        print(f"  {'':<38}" + "".join(f"{job:>8}" for job in self.jobs))
        for name in self.counts["once"]:
            print(f"  {name:<38}" + "".join(f"{self.counts[job][name]:>8}" for job in self.jobs))
