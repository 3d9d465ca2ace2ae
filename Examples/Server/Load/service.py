"""Starts the service and talks to it. Needs nothing but Python."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

# The end of the line makes sure that the port is whole.
LISTENING = re.compile(r"started and listening on \S+:(\d+)\n")
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build():
    """Builds the service with optimization and returns where it is."""
    command = ["swift", "build", "-c", "release", "--product", "Server", "--package-path", FOLDER]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    where = subprocess.run(command + ["--show-bin-path"], check=True, capture_output=True, text=True)
    return os.path.join(where.stdout.strip(), "Server")


class Service:
    """A process of the service, with its log in a file. It has a port once it is listening."""

    def __init__(self, program, *options, port=0, before=None, **variables):
        self.log = tempfile.NamedTemporaryFile(mode="r", errors="replace")
        with open(self.log.name, "w") as output:
            self.process = subprocess.Popen(
                [program, "--port", str(port), *options], stdout=output, stderr=output, preexec_fn=before,
                env={**os.environ, **variables})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def wait_for(self, is_so, what, timeout=300):
        """Waits until something is so, as long as the process lives."""
        deadline = time.monotonic() + timeout
        while not is_so():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"Waited in vain for {what}. The log:\n{self.text()[-2000:]}")
            time.sleep(0.01)

    def wait_until_listening(self):
        self.wait_for(lambda: LISTENING.search(self.text()), "the service to listen")
        self.port = int(LISTENING.search(self.text())[1])

    def text(self):
        with open(self.log.name, errors="replace") as log:
            return log.read()

    def count(self, message):
        """How many lines of the log have a message."""
        return len(re.findall(re.escape(message) + "$", self.text(), re.MULTILINE))

    def terminate(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self, timeout=300):
        """Waits for the end. Returns the exit code, which is negative after a signal."""
        return self.process.wait(timeout)

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request(method, path, body)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def metrics(self):
        status, text = self.request("GET", "/metrics")
        assert status == 200, status
        return parse(text)

    def create_sessions(self, count):
        """Creates sessions, many requests at a time. Returns their identifiers."""
        body = json.dumps({"user": "load"})
        request = f"POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        identifiers = []
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            while len(identifiers) < count:
                wanted = min(100, count - len(identifiers))
                connection.sendall(request * wanted)
                text = b""
                while text.count(b"}") < wanted:
                    chunk = connection.recv(65536)
                    assert chunk, "The service closed the connection."
                    text += chunk
                identifiers += re.findall(rb"/sessions/([0-9a-f]{32})", text)
        assert len(set(identifiers)) == count, len(set(identifiers))
        return [identifier.decode() for identifier in identifiers]

    def resident(self):
        """How many bytes of memory are in use."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) * 1024

    def processor_time(self):
        """How many seconds all threads have run."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def parse(metrics):
    """The value of each line of a page of metrics, by what stands before it."""
    lines = (line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def wrk(service, identifiers, seconds, connections=32, threads=1):
    """Starts wrk, which asks for sessions at random."""
    file = tempfile.NamedTemporaryFile("w")
    file.write("\n".join(identifiers))
    file.flush()
    process = subprocess.Popen(
        ["wrk", "--latency", f"-t{threads}", f"-c{connections}", f"-d{seconds}s",
         "-s", os.path.join(FOLDER, "Load", "sessions.lua"), service.url],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "SESSIONS": file.name})
    process.identifiers = file  # It is removed with the process object.
    return process
