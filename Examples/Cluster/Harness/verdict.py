"""Counts what became of each date of the two jobs."""

import collections

JOBS = ["once", "again"]


class Verdict:
    """The dates up to `end`, in milliseconds since 1970, from the first that was claimed."""

    def __init__(self, ledger, postgres, step, end, is_leader):
        self.counts = {job: self.count(job, ledger, postgres, round(step * 1000), end, is_leader) for job in JOBS}

    def count(self, job, ledger, postgres, step, end, is_leader):
        begun = ledger.count("begin", job, end)
        rows = postgres.query(f"""
            SELECT (extract(epoch FROM scheduled_at) * 1000)::bigint, written_at < scheduled_at
            FROM effect WHERE job = '{job}'""")
        effects = collections.Counter(int(date) for date, _ in rows if int(date) <= end)
        claims = [] if is_leader else self.claims(job, postgres, end)
        claimed = set(begun) if is_leader else {date for date, _, _ in claims}
        due = range(min(claimed), end + 1, step)
        counts = {
            "dates due": len(due),
            "never claimed": len(set(due) - claimed),
            "claimed, though not due": len(claimed - set(due)),
            "claimed or done early": sum(is_early for *_, is_early in claims) + sum(early == "t" for _, early in rows),
            "begun twice or more": sum(count > 1 for count in begun.values()),
            "effects": sum(effects.values()),
            "dates with two effects or more": sum(count > 1 for count in effects.values()),
            "dates without an effect": len(set(due) - set(effects)),
            "runs abandoned": sum(outcome == "abandoned" for _, outcome, _ in claims),
            "runs failed": 0 if is_leader else self.failures(job, postgres),
            "ends refused by the fence": sum(ledger.count("fenced", job, end).values()),
        }
        return counts

    def claims(self, job, postgres, end):
        """Returns of each claim its date, what became of it, and whether it was early by the database's clock."""
        rows = postgres.query(f"""
            SELECT scheduled_date / 1000, outcome, began < scheduled_date FROM timers.run
            WHERE job = '{job}' AND outcome NOT IN ('settled', 'released') AND scheduled_date IS NOT NULL""")
        return [(int(date), outcome, early == "t") for date, outcome, early in rows if int(date) <= end]

    def failures(self, job, postgres):
        """Returns how many runs have failed, those included that went on while the replicas ended."""
        return int(postgres.query(f"SELECT count(*) FROM timers.run WHERE job = '{job}' AND outcome = 'failed'")[0][0])

    def broken_promises(self):
        def found(job, name):
            return [f"{job}: {name}: {self.counts[job][name]}"] if self.counts[job][name] else []

        promises = [
            "never claimed", "claimed, though not due", "claimed or done early", "dates with two effects or more",
            "runs failed"]
        broken = [text for job in JOBS for name in promises for text in found(job, name)]
        return broken + found("once", "begun twice or more") + found("again", "dates without an effect")

    def print_table(self):
        print(f"  {'':<34}" + "".join(f"{job:>8}" for job in JOBS))
        for name in self.counts[JOBS[0]]:
            print(f"  {name:<34}" + "".join(f"{self.counts[job][name]:>8}" for job in JOBS))
