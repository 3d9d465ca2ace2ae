"""Checks what the store has done beside the model, by Tests/Models/trace.py."""

import bisect
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Models"))
import trace  # noqa: E402

# The transactions in the order of their commits. Where two change the same row, that is the order of their changes.
QUERY = """
SELECT json_build_object(
    'function', function, 'request', request, 'answer', answer, 'moment', moment,
    'began', extract(epoch FROM began), 'committed', extract(epoch FROM pg_xact_commit_timestamp(xmin)))
  FROM harness.trace ORDER BY pg_xact_commit_timestamp(xmin), place
"""
# The seconds between the moment of a commit and the moment from which others see it, at most.
COMMIT = 10


def read(postgres):
    """Returns the lines of the trace of all replicas."""
    records = [json.loads(row) for row, in postgres.query(QUERY)]
    texts = {}
    # In the order of their commits, as the records are.
    ends = [(record["committed"], end["token"])
            for record in records if record["function"] == "end" for end in record["request"]["ends"]]
    return [line(record, texts, ends) for record in records]


def line(record, texts, ends):
    """Returns a record as trace.py has it. `texts` are the schedules of each session."""
    function, request, answer = record["function"], record["request"], record["answer"]
    found = {"now": record["moment"], "request": function} | {
        name: request[name] for name in ("session", "lease", "number", "givesUp") if name in request}
    if function == "register":
        if not answer["isOver"]:
            texts[request["session"]] = request["serves"]
        # A row that is locked is left.
        found["jobs"] = {
            name: request["serves"][name] for name in request["declares"] if name not in answer["locked"]}
        found["resumes"] = request.get("resumes", [])
        found["answer"] = "over" if answer["isOver"] else "registered"
    elif function == "claim":
        rows = [{name: run[name] for name in ("job", "from", "until", "attempt", "token")} for run in answer["runs"]]
        rows.sort(key=lambda row: row["token"])
        served = texts.get(request["session"], {})
        found |= {"again": request["isRepeated"], "answer": "over" if answer["isOver"] else rows,
                  "can": {name: text for name, text in served.items() if name not in request["except"]}}
    elif function == "end":
        found["ends"] = [{"next": None} | {name: end[name] for name in ("token", "outcome", "through", "next")
                                           if name in end} | {"text": end["schedule"]} for end in request["ends"]]
        found["answer"] = answer["verdicts"]
    elif function == "renew":
        found["answer"] = "over" if answer["isOver"] else answer["tokens"]
    if function in ("claim", "renew"):
        first = bisect.bisect_left(ends, (record["began"] - COMMIT,))
        last = bisect.bisect_right(ends, (record["committed"], float("inf")))
        found["unsure"] = [token for _, token in ends[first:last]]
    return found


def altered(line, random, open_tokens):
    """Returns a line with another answer, which the model can't allow. Nothing if there is none.

    The ranges of open tokens may begin later and end earlier.
    """
    answer = line.get("answer")
    sure = [token for token in answer if token not in line["unsure"]] if line["request"] == "renew" else []
    if line["request"] == "end":
        index = random.randrange(len(answer))
        others = {"before", "refused"} if answer[index] == "locked" else {"written", "before", "refused"} - {answer[index]}
        verdict = random.choice(sorted(others))
        return line | {"answer": [*answer[:index], verdict, *answer[index + 1:]]}
    if line["request"] == "renew" and answer != "over":
        lost = random.choice([None, *sure])
        return line | {"answer": [token for token in answer if token != lost] + ([10**9] if lost is None else [])}
    if line["request"] == "claim" and answer and answer != "over":
        index = random.randrange(len(answer))
        name = random.choice(["attempt"] if answer[index]["token"] in open_tokens else ["from", "until", "attempt"])
        return line | {"answer": [*answer[:index], answer[index] | {name: answer[index][name] + 1}, *answer[index + 1:]]}
    return None


def check(postgres, random, path, count=30):
    """Returns why the model doesn't allow what the store has done, or which altered answers it would allow."""
    lines = read(postgres)
    if path:
        with open(path, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    model = trace.Trace()
    if problem := trace.check_trace(lines, model):
        index = int(problem.split(":")[0].split()[1]) - 1
        return [f"The model doesn't allow what the store has done, in {problem}\n{json.dumps(lines[index])}"]
    changed = [(index, other) for index, line in enumerate(lines) if (other := altered(line, random, model.open))]
    accepted = [other for index, other in random.sample(changed, min(count, len(changed)))
                if not trace.check_trace([*lines[:index], other])]
    print(f"  {len(lines)} requests as in the model, and {min(count, len(changed))} altered answers refused")
    return [f"An altered answer is accepted: {json.dumps(line)}" for line in accepted]
