#!/usr/bin/env python3
"""Accepts a trace of a cluster's store only if the store does what cluster.pml says.

    Tests/Models/trace.py FILE    # checks a trace, a JSON object a line
    Tests/Models/trace.py         # checks this checker: the model's transitions, traces made by hand, and altered ones

`Row` is the store's row of a job, step by step as in the model: the checker compares it with cluster-transitions.txt,
and each line with another answer must be refused. `Trace` adds what the model leaves out: several jobs, sessions and
tokens by their names, times in microseconds.

A trace is in the order in which the store did the requests: for each row and session, the order of their changes. Each
line has `now`, the store's time, `request`, the request's values, and `answer`, also where the answer was lost. A claim
may leave out rows that are due, as another request may have locked them, or the limit may be reached. `unsure` are
tokens whose ends were written about when a request read their rows, which it doesn't lock.
"""

import copy
import dataclasses
import json
import pathlib
import random
import re
import sys


class Refused(Exception):
    """The model doesn't allow a step."""


def require(condition, text):
    if not condition:
        raise Refused(text)


# The microseconds by which a clock was ahead, at least, when its rows follow one that was set back. In the model, whose
# moments are far shorter, they wait for it.
STEP = 1_000_000


@dataclasses.dataclass
class Row:
    """The row of a job. `held` is whether it has a token."""

    start: int  # the first moment that isn't accounted for: `from`
    at: float  # claimable from
    until: int | None = None
    attempt: int = 0
    floor: int = 0  # dates up to it aren't run
    text: str = ""
    fixed_by: str | None = None
    paused: bool = False
    removed: bool = False
    locked: bool = False
    held: bool = False
    # The beginning of the job's pause, and its end as long as the row keeps them.
    pause: tuple[int, int | None] | None = None
    ahead: int | None = None  # up to here, dates may have records of a clock that was ahead

    def may_be_taken(self, now, text, holder_is_over):
        """Returns whether a claim may take the row. `holder_is_over` says that the session that holds it is over."""
        if self.locked or self.removed or self.paused or self.text != text:
            return False
        return holder_is_over if self.held else self.at <= now

    def take(self, now, text):
        if self.until is None:
            bound = self.leave_out()
            if self.start > now + STEP:
                self.ahead = max(self.ahead or 0, self.start)
                self.start = (min(self.floor, now) if self.floor else now) + 1
            self.start, self.floor = max(self.start, min(self.floor, now) + 1), 0
            last = now if bound is None else min(now, bound)
            self.until, self.attempt, self.fixed_by = max(last, self.start - 1), 1, text
            if bound is None:
                self.forget_pause()
        else:
            self.attempt += 1
        self.held = True

    def end(self, outcome, through, following, text, now):
        """Ends the run. Returns False if the row is deleted with it."""
        self.held = False
        if outcome == "retried" and not self.removed:
            self.at = following
            return True
        if outcome == "released" and not self.removed:
            self.at = now if self.at > now + STEP else self.at
            self.attempt -= 1
            if self.attempt == 0:
                self.until, self.fixed_by = None, None
            return True
        self.start, self.until, self.attempt, self.fixed_by = through + 1, None, 0, None
        # The next date isn't known.
        self.at = following if text == self.text else min(max(self.start, self.floor + 1), now)
        if self.start > now + STEP and self.at != float("inf"):
            self.at = min(self.at, now)
        return not self.removed

    def follow_clock(self, now):
        """Has the row be due if a clock that was ahead has accounted for moments beyond now."""
        if not self.held and self.at != float("inf") and max(self.start, (self.until or 0) + 1) > now + STEP:
            self.at = min(self.at, now)

    def set(self, text, now, resumes=False):
        if self.removed:
            self.removed, self.paused, self.pause = False, False, None
        elif self.text == text:
            return
        elif resumes:
            # What another version hasn't accounted for, which is gone, is still owed.
            self.text, self.at = text, min(self.at, max(self.start, self.floor + 1), now)
            return
        self.forget_pause()
        self.text, self.floor, self.at = text, max(self.floor, now), min(self.at, now)

    def begin_pause(self, now):
        if not self.paused:
            self.paused, self.pause = True, (now, None)

    def resume(self, now):
        if self.paused:
            self.paused, self.pause = False, (self.pause[0], now)
            if self.until is None and self.leave_out() is None:
                self.forget_pause()

    def leave_out(self):
        """Leaves out the dates of a pause that has ended. Returns its beginning if the row was due before it."""
        began, ended = self.pause or (0, None)
        if ended is None or ended < self.start:
            return None
        if max(self.at, self.start, self.floor + 1) <= began:
            return began
        self.floor = max(self.floor, ended)
        return None

    def forget_pause(self):
        if self.pause and self.pause[1] is not None:
            self.pause = None


