"""What goes wrong while replicas work, drawn by a seed."""

import collections
import os
import resource
import sqlite3
import time


class Faults:
    """Breaks something every few seconds, at a moment in which the broken replica runs a job."""

    may_rest = False  # whether it is no fault of the harness that no replica runs

    def __init__(self, random, replicas, ledger, database, lease):
        self.random, self.replicas, self.ledger, self.database = random, replicas, ledger, database
        self.lease, self.outage = lease, lease * 2.5
        self.done = collections.Counter()
        self.later = []  # pairs of a moment and what to do then

    def run(self, seconds):
        """Breaks things for at least so many seconds, and for as long as a kind hasn't come yet. A kill comes first."""
        end = time.monotonic() + seconds
        kinds = self.kinds()
        bag, missing = [self.kill], set(kinds)
        while time.monotonic() < end or missing:
            self.pause(self.random.uniform(0.5, 3))
            bag = bag or self.random.sample(kinds, len(kinds))
            fault = bag.pop()
            fault()
            missing.discard(fault)
        while self.later:
            self.pause(0.1)

    def kinds(self):
        return [self.kill, self.kill, self.kill, self.stop, self.stop, *([] if self.may_rest else [
            self.set_clock, self.set_clock, self.deploy])]

    def pause(self, seconds):
        """Waits, and does what is due meanwhile."""
        end = time.monotonic() + seconds
        while True:
            for moment, action in list(self.later):
                if moment <= time.monotonic():
                    self.later.remove((moment, action))
                    action()
            self.replicas.check_that_all_live()
            if time.monotonic() >= end:
                return
            time.sleep(0.01)

    def wait_until(self, is_so, what):
        deadline = time.monotonic() + 120
        while not is_so():
            if time.monotonic() > deadline:
                raise SystemExit(f"Waited 120 s in vain for {what}.")
            self.pause(0.02)

    def after(self, seconds, action):
        self.later.append((time.monotonic() + seconds, action))

    def runner(self, job=None):
        """Waits for a replica that has just begun a job, or this one, and returns its name.

        A leader may have died with the lock. Then it is any that isn't stopped.
        """
        before = len(self.ledger.events)
        deadline = time.monotonic() + (3 if self.may_rest else 120)
        while time.monotonic() < deadline:
            running = self.ledger.running_replicas() - self.replicas.stopped
            began = [event.replica for event in self.ledger.events[before:]
                     if event.kind == "begin" and job in (None, event.job)]
            if free := [name for name in began if name in running]:
                return free[-1]
            self.pause(0.002)
        if not self.may_rest:
            raise SystemExit("No replica has begun a job in 120 s.")
        return self.random.choice(sorted(set(self.replicas.processes) - self.replicas.stopped))

    def kill(self):
        name = self.runner()
        self.replicas.kill(name)
        self.ledger.forget(name)
        self.done["kill -9 of the replica that ran"] += 1
        self.pause(self.random.uniform(0, 0.5))
        self.replicas.start(name)

    def stop(self):
        name = self.runner()
        self.replicas.stop(name)
        self.done[f"SIGSTOP of the replica that ran, for {self.outage:g} s"] += 1
        self.after(self.outage, lambda: self.replicas.go_on(name))

    def set_clock(self):
        seconds = self.random.choice([-1, 1]) * self.random.uniform(0.2, self.outage)
        self.database.set_clock(seconds)
        self.done[f"store's clock set {'ahead' if seconds > 0 else 'back'}"] += 1

    def deploy(self):
        """Ends one replica after the other, and starts it with another version of the program."""
        version = 3 - max(self.replicas.versions.values(), key=[*self.replicas.versions.values()].count)
        for name in sorted(self.replicas.processes):
            # Before that, the signal ends it like any process.
            self.wait_until(lambda: self.ledger.has_started(self.replicas.processes[name].pid), f"{name} to start")
            process = self.replicas.leave(name)
            self.wait_until(lambda: process.poll() is not None, f"{name} to end on SIGTERM")
            if process.returncode:
                raise SystemExit(f"{name} has ended with {process.returncode}.")
            self.ledger.forget(name)
            self.replicas.versions[name] = version
            self.replicas.start(name)
        self.done[f"version {version} deployed"] += 1


