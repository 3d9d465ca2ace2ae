#!/usr/bin/python3
"""Does each step of the models of the cluster's store on PostgreSQL, and compares what it answers and writes.

    ../database Harness/transitions.py            # all lines of cluster-transitions.txt and put-transitions.txt
    ../database Harness/transitions.py --mutants  # and that the lines find each fault that is put into the SQL
    ../database Harness/transitions.py --part     # only a part of the steps, which finds each of these faults, too

A moment of the model is a microsecond, and the model's moment "never" is NULL. The sender of a claim is the session
`SENDER`, a row that another session holds is `HOLDER`'s, and `THIRD` serves the schedule of the row if the model says
that others do. Renewals and closes aren't in the files: they are done in each state of the first in which a claim is.

Needs Debian's package python3-psycopg2.
"""

import argparse
import json
import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import schema  # noqa: E402

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Models")
SENDER, HOLDER, THIRD = (f"00000000-0000-0000-0000-00000000000{n}" for n in range(1, 4))
LEASE, NEVER, JOB = 3, 14, "job"
LAST = 5  # the number of the sender's last claim
NUMBERS = {"new": LAST + 1, "again": LAST, "late": LAST - 1, "over": LAST + 1}
OWN, OTHER = 7, 8  # tokens
ASKED = 20  # the number of the first run that was asked for
OUTCOMES = {"1": ["done", "failed"], "2": ["settled"], "3": ["settled"], "4": ["settled"], "5": ["retried"], "6": ["released"]}
BATCH = 50  # steps in a statement
SKIPPED = [{"from": 1, "through": 1, "reason": "newerDate", "by": "", "note": ""}]
ENDED = ["done", "failed", "retried", "settled", "released"]

REPLAY = """
CREATE OR REPLACE FUNCTION timers.now_2() RETURNS bigint LANGUAGE sql AS
  $f$ SELECT current_setting('timers.test_now')::bigint $f$;
CREATE FUNCTION timers.replay(state jsonb, function text, request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $f$
DECLARE answer jsonb;
BEGIN
  PERFORM set_config('timers.test_now', state ->> 'now', false);
  DELETE FROM timers.job;
  DELETE FROM timers.session;
  DELETE FROM timers.run;
  DELETE FROM timers.pause;
  INSERT INTO timers.session SELECT * FROM jsonb_populate_recordset(NULL::timers.session, state -> 'sessions');
  INSERT INTO timers.job SELECT * FROM jsonb_populate_recordset(NULL::timers.job, state -> 'jobs');
  INSERT INTO timers.run SELECT * FROM jsonb_populate_recordset(NULL::timers.run, state -> 'runs');
  INSERT INTO timers.pause SELECT * FROM jsonb_populate_recordset(NULL::timers.pause, state -> 'pauses');
  EXECUTE format('SELECT timers.%I($1)', function) INTO answer USING request;
  RETURN jsonb_build_object('answer', answer,
    'job', (SELECT to_jsonb(job) FROM timers.job),
    'pauses', (SELECT jsonb_object_agg(handler, to_jsonb(pause)) FROM timers.pause),
    'sessions', (SELECT jsonb_object_agg(id, to_jsonb(session)) FROM timers.session),
    'runs', (SELECT jsonb_object_agg(token, to_jsonb(run)) FROM timers.run));
END $f$;
"""


# What the files don't have: a floor in the future, after the clock was set back; a job that is put with another schedule
# while its last date is run, or with a pause while its run is abandoned; a job that is put with its old schedule during
# a run that was begun before the clock went back, and owes the moments since then.
HANDLER = "h"
MORE = ["1 1,1,-,0,4,0,0,.,free claim/0/0/0 new rows 2,1,1,1,0,0,0,.,this"]
PUT_MORE = [
    f"1 1,0,0,1,0,1,0,.,own,0/0,-/-,.,0 -,-,- end/done/{NEVER}/0/2 written 1,1,-,0,0,1,0,.,free,0/0,-/-,.,0 -,-,-",
    "2 1,1,1,1,1,1,0,.,over,0/0,-/-,.,0 0/2,-,- claim/2 rows/0/0/0 3,1,2,1,0,1,1,.,this,0/0,-/-,.,0 0/2,-,-",
    "2 1,1,1,1,1,1,0,.,over,0/0,-/-,.,0 -,-,0/2 claim/2 rows/0/0/0 3,1,2,1,0,1,1,.,this,0/0,-/-,.,0 -,-,0/2",
]
# Another line of these would have `--part` take other steps, and they would miss mutants. So it isn't shuffled.
OWED = f"1 1,1,2,1,1,1,1,.,own,0/0,-/-,.,0 -,-,- end/done/{NEVER}/1/0 written 2,1,-,0,1,1,0,.,free,0/0,-/-,.,0 -,-,-"


class Differs(Exception):
    """The SQL doesn't do what a line says."""


def require(found, expected, what):
    if found != expected:
        raise Differs(f"{what}: {found}, not {expected}")


def version(text):
    """Returns the text of a schedule. The third one and the fourth have one date."""
    return ("at " if text in "34" else "v") + text


def dates_after(text, moment):
    return next((date for date in (1, 2) if date > moment and (text == "0" or date == 1)), None)


