#!/usr/bin/env python3
"""Takes the pictures of the operator's page for the documentation, after the server has worked for some minutes.

    browser/screenshots.py --server .build/debug/Server --minutes 10 ../../Documentation

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import json
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../Load")
from page import Page  # noqa: E402
from service import Service  # noqa: E402
from webdriver import Browser  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, metavar="BINARY")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        metrics = os.path.join(folder, "metrics")
        os.mkdir(metrics)
        arguments = ["--metrics-file", f"{metrics}/timers.prom", "--upstream-latency", "0.2"]
        with Service(options.server, *arguments) as service:
            service.wait_until_listening()
            service.create_sessions(4_000)
            for to in ("ada@example.org", "grace@example.org"):
                service.request("POST", "/mails", json.dumps({"to": to}))
            time.sleep(options.minutes * 30)
            # From now on the metrics can't be written, so that there is a failure to see.
            os.remove(f"{metrics}/timers.prom")
            os.rmdir(metrics)
            time.sleep(options.minutes * 30)
            # It waits for its fifth attempt when the pictures are taken.
            service.request("POST", "/mails", json.dumps({"to": "ada@nowhere.invalid"}))
            service.request("POST", "/mails", json.dumps({"to": "support@example.org"}))
            with Browser(1280, 720) as browser:
                take(browser, Page(browser, f"{service.url}/timers", "flush"), options.folder)
            service.terminate()
            service.wait()


def take(browser, page, folder):
    scheme = {"name": "prefers-color-scheme", "value": "light"}
    browser.command("Emulation.setEmulatedMedia", features=[scheme])
    browser.command("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
    page.open()
    page.press("pause")
    page.wait_for_state("paused")
    time.sleep(2)
    browser.screenshot(f"{folder}/operator-page.png")
    browser.open(f"{page.url}/jobs")
    time.sleep(1)
    browser.screenshot(f"{folder}/operator-page-jobs.png")
    browser.run("[...document.querySelectorAll('#jobs th a')].find((a) => a.textContent.includes('nowhere')).click()")
    time.sleep(2)
    browser.screenshot(f"{folder}/operator-page-job.png")
    page.open()
    page.press("resume")
    page.wait_for_state("scheduled", "running")
    Page(browser, page.url, "refresh").open_details()
    # The outcome of the action is of no interest here.
    browser.run("document.getElementById('status').textContent = ''")
    time.sleep(1)
    browser.screenshot(f"{folder}/operator-page-history.png")
    browser.command("Emulation.setDeviceMetricsOverride", width=375, height=812, deviceScaleFactor=2, mobile=True)
    page.open()
    browser.run("document.getElementById('query').scrollIntoView()")
    time.sleep(2)
    browser.screenshot(f"{folder}/operator-page-narrow.png")


if __name__ == "__main__":
    main()
