"""Reads the schema's SQL from the Swift files, and talks to a server with it."""

import glob
import json
import os
import re
import textwrap

import psycopg2

Error = psycopg2.Error

FOLDER = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../../Sources/TimerSchedulingCluster/Postgres")


def migration():
    """Returns the migration, which creates the schema `timers`."""
    text = "\n".join(open(path).read() for path in sorted(glob.glob(f"{FOLDER}/PostgresSchema*.swift")))
    parts = dict(re.findall(r'static let (\w+) = """\n(.*?)\n *"""\n', text, re.DOTALL))
    names = re.search(r"static let versionThree = \[(.*?)\]", text, re.DOTALL)[1]
    sql = [textwrap.dedent(parts[name.strip()]) for name in names.split(",") if name.strip()]
    assert "\\" not in "".join(sql), "A backslash has a meaning in Swift."
    return "\n".join(sql)


def changed(sql, old, new):
    """Returns SQL with a part replaced that is there once. White space doesn't matter."""
    pattern = r"\s+".join(re.escape(word) for word in old.split())
    sql, count = re.subn(pattern, lambda _: new, sql)
    if count != 1:
        raise SystemExit(f"The SQL has this {count} times: {old}")
    return sql


def connect():
    connection = psycopg2.connect(os.environ["CLUSTER_DATABASE"])
    connection.autocommit = True
    return connection


def ask(cursor, function, **request):
    cursor.execute(f"SELECT timers.{function}_2(%s::jsonb)", [json.dumps(request)])
    return cursor.fetchone()[0]
