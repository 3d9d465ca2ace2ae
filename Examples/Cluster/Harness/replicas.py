"""Three replicas that share a database."""

import os
import resource
import signal
import subprocess

# What the others don't heed is that a run was cancelled, so that only the fence stops it.
HEEDS_CANCELLATION = "r2"


class Replicas:
    def __init__(self, command, stubborn, has_versions, options, output):
        """`options` are those of each replica, by their names."""
        self.command, self.stubborn, self.has_versions = command, stubborn, has_versions
        self.options, self.output = options, output
        self.processes = {}
        self.stopped = set()
        self.versions = dict.fromkeys(options, 1)

    def __enter__(self):
        # A process of its own writes the output, so that limits of replicas don't concern it.
        with open(self.output, "a") as output:
            self.writer = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=output)
        for name in self.options:
            self.start(name)
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self.end_output()

    def end_output(self):
        self.writer.stdin.close()
        self.writer.wait()

    def start(self, name):
        command = [*self.command, *self.options[name], "--name", name]
        if name != HEEDS_CANCELLATION:
            command += self.stubborn
        if self.has_versions:
            command += ["--version", str(self.versions[name])]
        # Python ignores SIGXFSZ. So does the replica then, for which a write beyond its limit is an error.
        self.processes[name] = subprocess.Popen(
            command, stdout=self.writer.stdin, stderr=subprocess.DEVNULL, restore_signals=False)

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

    def limit_files(self, names, size):
        """Has writes of replicas fail beyond a size of their files."""
        for name in names:
            resource.prlimit(self.processes[name].pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

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
        self.end_output()
