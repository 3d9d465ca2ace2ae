"""Starts PostgreSQL and pgbouncer from Debian's packages, each in a folder of its own that is removed afterwards."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HOST = "127.0.0.1"
INSTALL = "Install it: apt-get install postgresql pgbouncer openssl"


def unprivileged_user():
    """Returns the user that Debian's packages add, as neither server runs as root."""
    try:
        return pwd.getpwnam("postgres") if os.getuid() == 0 else None
    except KeyError:
        raise SystemExit(f"There is no PostgreSQL. {INSTALL}")


USER = unprivileged_user()
AS_USER = {"user": USER.pw_uid, "group": USER.pw_gid, "extra_groups": []} if USER else {}


def free_port():
    with socket.create_server((HOST, 0)) as listener:
        return listener.getsockname()[1]


def wait_until(is_so, what, timeout=120):
    """Waits until something is so. The limit stops a harness that hangs, and says nothing about time."""
    deadline = time.monotonic() + timeout
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(f"Waited {timeout} s in vain for {what}.")
        time.sleep(0.02)


def program(name):
    """Returns where a program of PostgreSQL is. Debian's packages don't put all of them on the path."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    path = found[-1] if found else shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        raise SystemExit(f"There is no {name}. {INSTALL}")
    return path


class Server:
    """A server process in a folder, which is started at `with` and stopped at its end."""

    # A shell has its background jobs ignore other signals, and servers inherit that.
    end_signal = signal.SIGKILL

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="cluster-")
        self.process = None
        if USER:
            os.chown(self.folder, USER.pw_uid, USER.pw_gid)
        try:
            self.prepare()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(self.end_signal)
            self.process.wait()
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        if USER:
            os.chown(self.path(name), USER.pw_uid, USER.pw_gid)

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **AS_USER)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

    def spawn(self, *command):
        log = open(self.path("log"), "a")
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, **AS_USER)
        log.close()

    def is_listening(self):
        if self.process.poll() is not None:
            with open(self.path("log")) as log:
                raise SystemExit(f"A server has ended:\n{log.read()[-2000:]}")
        try:
            socket.create_connection((HOST, self.port)).close()
            return True
        except OSError:
            return False


class Postgres(Server):
    """PostgreSQL, which takes connections with and without TLS."""

    # It ends at once, with its child processes.
    end_signal = signal.SIGQUIT

    def __init__(self, port=None):
        self.port = port or free_port()
        self.url = f"host={HOST} port={self.port} user=postgres dbname=postgres"

    def prepare(self):
        self.run(program("initdb"), "--auth=trust", "--username=postgres", "--encoding=UTF8", "data")
        self.run(
            "openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", f"/CN={HOST}",
            "-addext", f"subjectAltName=IP:{HOST}", "-out", "server.crt", "-keyout", "server.key")
        os.chmod(self.path("server.crt"), 0o644)
        os.chmod(self.folder, 0o755)
        settings = {
            "listen_addresses": HOST, "port": self.port, "unix_socket_directories": self.folder,
            "max_connections": 100, "track_commit_timestamp": "on", "ssl": "on", "ssl_cert_file": self.path("server.crt"),
            "ssl_key_file": self.path("server.key")}
        with open(self.path("data/postgresql.conf"), "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def make_service(self, migration):
        """Makes a database with a schema for a role that isn't a superuser. Its encoding can't hold every text."""
        self.query("CREATE ROLE service LOGIN")
        self.query("CREATE DATABASE service OWNER service TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
        self.url = self.url.replace("dbname=postgres", "dbname=service")
        self.query(f"SET ROLE service; {migration}")

    def start(self):
        self.spawn(program("postgres"), "-D", "data")
        wait_until(self.answers, "PostgreSQL to start")

    def answers(self):
        return self.is_listening() and self.try_query("SELECT 1") is not None

    def restart(self, is_immediate):
        """Ends all sessions, immediately as after a crash, and starts again."""
        self.process.send_signal(signal.SIGQUIT if is_immediate else signal.SIGINT)
        self.process.wait()
        self.start()

    def try_query(self, sql):
        """Returns the rows of a query as lists of texts, or nothing if it fails."""
        try:
            return self.query(sql)
        except RuntimeError:
            return None

    def query(self, sql):
        done = subprocess.run(
            [program("psql"), f"{self.url} client_encoding=UTF8", "-AtqX", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", sql],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]


class Pooler(Server):
    """pgbouncer in transaction mode before a server."""

    def __init__(self, postgres, user="postgres"):
        self.postgres, self.user, self.port = postgres, user, free_port()
        self.url = f"host={HOST} port={self.port} user=postgres dbname=postgres"

    def prepare(self):
        # After a restart of the database, clients would be refused for 15 s by default.
        self.write("pgbouncer.ini", f"""
[databases]
* = host={HOST} port={self.postgres.port} user={self.user}
[pgbouncer]
listen_addr = {HOST}
listen_port = {self.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
server_login_retry = 1
""")

    def start(self):
        self.spawn(program("pgbouncer"), "-q", "pgbouncer.ini")
        wait_until(self.is_listening, "pgbouncer to start")
