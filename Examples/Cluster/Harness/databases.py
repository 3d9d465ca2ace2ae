"""What the harness asks of the databases that replicas share: a file of SQLite, and a PostgreSQL."""

import mmap
import os
import sqlite3
import time

from ledger import milliseconds


class Clock:
    """A file with the microseconds by which the clock of the processes that are started with it is ahead."""

    def __init__(self, path, seconds=0):
        self.options = ["--clock", path]
        with open(path, "wb") as file:
            file.write(bytes(8))
        with open(path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 8)
        self.shift(seconds)

    @property
    def microseconds(self):
        return int.from_bytes(self.bytes, "little", signed=True)

    def shift(self, seconds):
        """Sets the clock ahead, or back."""
        self.bytes[:] = (self.microseconds + round(seconds * 1_000_000)).to_bytes(8, "little", signed=True)


class File:
    """A file of SQLite. The processes that share it have one clock."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "cluster.sqlite")
        self.clock = Clock(os.path.join(folder, "clock"))
        self.options = ["--file", self.path, *self.clock.options]

    def query(self, sql, *values):
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def is_at_rest(self):
        return True

    def now(self):
        """Returns the milliseconds since 1970, by the store."""
        return round(time.time() * 1000) + self.clock.microseconds // 1000

    def set_clock(self, seconds):
        self.clock.shift(seconds)

    def beginnings(self):
        """Returns of each effect of a first step its job and its date."""
        return [(job, milliseconds(date)) for job, date in self.query("SELECT job, scheduled_at FROM beginning")]

    def held(self):
        """Returns the key of each run of a tenant whose session isn't over."""
        rows = self.query("""
            SELECT job.row ->> '$.holder.key' FROM timers_job AS job
              JOIN timers_session AS session ON session.id = job.row ->> '$.holder.session'
            WHERE job.token IS NOT NULL AND job.handler = 'report' AND session.row ->> '$.isOver' = 0""")
        return [key for key, in rows]

    def effects(self):
        """Returns of each effect its job, its date and its token."""
        rows = self.query("SELECT job, scheduled_at, token FROM effect")
        return [(job, milliseconds(date), token) for job, date, token in rows]

    def runs(self, job):
        """Returns of each run its date, its token, what became of it, and whether it was early by the store's clock.

        The clock may be set back before a later attempt.
        """
        rows = self.query("""
            SELECT date / 1000, token, outcome, row ->> '$.record.attempt' = 1 AND began < date FROM timers_run
            WHERE job = ? AND is_hidden = 0 AND date IS NOT NULL""", job)
        return [(date, token, outcome, bool(is_early)) for date, token, outcome, is_early in rows]

    def missed(self, job):
        return self.query("SELECT row ->> '$.job.missed' FROM timers_job WHERE name = ?", job)[0][0]


class Server:
    """A PostgreSQL."""

    def __init__(self, postgres):
        self.query = postgres.query
        self.options = ["--postgres", postgres.url]

    def is_at_rest(self):
        """Returns whether the server has ended the sessions of killed processes. A commit may have been under way."""
        others = "backend_type = 'client backend' AND application_name <> 'psql'"
        return self.query(f"SELECT count(*) FROM pg_stat_activity WHERE {others}") == [["0"]]

    def now(self):
        return int(self.query("SELECT timers.now_2() / 1000")[0][0])

    def set_clock(self, seconds):
        """Sets the clock that the harness has put under the store."""
        self.query(f"SELECT setval('harness.shift', last_value + {round(seconds * 1_000_000)}) FROM harness.shift")

    def beginnings(self):
        rows = self.query("SELECT job, (extract(epoch FROM scheduled_at) * 1000)::bigint FROM beginning")
        return [(job, int(date)) for job, date in rows]

    def held(self):
        rows = self.query("""
            SELECT held_key FROM timers.job JOIN timers.session ON session.id = job.session
            WHERE token IS NOT NULL AND handler = 'report' AND NOT is_over""")
        return [key for key, in rows]

    def effects(self):
        rows = self.query("SELECT job, (extract(epoch FROM scheduled_at) * 1000)::bigint, token FROM effect")
        return [(job, int(date), int(token) if token else None) for job, date, token in rows]

    def runs(self, job):
        rows = self.query(f"""
            SELECT scheduled_date / 1000, token, outcome, attempt = 1 AND began < scheduled_date FROM timers.run
            WHERE job = '{job}' AND outcome NOT IN ('settled', 'released') AND scheduled_date IS NOT NULL""")
        return [(int(date), int(token), outcome, early == "t") for date, token, outcome, early in rows]

    def missed(self, job):
        return int(self.query(f"SELECT missed_count FROM timers.job WHERE name = '{job}'")[0][0])