# The transitions of the model.

LEASE = 3
NEVER = 14
OUTCOMES = [None, "run", "empty", "abandoned", "foreign", "retried", "released"]
# As programs name them.
NAMES = {"done": "run", "failed": "run", "settled": "empty"}


def read_row(text):
    if text == "none":
        return None, "free"
    start, at, until, attempt, floor, version, fixed_by, flags, held = text.split(",")
    row = Row(
        int(start), int(at), None if until == "-" else int(until), int(attempt), int(floor), version,
        fixed_by if until != "-" else None, "P" in flags, "R" in flags, "L" in flags, held != "free")
    began, _, ended = re.split("[.L]", flags)[1].partition("/")
    if ended:
        row.pause = (int(began), None if ended == "-" else int(ended))
    return row, held


def following(text, moment):
    return next((date for date in (1, 2) if date > moment and (text == "0" or date == 1)), NEVER)


def check_transition(line):
    """Raises Refused if the row doesn't do what a line of cluster-transitions.txt says."""
    moment, before, request, view, reply, after = line.split()
    now = int(moment)
    row, held = read_row(before)
    name, text, outcome, date = request.split("/")
    answer = "-"
    if name == "claim":
        answer, row, held = claim_one(row, held, now, text, view)
        if answer == "others" and reply == "unserved":
            answer = reply
    elif name == "end":
        answer = "before" if view == "ended" else "refused"
        if held == "own":
            outcome = OUTCOMES[int(outcome)]
            next_at = now + 1 if outcome == "retried" else following(text, row.until)
            through = row.until
            answer, held = "written", "free"
            row = row if row.end(outcome, through, next_at, text, now) else None
    elif name in ("put", "register"):
        if row:
            row.set(text, now, outcome == "1")
        else:
            # The start of a row that was deleted isn't in the line.
            row = Row(max(int(after.split(",")[0]), now + 1), now, text=text)
    elif name == "pause":
        row.begin_pause(now)
    elif name == "resume":
        row.resume(now)
    elif name == "remove":
        row.removed = True
        row = row if row.held else None
    else:
        raise Refused(f"no request {name}")
    require(answer == reply, f"{answer} is the answer, not {reply}: {line}")
    expected = read_row(after)
    require((row, held if row else "free") == expected, f"{row}, {held} is the row: {line}")


def claim_one(row, held, now, text, view):
    if view == "over":
        return "over", row, held
    if view != "new":
        return ("rows" if view == "again" and held == "this" else "then"), row, held
    if held.startswith("left"):
        left = int(held[4:])
        held = "over" if left <= 0 else f"left{min(left, LEASE)}"
    if row is None:
        return "nothing", row, held
    if row.removed and held == "over" and not row.locked:
        return "nothing", None, "free"
    if row.may_be_taken(now, text, held == "over"):
        row.take(now, text)
        return "rows", row, "this"
    return ("others" if row.text != text and not row.removed else "nothing"), row, held


# Traces.


@dataclasses.dataclass
class Session:
    lease_end: int
    number: int = 0
    rows: list = dataclasses.field(default_factory=list)  # what the last claim brought
    is_over: bool = False
    may_be_over: bool = False


@dataclasses.dataclass
class Run:
    job: str
    session: str
    has_ended: bool = False