def read_pause(text):
    """Returns the beginning and the end of a pause that a line has as "1/2" or "1/-", or None."""
    began, _, ended = text.partition("/")
    return (int(began), None if ended == "-" else int(ended)) if ended else None


def pause_text(pause):
    """Returns a pause as the model prints it, whose moment 0 is before all dates."""
    if not pause or pause.get("ended") == 0:
        return ""
    return f"{pause['began']}/{'-' if pause.get('ended') is None else pause['ended']}"


class Line:
    def __init__(self, text, index, is_given_up=False, is_put=False):
        self.text, self.index, self.is_given_up, self.is_put = text, index, is_given_up, is_put
        moment, self.before, request, self.view, self.reply, self.after = text.split()
        self.now = int(moment)
        self.name, self.version, self.outcome, self.date = request.split("/")
        self.number = NUMBERS.get(self.view)
        self.fields = None if self.before == "none" else self.before.split(",")
        self.held = self.fields[8] if self.fields else "none"

    # The state before the step.

    def session(self, id, lease_end, is_over=False, number=LAST, serves=None):
        handlers = [HANDLER] if serves and self.is_put else []
        serves = {} if self.is_put else serves or {}
        return {"id": id, "replica": id[-1], "lease_end": lease_end, "number": number, "is_over": is_over,
                "lease_length": LEASE, "handlers": handlers, "serves": serves, "served_count": len(serves)}

    def sessions(self):
        # An idle claim writes the lease when less than half of it is left.
        sender = self.session(
            SENDER, self.now + self.index % 2, self.view == "over",
            # The model's replicas have ended when a job is put or removed, as a live one's program keeps its job.
            serves={} if self.name in ("put", "remove") else {JOB: version(self.version)})
        found = [sender]
        if self.held == "over" and not self.is_given_up or self.held.startswith("left"):
            left = LEASE if self.held == "over" else int(self.held[4:])
            found.append(self.session(HOLDER, self.now + left, self.held == "over"))
        if self.reply in ("others", "unserved"):
            left = 1 if self.reply == "others" else 0
            found.append(self.session(THIRD, self.now + left, serves={JOB: version(self.fields[5])}))
        return found

    def job(self):
        if not self.fields:
            return []
        start, at, until, attempt, floor, text, fixed_by, flags, held = self.fields
        row = {
            "name": JOB, "handler": self.handler, "payload": "p", "schedule": version(text), "floor": int(floor), "start": int(start),
            "at": None if int(at) == NEVER else int(at), "until": None if until == "-" else int(until),
            "attempt": int(attempt), "fixed_by": None if until == "-" else version(fixed_by), "is_paused": "P" in flags,
            "is_removed": "R" in flags, "is_lost": False, "asked": [], "skipped": [], "paused_by": "", "pause_reason": "", "cancelled_by": None, "failed_end": None, "token": None, "session": None, "number": None, "last_date": None,
            "done_count": 10, "failed_count": 20, "abandoned_count": 30, "missed_count": 40, "ahead": None,
            "range_handler": None, "range_payload": None, "key": "", "held_key": None, "options": {}, "postponed": 0, "steps": {},
            "last_pause": None}
        if pause := read_pause(flags.partition(".")[2]):
            ended = {} if pause[1] is None else {"ended": pause[1]}
            row["last_pause"] = {"began": pause[0], "by": "", "reason": ""} | ended
        if held != "free":
            is_own = held in ("this", "own")
            number = self.number if held == "this" else LAST - 2
            holder = SENDER if is_own else None if self.is_given_up else HOLDER
            row |= {"token": OWN if is_own else OTHER, "session": holder, "number": number}
        return [row]

    def runs(self):
        def record(token, outcome):
            return {"token": token, "job": JOB, "scheduled_date": None, "attempt": 1, "missed": 0, "replica": f"r{token}",
                    "began": 0, "ended": None, "outcome": outcome, "failure": None, "is_asked": False, "start": 1, "through": 2, "schedule": "v0", "skipped": []}

        found = [record(row["token"], "running") for row in self.job() if row["token"]]
        if self.name == "end" and self.held != "own":
            ended = ENDED[self.index % 5] if self.view == "ended" else ("running", "abandoned")[self.index % 2]
            found.append(record(OWN, ended))
        return found

    def state(self):
        return {"now": self.now, "sessions": self.sessions(), "jobs": self.job(), "runs": self.runs(), "pauses": []}

    @property
    def handler(self):
        return HANDLER if self.is_put else ""

    @property
    def may_be_put(self):
        """Whether the line is also one of a job that was put, whose replicas have no schedules of their own, and whose range has
        its schedule."""
        if self.fields and self.fields[2] != "-" and self.fields[5] != self.fields[6]:
            return False
        return self.name != "register" and self.reply not in ("others", "unserved") and (
            self.name != "claim" or not self.fields or self.version == self.fields[5])

    # The row after the step, as the model prints it.

    def describe(self, found):
        row = found["job"]
        if not row:
            return "none"
        held = "free"
        if row["token"]:
            session = found["sessions"].get(row["session"])
            if not session:
                held = "over"
            elif row["session"] == SENDER:
                held = "this" if self.name == "claim" and row["number"] == self.number else "own"
            else:
                held = "over" if session["is_over"] else f"left{session['lease_end'] - self.now}"
        flags = "P" * row["is_paused"] + "R" * row["is_removed"] + "." + pause_text(row["last_pause"])
        at = NEVER if row["at"] is None else row["at"]
        until = "-" if row["until"] is None else row["until"]
        fixed_by = (row["fixed_by"] or "v0")[-1]
        return ",".join(map(str, [
            row["start"], at, until, row["attempt"], row["floor"], row["schedule"][-1], fixed_by, flags, held]))

    # The steps.

    def requests(self):
        """Yields the functions and their requests, and what checks the rest of what they do."""
        if self.name == "claim":
            claim = {"session": SENDER, "number": self.number, "limit": 1, "lease": LEASE, "except": []}
            yield "claim", claim, self.check_claim
            if self.view == "new":
                yield "claim", claim | {"isRepeated": True}, self.check_claim
                yield "claim", claim | {"except": [JOB]}, self.check_excluded
            yield "renew", {"session": SENDER, "lease": LEASE}, self.check_renewal
            yield "renew", {"session": SENDER, "lease": LEASE, "givesUp": [OWN]}, self.check_given_up
            yield "close", {"session": SENDER}, self.check_close
        elif self.name == "end":
            until = int(self.fields[2]) if self.fields and self.fields[2] != "-" else self.now
            for outcome in OUTCOMES[self.outcome]:
                following = self.now + 1 if outcome == "retried" else dates_after(self.version, until)
                yield "end", {"ends": [{
                    "token": OWN, "outcome": outcome, "date": int(self.date) or None, "through": until, "next": following,
                    "schedule": version(self.version), "missed": 2, "failure": "f", "skipped": SKIPPED}]}, self.check_end
        elif self.name == "register":
            yield "register", {
                "session": THIRD, "replica": "c", "lease": LEASE, "serves": {JOB: version(self.version)},
                "declares": [JOB], "resumes": [JOB] if self.outcome == "1" else []}, self.check_registration
        elif self.name in ("pause", "resume"):
            yield "pause", {"job": JOB, "isPaused": self.name == "pause"}, self.check_other
        elif self.name == "remove":
            yield "remove", {"job": JOB}, self.check_other
        else:
            yield "put", {"jobs": [{
                "job": JOB, "handler": self.handler, "schedule": version(self.version)}]}, self.check_other

    def check(self, function, request, check, found):
        require(found["answer"].get("now"), self.now, "now")
        if check in (self.check_claim, self.check_end, self.check_registration, self.check_other):
            require(self.describe(found), self.row_after(function, request), "the row")
        check(function, request, found)

    def row_after(self, function, request):
        """The row after the step. The model's job is of a program. One that was put leaves when its last date is done."""
        end = request["ends"][0] if function == "end" else None
        leaves = end and self.is_put and self.reply == "written" and self.fields and (
            end["outcome"] == "done" and end["next"] is None and end["schedule"] == version(self.fields[5]))
        return "none" if leaves else self.after

    def check_claim(self, _, request, found):
        answer, session = found["answer"], found["sessions"][SENDER]
        reply = "over" if answer["isOver"] else "rows" if answer["runs"] else "then" if answer["isOld"] else "nothing"
        for name in ("others", "unserved"):
            if answer[name]:
                require((reply, answer[name]), ("nothing", [JOB]), name)
                reply = name
        require(reply, self.reply, "the reply")

        is_numbered = self.view == "new" and (self.reply == "rows" or request.get("isRepeated", False))
        lease_end = self.now + self.index % 2
        if self.view in ("again", "late") or is_numbered or self.view == "new" and self.index % 2 == 0:
            lease_end = self.now + LEASE
        require(session["number"], LAST + 1 if is_numbered else LAST, "the session's number")
        require(session["lease_end"], lease_end, "the sender's lease")
        require(session["is_over"], self.view == "over", "the sender is over")

        was_held = self.held == "over" or self.held.startswith("left")
        is_taken = self.view == "new" and reply == "rows"
        if reply == "rows":
            row, run = found["job"], answer["runs"][0]
            require(run, {
                "job": JOB, "from": row["start"], "until": row["until"], "attempt": row["attempt"], "token": row["token"],
                "schedule": row["fixed_by"], "handler": self.handler, "payload": "p", "asked": None, "previousFailure": None, "key": None, "options": {}, "postponed": 0, "steps": {}, "isCancelled": False, "isLost": is_taken and was_held or row["is_lost"], "abandonedBy": f"r{OTHER}" if is_taken and was_held else None}, "the run")
            record = found["runs"][str(row["token"])]
            require(record["outcome"], "running", "the run's record")
            at = row["at"]
            if is_taken:
                date = at if at is not None and row["start"] <= at <= row["until"] else None
                require((record["scheduled_date"], record["attempt"]), (date, row["attempt"]), "the run's date and attempt")
                require((record["start"], record["through"], record["schedule"]),
                        (row["start"], row["until"], row["fixed_by"]), "the run's range")
        if was_held:
            is_gone = is_taken or self.after == "none"
            outcome = ("abandoned", self.now) if is_gone else ("running", None)
            record = found["runs"][str(OTHER)]
            require((record["outcome"], record["ended"]), outcome, "the record of the run before")
            if is_taken:
                require(found["job"]["abandoned_count"], 31, "the abandoned runs")
        require(answer["locked"], [], "rows that are locked")
        if self.view == "new":
            require(answer["next"], self.expected_next(found), "next")

    def check_excluded(self, _, request, found):
        require((found["answer"]["runs"], found["answer"]["next"]), ([], None), "a job that is excepted")

    def expected_next(self, found):
        row = found["job"]
        if not row or row["session"] == SENDER or row["schedule"] != version(self.version):
            return None
        if not row["token"]:
            return None if row["is_paused"] or row["is_removed"] else row["at"]
        if row["is_paused"] and not row["is_removed"]:
            return None
        session = found["sessions"].get(HOLDER)
        return self.now if not session or session["is_over"] else session["lease_end"]

    def check_renewal(self, _, request, found):
        is_over = self.view == "over"
        answer, session = found["answer"], found["sessions"][SENDER]
        tokens = [OWN] if self.held in ("this", "own") and not is_over else []
        require((answer["isOver"], answer["tokens"]), (is_over, tokens), "the renewal")
        lease_end = self.now + (self.index % 2 if is_over else LEASE)
        require((session["is_over"], session["lease_end"]), (is_over, lease_end), "the session")
        require(found["job"], (self.job() or [None])[0], "the row")

    def check_given_up(self, _, request, found):
        require((found["answer"]["isOver"], found["answer"]["tokens"]), (self.view == "over", []), "the renewal")
        row = (self.job() or [None])[0]
        if row and row["token"] == OWN and self.view != "over":
            row["session"] = None
        require(found["job"], row, "the row")

    def check_close(self, _, request, found):
        require(found["sessions"][SENDER]["is_over"], True, "the session is over")
        require(found["job"], (self.job() or [None])[0], "the row")

    def check_end(self, _, request, found):
        require(found["answer"]["verdicts"], [self.reply], "the verdict")
        asked, record = request["ends"][0], found["runs"][str(OWN)]
        before = next(run for run in self.runs() if run["token"] == OWN)
        if self.reply == "written":
            is_released, stays = asked["outcome"] == "released", asked["outcome"] in ("retried", "released")
            # One that was settled has a date if its attempts are used up.
            date = None if asked["outcome"] in ("settled", "released") else asked["date"]
            before |= {"outcome": asked["outcome"], "ended": self.now, "scheduled_date": date, "missed": 2,
                       "failure": "f", "start": None if is_released else before["start"],
                       "through": None if is_released else asked["through"], "skipped": SKIPPED}
            row = found["job"]
            if row:
                counts = [row[name] for name in ("done_count", "failed_count", "missed_count", "last_date")]
                is_done, is_failed = asked["outcome"] == "done", asked["outcome"] == "failed"
                date = asked["date"] if is_done or is_failed else None
                require(counts, [10 + is_done, 20 + is_failed, 40 if stays else 42, date], "the counts")
        elif before["outcome"] == "running":
            before |= {"outcome": "abandoned", "ended": self.now}
        require(record, before, "the run's record")

    def check_registration(self, _, request, found):
        require(found["answer"]["isOver"], False, "isOver")
        session = found["sessions"][THIRD]
        require((session["lease_end"], session["serves"]), (self.now + LEASE, request["serves"]), "the session")

    def check_other(self, function, request, found):
        if function != "put":
            require(found["answer"]["found"], True, "found")


