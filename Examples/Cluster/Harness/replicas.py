"""Three replicas, each with its own way to the database."""

import os
import signal
import subprocess
import time

from proxy import Proxy

# The first replica has the wrong clock. The others reach the database through pgbouncer.
WRONG_CLOCK = "r1"
# What the others don't heed is that a run was cancelled, so that only the fence stops it.
HEEDS_CANCELLATION = "r2"


class Replicas:
    def __init__(self, command, stubborn, has_versions, clock_offset, postgres, pooler, output):
        self.stubborn, self.has_versions = stubborn, has_versions
        self.command, self.clock_offset, self.output = command, clock_offset, output
        self.proxies = {"r1": Proxy(postgres.port), "r2": Proxy(pooler.port), "r3": Proxy(pooler.port)}
        self.processes = {}
        self.stopped = set()
        self.versions = dict.fromkeys(self.proxies, 1)

    def __enter__(self):
        for name in self.proxies:
            self.start(name)
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()

    def start(self, name):
        command = [*self.command, "--postgres", self.proxies[name].url, "--name", name]
        if name == WRONG_CLOCK:
            command += ["--clock-offset", str(self.clock_offset)]
        if name != HEEDS_CANCELLATION:
            command += self.stubborn
        if self.has_versions:
            command += ["--version", str(self.versions[name])]
        with open(self.output, "a") as output:
            self.processes[name] = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)

    def send(self, name, number):
        os.kill(self.processes[name].pid, number)

    def kill(self, name):
        self.send(name, signal.SIGKILL)
        self.processes.pop(name).wait()
        self.stopped.discard(name)

    def leave(self, name):
        """Has a replica end by itself, and returns its process."""
        self.go_on(name)
        self.send(name, signal.SIGTERM)
        return self.processes.pop(name)

    def stop(self, name):
        self.send(name, signal.SIGSTOP)
        self.stopped.add(name)

    def go_on(self, name):
        if name in self.stopped:
            self.send(name, signal.SIGCONT)
            self.stopped.discard(name)

    def check_that_all_live(self):
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise SystemExit(f"{name} has ended by itself, with {process.returncode}.")

    def process_ids(self):
        return {process.pid for process in self.processes.values()}

    def end(self):
        """Has all replicas end by themselves."""
        for name in self.processes:
            self.send(name, signal.SIGTERM)
        for name, process in self.processes.items():
            try:
                if code := process.wait(timeout=120):
                    raise SystemExit(f"{name} has ended with {code}.")
            except subprocess.TimeoutExpired:
                raise SystemExit(f"{name} doesn't end on SIGTERM.")
