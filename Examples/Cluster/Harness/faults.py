"""What goes wrong while replicas work, drawn by a seed."""

import collections
import time


class Faults:
    """Breaks something every few seconds, at a moment in which the broken replica runs a job."""

    def __init__(self, random, replicas, ledger, postgres, lease, may_rest):
        self.random, self.replicas, self.ledger, self.postgres = random, replicas, ledger, postgres
        self.outage = lease * 2.5
        self.may_rest = may_rest  # whether it is no fault of the harness that no replica runs
        self.done = collections.Counter()
        self.later = []  # pairs of a moment and what to do then

    def run(self, seconds):
        """Breaks things for at least so many seconds, and for as long as a kind hasn't come yet. A kill comes first."""
        end = time.monotonic() + seconds
        kinds = [self.kill, self.kill, self.kill, self.stop, self.stop, self.cut, self.silence, self.restart]
        bag, missing = [self.kill], set(kinds)
        while time.monotonic() < end or missing:
            self.pause(self.random.uniform(0.5, 3))
            bag = bag or self.random.sample(kinds, len(kinds))
            fault = bag.pop()
            fault()
            missing.discard(fault)
        while self.later:
            self.pause(0.1)

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

    def after(self, seconds, action):
        self.later.append((time.monotonic() + seconds, action))

    def runner(self):
        """Waits for a replica that has just begun a job, and returns its name.

        A leader may have died with the lock. Then it is any that isn't stopped.
        """
        before = len(self.ledger.events)
        deadline = time.monotonic() + (3 if self.may_rest else 120)
        while time.monotonic() < deadline:
            running = self.ledger.running_replicas() - self.replicas.stopped
            began = [event.replica for event in self.ledger.events[before:] if event.kind == "begin"]
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

    def cut(self):
        name = self.runner()
        self.replicas.proxies[name].cut()
        self.done["connections cut of the replica that ran"] += 1

    def silence(self):
        proxy = self.replicas.proxies[self.runner()]
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
