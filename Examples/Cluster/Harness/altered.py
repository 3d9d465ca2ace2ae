#!/usr/bin/python3
"""Makes an altered copy of the package, for another build of the program.

    ./altered.py newer FOLDER       the schedules of jobs that are put have a newer text, which this package can't read
    ./altered.py careless FOLDER    a replica gives up the dates of a job whose schedule it can't read

The newer one reads this package's texts, too. Both have the same text for a job of the program, which is without what
happens to missed ticks.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEXT, REPLICA = "Sources/TimerScheduling/Model/Text/", "Sources/TimerSchedulingCluster/Replica/"
# In each file, an old text that is there once, and what takes its place.
CHANGES = {
    "newer": [
        (TEXT + "TimerSchedule+Text.swift", '? "missed ticks burst" : nil', '? "ticks in a burst" : nil'),
        (TEXT + "ScheduleParser.swift", '      case "limit":\n', """\
      case "ticks":
        try expect("in")
        try expect("a")
        try expect("burst")
        schedule.options.missedTicks = .burst
      case "limit":
"""),
    ],
    "careless": [
        (REPLICA + "ClusterReplica+Runs.swift", "return RunEnd(releasing: claim)", """\
return RunEnd(
        token: claim.token, outcome: .settled, through: claim.until, schedule: claim.schedule, missed: 0)"""),
    ],
}


def main(changes, folder):
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        # One that was deleted is listed, too.
        if (ROOT / name).exists():
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            # With its times, so that a second build takes what the first has made.
            shutil.copy2(ROOT / name, copy, follow_symlinks=False)
    for name, old, new in changes:
        text = (ROOT / name).read_text()
        if text.count(old) != 1:
            sys.exit(f"{name} has this {text.count(old)} times:\n{old}")
        (folder / name).write_text(text.replace(old, new))


if len(sys.argv) != 3 or sys.argv[1] not in CHANGES:
    sys.exit(__doc__)
main(CHANGES[sys.argv[1]], pathlib.Path(sys.argv[2]))
