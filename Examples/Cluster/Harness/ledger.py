"""What replicas have written on their standard outputs, which is one file."""

import collections
import datetime
import re

LINE = re.compile(r"(begin|end|fenced|failed) (\w+) (\S+Z) token (\S+) attempt (\d+) (\w+)$")
START = re.compile(r"start (\w+) (\d+) (\S+Z)$")

Event = collections.namedtuple("Event", "kind job date token attempt replica")


def milliseconds(text):
    date = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    return round(date.timestamp() * 1000)


def text(moment):
    date = datetime.datetime.fromtimestamp(moment / 1000, datetime.timezone.utc)
    return date.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment % 1000:03}Z"


class Ledger:
    """Reads the file as it grows."""

    def __init__(self, path):
        self.file = open(path)
        self.rest = ""
        self.events = []
        self.starts = []  # of each start, the replica, its process, and what its clock shows
        self.running = {}  # the replica of each run that has begun and hasn't ended

    def read(self):
        """Takes the lines that have come since the last call."""
        *lines, self.rest = (self.rest + self.file.read()).split("\n")
        for line in lines:
            if match := LINE.match(line):
                kind, job, date, token, attempt, replica = match.groups()
                event = Event(kind, job, milliseconds(date), token, int(attempt), replica)
                self.events.append(event)
                run = (job, event.date, token, replica)
                if kind == "begin":
                    self.running[run] = replica
                else:
                    self.running.pop(run, None)
            elif match := START.match(line):
                self.starts.append((match[1], int(match[2]), milliseconds(match[3])))
            elif line:
                raise SystemExit(f"A replica has written this:\n{line}")

    def has_started(self, process):
        self.read()
        return any(started == process for _, started, _ in self.starts)

    def forget(self, replica):
        """Forgets the runs of a replica that was killed."""
        self.read()
        self.running = {run: name for run, name in self.running.items() if name != replica}

    def running_replicas(self):
        self.read()
        return set(self.running.values())

    def count(self, kind, job, until):
        """Returns how often each date up to a moment has had an event."""
        return collections.Counter(
            event.date for event in self.events
            if event.kind == kind and event.job == job and event.date <= until)