class ServerFaults(Faults):
    """What goes wrong with a PostgreSQL, and with the network to it."""

    def __init__(self, *arguments, postgres, proxies, may_rest):
        super().__init__(*arguments)
        self.postgres, self.proxies, self.may_rest = postgres, proxies, may_rest

    def kinds(self):
        kinds = [*super().kinds(), self.cut, self.silence, self.restart]
        return kinds if self.may_rest else [*kinds, self.lose_renewals, self.lose_renewals, self.refuse, self.isolate]

    def cut(self):
        name = self.runner()
        self.proxies[name].cut()
        self.done["connections cut of the replica that ran"] += 1

    def silence(self):
        proxy = self.proxies[self.runner()]
        proxy.is_silent = True
        self.done[f"network silent of the replica that ran, for {self.outage:g} s"] += 1

        def go_on():
            proxy.is_silent = False
        self.after(self.outage, go_on)

    def restart(self):
        is_immediate = self.random.random() < 0.5
        self.runner()
        self.postgres.restart(is_immediate)
        self.done[f"database restarted, {'as after a crash' if is_immediate else 'in order'}"] += 1

    def lose_renewals(self):
        """Loses renewals for less than the lease, or for longer, so that the run is cancelled."""
        name, seconds = self.runner("long"), self.random.choice([self.lease / 2, self.lease * 1.2])
        self.postgres.query(f"INSERT INTO harness.lost VALUES ('{name}', clock_timestamp() + interval '{seconds} s')")
        self.done[f"renewals lost of the replica that ran, for {seconds:g} s"] += 1

    def refuse(self):
        right = self.random.choice(
            ["UPDATE ON timers.run", "INSERT ON timers.run", "UPDATE ON timers.job", "UPDATE ON timers.session"])
        self.postgres.query(f"REVOKE {right} FROM service")
        self.done["right to write a table taken, for a while"] += 1
        self.after(self.random.uniform(0.2, self.outage), lambda: self.postgres.query(f"GRANT {right} TO service"))

    def isolate(self):
        def set_level(level):
            self.postgres.query(f"ALTER DATABASE service SET default_transaction_isolation = '{level}'")
            # New sessions have it.
            self.postgres.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'")

        level = self.random.choice(["repeatable read", "serializable"])
        set_level(level)
        self.done[f"{level}, for {self.outage * 2:g} s"] += 1
        self.after(self.outage * 2, lambda: set_level("read committed"))


class FileFaults(Faults):
    """What goes wrong with a file of SQLite."""

    def kinds(self):
        return [*super().kinds(), self.lock, self.lock, self.fill, self.fill]

    def lock(self):
        """Holds a transaction of another program, which writes, for less than the lease or for longer."""
        seconds = self.random.uniform(0.2, self.outage)
        self.runner()
        connection = sqlite3.connect(self.database.path, timeout=0, isolation_level=None)

        def has_begun():
            try:
                connection.execute("BEGIN IMMEDIATE")
                return True
            except sqlite3.OperationalError:
                return False

        # A replica that is stopped may have the lock.
        self.wait_until(has_begun, "the file's lock")
        connection.execute("CREATE TABLE IF NOT EXISTS foreign_rows (number INTEGER)")
        connection.execute("INSERT INTO foreign_rows VALUES (1)")
        ends = self.random.choice(["COMMIT", "ROLLBACK"])
        self.done[f"slow transaction of another program, with {ends.lower()}"] += 1

        def end():
            connection.execute(ends)
            connection.close()
        self.after(seconds, end)

    def fill(self):
        """Has writes fail within the log of transactions or at its beginning: of one replica, or of all."""
        part, everywhere = self.random.choice([0, self.random.random()]), self.random.random() < 0.5
        seconds, name = self.random.uniform(0.2, self.outage), self.runner()
        names = list(self.replicas.processes) if everywhere else [name]
        self.replicas.limit_files(names, int(os.path.getsize(self.database.path + "-wal") * part))
        self.done[f"disk full for {'all replicas' if everywhere else 'the replica that ran'}"] += 1
        self.after(
            seconds, lambda: self.replicas.limit_files(self.replicas.processes, resource.RLIM_INFINITY))