class PutLine(Line):
    """A line of put-transitions.txt."""

    def __init__(self, text, index, is_given_up=False):
        self.text, self.index, self.is_given_up, self.is_put = text, index, is_given_up, True
        moment, self.before, self.pauses, request, self.reply, after, pauses_after = text.split()
        self.now, self.after = int(moment), f"{after} {pauses_after}"
        self.view, self.number, self.version = "new", LAST + 1, None
        self.name, *self.values = request.split("/")
        columns = self.before.split(",")
        self.fields, self.more = (None, None) if self.before == "none" else (columns[:9], columns[9:])
        self.held = self.fields[8] if self.fields else "none"

    def state(self):
        pauses = [{"handler": handler, "began": pause[0], "ended": pause[1], "person": "", "reason": ""}
                  for handler, text in zip(("h0", "h1", ""), self.pauses.split(",")) if (pause := read_pause(text))]
        return super().state() | {"pauses": pauses}

    def sessions(self):
        sender = self.session(SENDER, self.now + LEASE)
        if self.name == "claim":
            sender["handlers"] = ["h0", "h1"] if self.values[0] == "2" else ["h" + self.values[0]]
        holder = self.session(HOLDER, self.now + LEASE, self.held == "over")
        return [sender] if self.is_given_up else [sender, holder]

    def job(self):
        for row in super().job():
            own, of_range, flags, wanted = self.more
            handler, payload = own.split("/")
            range_handler, range_payload = (None if text == "-" else text for text in of_range.split("/"))
            failed_end = {"token": OTHER, "outcome": "failed", "date": None, "through": row["until"], "missed": 0,
                          "failure": "f", "asked": ASKED if "A" in flags else None, "askedRest": None}
            return [row | {
                "handler": "h" + handler, "payload": "p" + payload, "is_lost": "L" in flags,
                "range_handler": range_handler and "h" + range_handler,
                "range_payload": range_payload and "p" + range_payload, "cancelled_by": "Ann" if "C" in flags else None,
                "failed_end": failed_end if "F" in flags else None,
                "asked": [{"id": ASKED + i, "from": self.now, "through": self.now} for i in range(int(wanted))]}]
        return []

    def describe(self, found):
        columns, row = [super().describe(found)], found["job"]
        if row:
            def digit(text):
                return text[1:] if text else "-"
            end = row["failed_end"]
            flags = [row["is_lost"], row["cancelled_by"], end, end and end["asked"]]
            columns += [f"{digit(row['handler'])}/{digit(row['payload'])}",
                        f"{digit(row['range_handler'])}/{digit(row['range_payload'])}",
                        "".join(letter for letter, is_so in zip("LCFA", flags) if is_so) + ".", str(len(row["asked"]))]
        pauses = found["pauses"] or {}
        texts = [pause_text(pauses.get(handler)) or "-" for handler in ("h0", "h1", "")]
        return f"{','.join(columns)} {','.join(texts)}"

    def requests(self):
        check, job = self.check_reply, {"job": JOB}
        if self.name == "claim":
            yield "claim", {"session": SENDER, "number": self.number, "limit": 1, "lease": LEASE}, check
        elif self.name == "end":
            outcome, following, text, asked = self.values
            through = int(self.fields[2]) if self.held == "own" else self.now
            yield "end", {"ends": [{
                "token": OWN, "outcome": outcome, "date": None, "through": through,
                "next": None if int(following) == NEVER else int(following), "schedule": version(text), "missed": 0,
                "failure": "f", "asked": {"1": ASKED, "2": ASKED - 1}.get(asked)}]}, check
        elif self.name in ("pause", "resume"):
            of = {"j": job, "c": {}}.get(self.values[0], {"handler": "h" + self.values[0]})
            yield "pause", of | {"isPaused": self.name == "pause"}, check
        elif self.name == "put":
            text, handler, payload = self.values
            yield "put", {"jobs": [job | {
                "handler": "h" + handler, "schedule": version(text), "payload": "p" + payload}]}, check
        else:
            yield self.name, job | {"by": "Ann"}, check

    def check(self, function, request, check, found):
        require(found["answer"].get("now"), self.now, "now")
        require(self.describe(found), self.after, "the row")
        check(function, request, found)

    def check_reply(self, function, request, found):
        answer, row, reply = found["answer"], found["job"], "-"
        if function == "end":
            reply = answer["verdicts"][0]
        elif function == "claim":
            reply = "nothing"
            for run in answer["runs"]:
                reply = f"rows/{run['handler'][1:]}/{run['payload'][1:]}/{int(run['asked'] is not None)}"
                require([run[name] for name in ("from", "until", "attempt", "schedule", "isLost", "isCancelled")],
                        [row[name] for name in ("start", "until", "attempt", "fixed_by", "is_lost")] +
                        [row["cancelled_by"] is not None], "the run")
        require(reply, self.reply, "the reply")