class Trace:
    def __init__(self):
        self.rows, self.sessions, self.runs, self.tokens = {}, {}, {}, {}
        self.last_tokens = {}
        self.open = set()  # tokens of ranges that may begin later and end earlier, as dates have records of a clock that was ahead
        self.may_be_gone = set()  # removed jobs whose run a claim may have found abandoned, and deleted

    def step(self, line):
        getattr(self, line["request"])(line, line["now"], line.get("answer"))

    def register(self, line, now, answer):
        if answer == "over":
            return self.require_over(self.sessions[line["session"]])
        if "session" in line:
            session = self.sessions.setdefault(line["session"], Session(now + line["lease"]))
            self.require_alive(session)
            session.lease_end = now + line["lease"]
        for job, text in line["jobs"].items():
            self.set(job, text, now, job in line.get("resumes", []))
        for row in self.rows.values():
            row.follow_clock(now)
        return None

    def put(self, line, now, _):
        self.set(line["job"], line["text"], now)

    def set(self, job, text, now, resumes=False):
        self.rows.setdefault(job, Row(now + 1, now, text=text)).set(text, now, resumes)

    def pause(self, line, now, _):
        self.rows[line["job"]].begin_pause(now)

    def resume(self, line, now, _):
        self.rows[line["job"]].resume(now)

    def remove(self, line, *_):
        row = self.rows[line["job"]]
        row.removed = True
        if not row.held:
            del self.rows[line["job"]]

    def claim(self, line, now, answer):
        session = self.sessions.setdefault(line["session"], Session(now + line["lease"]))
        if answer == "over":
            return self.require_over(session)
        self.require_alive(session)
        if line["number"] <= session.number:
            session.lease_end = now + line["lease"]
            rows = session.rows if line["number"] == session.number else []
            expected = [row for row in rows if self.holds(line["session"], row["token"])]
            unsure = line.get("unsure", [])
            require(
                [row for row in answer if row["token"] not in unsure] ==
                [row for row in expected if row["token"] not in unsure] and all(row in rows for row in answer),
                f"a repeated claim brings {expected}")
            return None
        self.look_at_leases(line, now, session)
        # A claim that was sent once and brings nothing isn't numbered, and renews a lease of which less than half is left.
        if answer or line.get("again"):
            session.number, session.rows, session.lease_end = line["number"], answer, now + line["lease"]
        elif not now + line["lease"] / 2 <= session.lease_end <= now + line["lease"]:
            session.lease_end = now + line["lease"]
        for taken in answer:
            self.take(taken, line, now)
        return None

    def holds(self, session, token):
        run = self.runs[token]
        return run.session == session and self.tokens.get(run.job) == token

    def is_left(self, token):
        """Returns whether a run was given up, or its session may be over."""
        holder = self.sessions.get(self.runs[token].session)
        return holder is None or holder.is_over or holder.may_be_over

    def look_at_leases(self, line, now, own):
        for name, session in self.sessions.items():
            if session is own or session.is_over:
                continue
            session.lease_end = min(session.lease_end, now + line["lease"])
            session.may_be_over |= session.lease_end <= now
        for job, row in self.rows.items():
            if row.removed and row.held and self.is_left(self.tokens[job]):
                self.may_be_gone.add(job)

    def take(self, taken, line, now):
        job, row = taken["job"], self.rows.get(taken["job"])
        require(row is not None, f"there is no job {job}")
        is_left = row.held and self.is_left(self.tokens[job])
        require(row.may_be_taken(now, line["can"].get(job), is_left), f"{job} may not be taken")
        if holder := row.held and self.sessions.get(self.runs[self.tokens[job]].session):
            holder.is_over = True
        row.take(now, line["can"][job])
        # Of two claims at a time, the one with the greater token may come first.
        require(taken["token"] not in self.runs, f"token {taken['token']} was used before")
        require(taken["token"] > self.last_tokens.get(job, 0), f"{job} had a greater token than {taken['token']}")
        self.last_tokens[job] = self.tokens[job] = taken["token"]
        self.runs[taken["token"]] = Run(job, line["session"])
        found = (taken["from"], taken["until"], taken["attempt"])
        if row.ahead is not None and row.attempt == 1 and row.start <= found[0] <= found[1] + 1 <= row.until + 1:
            # Dates with records end a range before them, and aren't in one.
            row.start, row.until = found[:2]
            self.open.add(taken["token"])
        row.ahead = row.ahead if row.ahead and row.start < row.ahead else None
        require(found == (row.start, row.until, row.attempt), f"{job} is {row}, not {found}")

    def end(self, line, now, answer):
        require(len(answer) == len(line["ends"]), "each end has an answer")
        for end, verdict in zip(line["ends"], answer):
            if verdict == "locked":
                continue
            run = self.runs.get(end["token"])
            require(run is not None, f"no claim has brought token {end['token']}")
            if run.job in self.may_be_gone and verdict == "refused":
                self.may_be_gone.remove(run.job)
                del self.rows[run.job]
            row = self.rows.get(run.job)
            if row is None or self.tokens.get(run.job) != end["token"] or not row.held:
                expected = "before" if run.has_ended else "refused"
            else:
                expected = "written"
                outcome = NAMES.get(end["outcome"], end["outcome"])
                require(outcome in OUTCOMES, f"no outcome {outcome}")
                if outcome not in ("retried", "released"):
                    require(row.start - 1 <= end["through"] <= row.until, "an end accounts for moments of its range")
                run.has_ended = True
                del self.tokens[run.job]
                if not row.end(outcome, end["through"], end["next"] or float("inf"), end["text"], now):
                    del self.rows[run.job]
            require(verdict == expected, f"an end of {end['token']} is {expected}, not {verdict}")

    def renew(self, line, now, answer):
        session = self.sessions[line["session"]]
        if answer == "over":
            return self.require_over(session)
        self.require_alive(session)
        session.lease_end = now + line["lease"]
        for token in set(line.get("givesUp", [])) - set(answer):
            if self.holds(line["session"], token):
                self.runs[token].session = None
        held = {token for token in self.tokens.values() if self.runs[token].session == line["session"]}
        require(held ^ set(answer) <= set(line.get("unsure", [])), f"{held} are held, not {answer}")
        return None

    def close(self, line, *_):
        if line["session"] in self.sessions:
            self.sessions[line["session"]].is_over = True

    def require_over(self, session):
        require(session.is_over or session.may_be_over, "the session isn't over")
        session.is_over = True

    def require_alive(self, session):
        require(not session.is_over, "the session is over")
        session.may_be_over = False


