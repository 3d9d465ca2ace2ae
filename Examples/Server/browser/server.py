"""The server, started for a check."""

import signal
import subprocess
import urllib.request

from webdriver import Failure, free_port, wait_for


class Server:
    """A server on a free port. The `with` statement stops it, and checks that it ends well."""

    def __init__(self, binary, token, arguments):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/timers"
        command = [binary, "--port", str(port), *arguments]
        if token is not None:
            command += ["--admin-token", token]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_for("the server", self._answers)
        except BaseException:
            self._process.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._process.kill()
        self._process.wait()

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(60)
        except subprocess.TimeoutExpired:
            raise Failure("the server doesn't end after SIGTERM") from None
        if status != 0:
            raise Failure(f"the server ended with {status}")

    def _answers(self):
        if self._process.poll() is not None:
            raise Failure(f"the server ended with {self._process.returncode}")
        try:
            with urllib.request.urlopen(self.url, timeout=10) as response:
                return response.status == 200
        except OSError:
            return False
