"""A headless Chromium, driven through chromedriver over plain HTTP."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Failure(Exception):
    """Something isn't as it has to be."""


def wait_for(what, condition, seconds=300):
    """Polls until the condition holds, and returns what it has returned."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        time.sleep(0.05)


class Browser:
    """One window. Use it in a `with` statement, which ends it."""

    def __init__(self, width, height):
        self._log = tempfile.NamedTemporaryFile(mode="r", errors="replace")
        with open(self._log.name, "w") as output:
            self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=output, stderr=output)
        try:
            self._url = f"http://127.0.0.1:{wait_for('chromedriver', self._port)}"
            wait_for("chromedriver to be ready", self._is_ready)
            arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"]
            options = {"args": arguments, "binary": shutil.which("chromium")}
            always = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        except BaseException:
            self._driver.terminate()
            raise
        self._url += f"/session/{session['sessionId']}"
        self._size = (width, height)
        self.reset_size()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        try:
            self._send("DELETE", "", None)
        finally:
            self._driver.terminate()
            self._driver.wait()

    def open(self, url):
        self._send("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs the body of a JavaScript function, and returns what it returns."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector):
        self._send("POST", f"/element/{self._find(selector)}/click", {})

    def type(self, selector, text):
        """Replaces the text of a field."""
        element = self._find(selector)
        self._send("POST", f"/element/{element}/clear", {})
        self._send("POST", f"/element/{element}/value", {"text": text})

    def press_key(self, key, shift=False):
        """Presses a key of the keyboard, such as "Tab", "Enter", "Space" or "ArrowDown"."""
        code = {"Tab": "\ue004", "Enter": "\ue007", "Space": " ", "Escape": "\ue00c", "ArrowUp": "\ue013",
                "ArrowDown": "\ue015"}.get(key, key)
        actions = [{"type": "keyDown", "value": code}, {"type": "keyUp", "value": code}]
        if shift: actions = [{"type": "keyDown", "value": "\ue008"}, *actions, {"type": "keyUp", "value": "\ue008"}]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def move_to(self, selector):
        """Moves the mouse to an element."""
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: self._find(selector)}}
        self._send("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def open_tab(self, url):
        """Opens a tab in front of the others, and returns what stands for it."""
        tab = self._send("POST", "/window/new", {"type": "tab"})["handle"]
        self.switch_to(tab)
        self.open(url)
        return tab

    def switch_to(self, tab):
        self._send("POST", "/window", {"handle": tab})

    def tab(self):
        return self._send("GET", "/window", None)

    def close_tab(self):
        self._send("DELETE", "/window", None)

    def command(self, name, **parameters):
        """Sends a command of Chromium's own protocol."""
        return self._send("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def reset_size(self):
        """Gives the window the size that it began with."""
        width, height = self._size
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def errors(self):
        """The errors that were written to the console since the last call."""
        entries = self._send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._send("GET", "/screenshot", None)))

    def _find(self, selector):
        query = {"using": "css selector", "value": selector}
        return self._send("POST", "/element", query)[ELEMENT]

    def _port(self):
        """Where chromedriver listens, as it says, or None if it hasn't said so yet."""
        with open(self._log.name, errors="replace") as log:
            said = re.search(r"on port (\d+)\.", log.read())
        return said and said[1]

    def _is_ready(self):
        try:
            return self._send("GET", "/status", None)["ready"]
        except OSError:
            return False

    def _send(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"].splitlines()[0]) from None