# What is wrong, the SQL, and what is in its place.
MUTANTS = [
    ("an end isn't fenced by its token", "SELECT job.token, job.name FROM timers.run JOIN timers.job ON job.name = run.job AND job.token = run.token",
     "SELECT run.token, job.name FROM timers.run JOIN timers.job ON job.name = run.job"),
    ("a retry writes its range anew", "until = CASE WHEN until IS NOT NULL THEN until ELSE least(",
     "until = CASE WHEN false THEN until ELSE least("),
    ("the number is ignored", "is_old := claim_number <= own.number;", "is_old := false;"),
    ("an equal number is a new one", "is_old := claim_number <= own.number;", "is_old := claim_number < own.number;"),
    ("a late copy brings rows", "taken > 0 OR claim_number = own.number THEN timers.brought_2(own.id, claim_number)",
     "taken > 0 OR is_old THEN timers.brought_2(own.id, own.number)"),
    ("the floor is ignored", "start = CASE WHEN until IS NULL THEN greatest(start, least(floor, moment) + 1)", "start = CASE WHEN until IS NULL THEN start"),
    ("a floor in the future stays one", "start = CASE WHEN until IS NULL THEN greatest(start, least(floor, moment) + 1)", "start = CASE WHEN until IS NULL THEN greatest(start, floor + 1)"),
    ("the floor stays", "floor = CASE WHEN until IS NULL THEN 0 ELSE floor END", "floor = floor"),
    ("a renewal of a session that is over", "WHERE id = id_ AND NOT is_over FOR NO KEY UPDATE", "WHERE id = id_ FOR NO KEY UPDATE"),
    ("a claim of a session that is over", "WHERE id = (request ->> 'session')::uuid AND NOT is_over FOR", "WHERE id = (request ->> 'session')::uuid FOR"),
    ("a long lease is over", "SET is_over = lease_end <= moment,", "SET is_over = true,"),
    ("a lease is over a moment late", "NOT is_over AND (lease_end <= moment OR", "NOT is_over AND (lease_end < moment OR"),
    ("the lease isn't judged", "is_over = lease_end <= moment,", "is_over = false,"),
    ("a long lease isn't cut", "OR lease_end > timers.now_2() + lease_length) AND id", ") AND id"),
    ("a paused job is taken", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler = ''", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND handler = ''"),
    ("a paused job that was put is taken", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler <> ''", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND handler <> ''"),
    ("a job that was put is taken early", "handler <> '' AND handler = own_handler AND at <= moment AND NOT is_removed AND name <> ALL (excluded) ORDER BY at LIMIT least", "handler <> '' AND handler = own_handler AND at <= moment + 1 AND NOT is_removed AND name <> ALL (excluded) ORDER BY at LIMIT least"),
    ("a job that was put has no next date", "AND at IS NOT NULL AND NOT is_removed AND name <> ALL (excluded) ORDER BY at LIMIT 1) AS due", "AND at IS NULL AND NOT is_removed AND name <> ALL (excluded) ORDER BY at LIMIT 1) AS due"),
    ("a paused job is taken over", "OR session IS NULL) AND NOT is_paused AND NOT is_removed AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect) ORDER BY at LIMIT most",
     "OR session IS NULL) AND NOT is_removed AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect) ORDER BY at LIMIT most"),
    ("a job is taken early", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler = '' AND at <= moment", "SELECT name, at, token, handler FROM timers.job WHERE token IS NULL AND NOT is_paused AND handler = '' AND at <= moment + 1"),
    ("a job is taken with another schedule", "AND schedule = served ->> name AND name <> ALL (excluded) ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ), put",
     "AND name <> ALL (excluded) ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ), put"),
    ("a job is taken over with another schedule", "NOT is_paused AND NOT is_removed AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect) ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ) SELECT",
     "NOT is_paused AND NOT is_removed ORDER BY at LIMIT most FOR NO KEY UPDATE SKIP LOCKED ) SELECT"),
    ("a removed job is left behind", "session IS NULL) AND is_removed FOR UPDATE", "session IS NULL) AND is_removed AND is_paused FOR UPDATE"),
    ("the old run's record stays", "IF abandoned IS NOT NULL THEN", "IF false THEN"),
    ("an empty claim is numbered", "IF taken > 0 OR (request ->> 'isRepeated')::boolean THEN", "IF true THEN"),
    ("a repeated claim isn't numbered", "IF taken > 0 OR (request ->> 'isRepeated')::boolean THEN", "IF taken > 0 THEN"),
    ("a claim doesn't renew", "ELSIF own.lease_end NOT BETWEEN", "ELSIF false AND own.lease_end NOT BETWEEN"),
    ("a repeated claim doesn't renew", "IF is_old THEN UPDATE timers.session SET lease_end = moment + lease,", "IF is_old THEN UPDATE timers.session SET lease_end = lease_end,"),
    ("a session whose lease has ended serves", "AND NOT is_over AND lease_end > moment AND lease_end", "AND NOT is_over AND lease_end"),
    ("an end leaves the range", "start = e.starts", "start = start"),
    ("the changed job waits for its old next date", "WHEN e.schedule = job.schedule AND e.starts = e.range_end THEN e.next", "WHEN true THEN e.next"),
    ("a job that owes moments of its range again waits for its next date", "WHEN e.schedule = job.schedule AND e.starts = e.range_end THEN e.next", "WHEN e.schedule = job.schedule THEN e.next"),
    ("a release uses an attempt up", "held_job.attempt - (f.outcome IN ('postponed', 'released'))::integer", "held_job.attempt"),
    ("a retry counts the dates that weren't run", "missed_count + CASE WHEN e.stays THEN 0 ELSE e.missed END", "missed_count + e.missed"),
    ("a run that was released accounts for its range", "start = CASE WHEN e.outcome <> 'released' THEN run.start END", "start = run.start"),
    ("an end doesn't say which dates weren't run", "skipped = run.skipped || e.skipped", "skipped = run.skipped"),
    ("a retry begins a new range", "f.outcome IN ('retried', 'postponed', 'released') AS stays", "f.outcome IN ('postponed', 'released') AS stays"),
    ("a removed job stays after its end", "WHERE job.name = e.job AND (is_removed OR handler", "WHERE job.name = e.job AND (handler"),
    ("a job that was put stays after its last date", "OR handler <> '' AND e.outcome = 'done'", "OR false AND e.outcome = 'done'"),
    ("a job of a program leaves after its last date", "OR handler <> '' AND e.outcome = 'done'", "OR e.outcome = 'done'"),
    ("a job whose last date has failed leaves", "OR handler <> '' AND e.outcome = 'done'", "OR handler <> ''"),
    ("a job leaves though it owes moments of its range again", "AND timers.after_range_2(floor, timers.range_end_2(job.*, e.through)) = timers.range_end_2(job.*, e.through)", ""),
    ("a job leaves though its schedule was changed", "AND e.schedule = job.schedule AND CASE WHEN e.asked", "AND CASE WHEN e.asked"),
    ("an end that was written is refused", "outcome IN ('done', 'failed', 'retried', 'postponed', 'released', 'settled') THEN", "outcome IN ('done', 'failed', 'settled') THEN"),
    ("a refused end leaves its record", "WHERE token = ANY (tokens) AND outcome = 'running'", "WHERE token = ANY (tokens) AND outcome = 'none'"),
    ("a refused end ends the record of a row that is held", "tokens) AND outcome = 'running'", "tokens) AND outcome <> 'running'"),
    ("a resumed job makes up for its pause", "UPDATE timers.job SET skipped = l.skipped, floor = l.floor, last_pause = NULL", "UPDATE timers.job SET last_pause = NULL"),
    ("a resumed job leaves out the dates from before its pause", "AND l.bound IS NULL;", ";"),
    ("a pause leaves out the dates from before it", "THEN bound := p.began;", "THEN NULL;"),
    ("a date from before a pause that isn't known is left out", "SELECT least(greatest(start, floor + 1), moment)", "SELECT moment"),
    ("a pause counts before one that began earlier", "ORDER BY 1 LOOP", "ORDER BY 2 LOOP"),
    ("the dates of a job's pause are run after one from before it", "OR bounds ? name OR last_pause", "OR last_pause"),
    ("a job with a run is removed at once", "IF held_by IS NULL THEN DELETE FROM timers.job WHERE name = request ->> 'job' AND token IS NULL;", "IF true THEN DELETE FROM timers.job WHERE name = request ->> 'job';"),
    ("a registration leaves a job removed", "WHERE name = ANY (declared) AND (is_removed OR handler = '' AND schedule <> serves_", "WHERE name = ANY (declared) AND (NOT is_removed AND handler = '' AND schedule <> serves_"),
    ("a registration leaves the floor", "schedule = serves_ ->> name, floor = greatest(floor, moment)", "schedule = serves_ ->> name, floor = floor"),
    ("a registration waits for the next date", "IS NULL THEN last_pause END, at = least(at, moment) WHERE name = ANY (changed)", "IS NULL THEN last_pause END WHERE name = ANY (changed)"),
    ("a job that is put again stays removed", "PERFORM timers.restore_2(ARRAY", "PERFORM (ARRAY"),
    ("a run that is given up isn't free", "(session = ANY (ended) OR session IS NULL) AND NOT is_paused AND NOT is_removed AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect) ORDER BY at LIMIT most",
     "session = ANY (ended) AND NOT is_paused AND NOT is_removed AND CASE WHEN handler = '' THEN schedule = served ->> name ELSE handler = ANY (own.handlers) END AND name <> ALL (excluded) AND (attempt < 2 OR name = suspect) ORDER BY at LIMIT most"),
    ("a run that is given up stays", "SET session = NULL WHERE name", "SET session = session WHERE name"),
    ("a session gives up another's run", "WHERE session = id_ AND token = ANY (given_up)", "WHERE token IS NOT NULL"),
    ("a close does nothing", "SET is_over = true WHERE id", "SET is_over = is_over WHERE id"),
    ("a job is taken while the cluster is paused", "IF '' = ANY (paused) THEN most := 0; END IF;", ""),
    ("a job is taken while its handler is paused", "EXCEPT SELECT unnest(paused));", ");"),
    ("the dates of a handler's pause come later", "IF bound IS NULL THEN floor := greatest(floor, p.ended); END IF;", ""),
    ("a pause leaves out the only date of a job", "IF one.until IS NOT NULL OR timers.has_one_date_2(one) THEN RETURN; END IF;", "IF one.until IS NOT NULL THEN RETURN; END IF;"),
    ("what was asked for is begun again", "CASE WHEN f.asked IS NULL OR stays THEN held_job.asked", "CASE WHEN true THEN held_job.asked"),
    ("a withdrawal leaves an attempt that waits", "PERFORM timers.give_up_2(request ->> 'job', given_up); UPDATE timers.job SET asked", "UPDATE timers.job SET asked"),
    ("a withdrawal leaves an attempt of an old put", "PERFORM timers.give_up_outdated_retry_2(request ->> 'job', timers.now_2());", ""),
    ("a put leaves an attempt that waits", "PERFORM timers.give_up_outdated_retry_2(job_name, moment);", ""),
    ("an attempt follows after a put with another handler", "PERFORM timers.give_up_outdated_2(chosen, moment);", ""),
    ("an outdated range that was abandoned keeps the dates of a pause",
     "PERFORM timers.give_up_outdated_2(chosen, moment); IF EXISTS (SELECT FROM timers.pause WHERE pause.ended IS NOT NULL) OR EXISTS (SELECT FROM timers.job WHERE name = ANY (chosen) AND last_pause IS NOT NULL) THEN bounds := ( SELECT coalesce(jsonb_object_agg(name, bound) FILTER (WHERE bound IS NOT NULL), '{}') FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) WHERE name = ANY (chosen)); UPDATE timers.job SET skipped = l.skipped, floor = l.floor FROM ( SELECT name AS left_job, leave_out.* FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) AS leave_out WHERE name = ANY (chosen)) AS l WHERE name = l.left_job AND (job.skipped, job.floor) IS DISTINCT FROM (l.skipped, l.floor); END IF;",
     "IF EXISTS (SELECT FROM timers.pause WHERE pause.ended IS NOT NULL) OR EXISTS (SELECT FROM timers.job WHERE name = ANY (chosen) AND last_pause IS NOT NULL) THEN bounds := ( SELECT coalesce(jsonb_object_agg(name, bound) FILTER (WHERE bound IS NOT NULL), '{}') FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) WHERE name = ANY (chosen)); UPDATE timers.job SET skipped = l.skipped, floor = l.floor FROM ( SELECT name AS left_job, leave_out.* FROM timers.job CROSS JOIN LATERAL timers.leave_out_2(job, true) AS leave_out WHERE name = ANY (chosen)) AS l WHERE name = l.left_job AND (job.skipped, job.floor) IS DISTINCT FROM (l.skipped, l.floor); END IF; PERFORM timers.give_up_outdated_2(chosen, moment);"),
    ("a later attempt has a new payload", "'payload', coalesce(range_payload, payload), 'isLost'", "'payload', payload, 'isLost'"),
    ("a put forgets the handler of the range", "ELSE coalesce(range_handler, handler) END", "ELSE range_handler END"),
    ("a retry by hand waits for the back-off", "UPDATE timers.job SET at = least(at, moment) WHERE name = request ->> 'job' AND NOT is_removed AND token IS NULL",
     "UPDATE timers.job SET at = at WHERE name = request ->> 'job' AND NOT is_removed AND token IS NULL"),
    ("a cancelled run is tried again", "AND (cancelled_by IS NOT NULL OR timers.is_outdated_2(held_job)", "AND (timers.is_outdated_2(held_job)"),
]


def prepare(cursor, sql):
    cursor.execute("DROP SCHEMA IF EXISTS timers CASCADE")
    cursor.execute(sql)
    cursor.execute(REPLAY)


def steps(lines):
    """Yields each step with its line. Those that don't depend on all of the line are done once."""
    seen = set()
    for line in lines:
        for function, request, check in line.requests():
            if check in (line.check_renewal, line.check_given_up, line.check_close, line.check_excluded):
                key = (function, "givesUp" in request, line.is_given_up, line.is_put, line.now, line.before, line.version, line.view, line.index % 2)
                if key in seen:
                    continue
                seen.add(key)
            yield line, function, request, check


def replay(cursor, found):
    """Does steps, or raises Differs at the first that does something else."""
    for start in range(0, len(found), BATCH):
        # Rows of steps before would be read again and again.
        cursor.execute("VACUUM timers.job, timers.session, timers.run, timers.pause")
        batch = found[start:start + BATCH]
        cursor.execute(
            "SELECT timers.replay(state, function, request)"
            " FROM jsonb_to_recordset(%s) AS s (state jsonb, function text, request jsonb)",
            [json.dumps([
                {"state": line.state(), "function": f"{function}_2", "request": request}
                for line, function, request, _ in batch])])
        for (line, function, request, check), (answer,) in zip(batch, cursor.fetchall()):
            try:
                line.check(function, request, check, answer)
            except Differs as difference:
                raise Differs(f"{line.text}\n  {function} {json.dumps(request)}\n  {difference}") from None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", action="store_true")
    parser.add_argument("--mutants", action="store_true")
    options = parser.parse_args()
    texts, put_texts = (
        open(f"{MODELS}/{name}-transitions.txt").read().splitlines() for name in ("cluster", "put"))
    lines = [Line(text, index) for index, text in enumerate(texts + MORE)]
    lines += [Line(line.text, line.index, is_given_up=True) for line in lines if line.held == "over"]
    lines += [Line(line.text, line.index, line.is_given_up, True) for line in lines if line.may_be_put]
    put_lines = [PutLine(text, index) for index, text in enumerate(put_texts + PUT_MORE)]
    lines += put_lines + [PutLine(line.text, line.index, True) for line in put_lines if line.held == "over"]
    cursor = schema.connect().cursor()
    cursor.execute("SET synchronous_commit = off; SET client_min_messages = warning")
    sql = schema.migration()
    began = time.monotonic()
    prepare(cursor, sql)
    # A mutant of any part is found early.
    found = list(steps(lines))
    random.Random(1).shuffle(found)
    found.sort(key=lambda step: step[0].text not in MORE + PUT_MORE)
    if options.part:
        found = found[:len(found) // 6]
    found = [*steps([PutLine(OWED, 0)]), *found]
    try:
        replay(cursor, found)
    except Differs as difference:
        sys.exit(f"✘ {difference}")
    print(f"✔ {len(texts) + len(put_texts)} transitions of the models, {len(found)} steps in PostgreSQL, {time.monotonic() - began:.0f} s", flush=True)
    if not options.mutants:
        return
    missed = 0
    mutants = [(name, schema.changed(sql, old, new)) for name, old, new in MUTANTS]
    for name, mutant in mutants:
        prepare(cursor, mutant)
        try:
            replay(cursor, found)
            print(f"✘ not found: {name}", flush=True)
            missed += 1
        except Differs as difference:
            print(f"✔ {name}: {str(difference).splitlines()[-1].strip()}", flush=True)
        except schema.Error as error:
            sys.exit(f"✘ {name}: {error}")
    print(f"{len(MUTANTS) - missed} of {len(MUTANTS)} mutants were found.")
    sys.exit(1 if missed else 0)


main()