def check_trace(lines, trace=None):
    """Returns None, or why the model doesn't allow the trace."""
    trace = trace or Trace()
    for index, line in enumerate(lines):
        try:
            trace.step(line)
        except (Refused, KeyError, TypeError) as error:
            return f"line {index + 1}: {error!r}"
    return None


# The checker's own check.


def claim(now, session, number, rows, can=None):
    answer = rows if isinstance(rows, str) else [dict(zip(("job", "from", "until", "attempt", "token"), row)) for row in rows]
    return {"now": now, "request": "claim", "session": session, "number": number, "lease": 30, "can": can or {"bill": "v1", "mail": "v1"}, "answer": answer}


def end(now, token, outcome, through, following, verdict, text="v1"):
    return {"now": now, "request": "end", "answer": [verdict], "ends": [
        {"token": token, "outcome": outcome, "through": through, "next": following, "text": text}]}


def renew(now, session, answer):
    return {"now": now, "request": "renew", "session": session, "lease": 30, "answer": answer}


def other(now, request, **values):
    return {"now": now, "request": request, **values}


REGISTERED = [other(100, "register", jobs={"bill": "v1", "mail": "v1"})]
BOTH = [("bill", 101, 110, 1, 1), ("mail", 101, 110, 1, 2)]
TRACES = {
    "two jobs in one claim, an end each": [
        *REGISTERED, claim(110, "a", 1, BOTH), renew(115, "a", [1, 2]), end(120, 1, "run", 110, 200, "written"),
        end(121, 2, "run", 110, 130, "written"), claim(125, "a", 2, []), claim(130, "b", 1, [("mail", 111, 130, 1, 3)])],
    "the answer to a claim and to an end is lost": [
        *REGISTERED, claim(110, "a", 1, BOTH), claim(111, "a", 1, BOTH), end(120, 1, "run", 110, 200, "written"),
        end(121, 1, "run", 110, 200, "before"), claim(122, "a", 0, [])],
    "a replica stops for longer than its lease": [
        *REGISTERED, claim(110, "a", 1, BOTH), claim(139, "b", 1, []), claim(140, "b", 2, [("bill", 101, 110, 2, 3)]),
        end(141, 1, "run", 110, 200, "refused"), renew(142, "a", "over"), claim(143, "a", 2, "over"),
        end(144, 2, "run", 110, 200, "written"), end(145, 3, "abandoned", 110, 200, "written")],
    "a pause, a retry and a change": [
        *REGISTERED, claim(110, "a", 1, BOTH), end(120, 1, "retried", 110, 125, "written"), other(121, "pause", job="bill"),
        claim(126, "a", 2, []), other(130, "resume", job="bill"), claim(131, "a", 3, [("bill", 101, 110, 2, 3)]),
        other(132, "register", jobs={"bill": "v2"}), end(133, 3, "run", 110, 150, "written"),
        claim(134, "b", 1, [("bill", 133, 134, 1, 4)], {"bill": "v2"})],
    "a removal during a run": [
        *REGISTERED, claim(110, "a", 1, BOTH), other(111, "remove", job="bill"), end(112, 1, "run", 110, 200, "written"),
        claim(300, "a", 2, []), other(301, "put", job="bill", text="v1"), claim(302, "a", 3, [("bill", 302, 302, 1, 3)])],
    "a removal during a run, and the replica dies": [
        *REGISTERED, claim(110, "a", 1, BOTH), other(111, "remove", job="bill"), claim(145, "b", 1, [("mail", 101, 110, 2, 3)]),
        # The claim may also have found the row locked, and left it.
        {**end(146, 1, "run", 110, 200, "refused"), "may_be_written": True}],
    "the store's clock is set back": [
        *REGISTERED, claim(110, "a", 1, BOTH), claim(50, "b", 1, []), claim(80, "b", 2, [("bill", 101, 110, 2, 3)])],
    "a run that is given up": [
        *REGISTERED, claim(110, "a", 1, BOTH), {**renew(111, "a", [2]), "givesUp": [1]}, claim(112, "a", 1, BOTH[1:]),
        claim(113, "b", 1, [("bill", 101, 110, 2, 3)]), end(114, 1, "run", 110, 200, "refused")],
    "an end is written while its session is renewed": [
        *REGISTERED, claim(110, "a", 1, BOTH), end(111, 1, "run", 110, 200, "written"),
        {**renew(112, "a", [1, 2]), "unsure": [1]}],
    "a session that is given up": [
        *REGISTERED, claim(110, "a", 1, BOTH), end(111, 1, "released", 110, None, "written"), other(112, "close", session="a"),
        claim(113, "b", 1, [("bill", 101, 113, 1, 3), ("mail", 101, 110, 2, 4)])],
}


def alterations(lines):
    """Yields the trace with one answer changed, in each way."""
    for index, line in enumerate(lines):
        answer = line.get("answer")
        changed = []
        if isinstance(answer, str):
            changed = [[]]
        elif line["request"] == "claim":
            changed = ["over"]
            for row in range(len(answer)):
                for key in ("from", "until", "attempt", "token"):
                    other_rows = copy.deepcopy(answer)
                    other_rows[row][key] += -1 if key == "token" else 1
                    changed.append(other_rows)
        elif line["request"] == "end":
            changed = [[verdict] for verdict in ("written", "before", "refused")
                       if [verdict] != answer and not (verdict == "written" and line.get("may_be_written"))]
        elif line["request"] == "renew":
            changed = ["over", [*answer, 99]]
            if answer and answer[0] not in line.get("unsure", []):
                changed.append(answer[1:])
        for value in changed:
            yield index, [*lines[:index], {**line, "answer": value}, *lines[index + 1:]]


def check_itself():
    path = pathlib.Path(__file__).parent / "cluster-transitions.txt"
    lines = path.read_text().splitlines()
    refused = 0
    draw = random.Random(1)
    replies = {"claim": ["rows", "nothing", "then", "over"], "end": ["written", "before", "refused"]}
    for line in lines:
        check_transition(line)
        parts = line.split()
        for reply in replies.get(parts[2].split("/")[0], []):
            if reply != parts[4] and not is_refused([*parts[:4], reply, parts[5]]):
                sys.exit(f"Another answer is accepted, {reply}: {line}")
            refused += reply != parts[4]
        if parts[5] != "none":
            row = parts[5].split(",")
            field = draw.choice([0, 1, 3, 4])
            row[field] = str(int(row[field]) + 1)
            # The line doesn't say where a row began that was deleted.
            if not (parts[1] == "none" and field == 0):
                if not is_refused([*parts[:5], ",".join(row)]):
                    sys.exit(f"Another row is accepted, {row}: {line}")
                refused += 1
    print(f"✔ {len(lines)} transitions of the model, and {refused} altered ones refused")
    count = 0
    for name, trace in TRACES.items():
        if problem := check_trace(trace):
            sys.exit(f"The trace isn't accepted, {name}: {problem}")
        for index, altered in alterations(trace):
            count += 1
            if not check_trace(altered):
                sys.exit(f"An altered answer is accepted, {name}, line {index + 1}: {altered[index]}")
    print(f"✔ {len(TRACES)} traces, and {count} altered ones refused")


def is_refused(parts):
    try:
        check_transition(" ".join(parts))
    except Refused:
        return True
    return False


if __name__ == "__main__":
    if len(sys.argv) == 2:
        found = check_trace([json.loads(line) for line in open(sys.argv[1])])
        sys.exit(found or print("✔ The model allows the trace."))
    check_itself()
