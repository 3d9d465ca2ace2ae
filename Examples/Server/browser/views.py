#!/usr/bin/env python3
"""Looks at the views of the next hour and of the schedulers in a headless Chromium, on screens of three widths.

    browser/views.py --demo ../Adapters/.build/debug/PageDemo
    browser/views.py --demo ../Adapters/.build/debug/PageDemo --screenshots ../../Documentation

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import socket
import subprocess
import sys
import urllib.request

sys.dont_write_bytecode = True
from webdriver import Browser, Failure, wait_for  # noqa: E402

WIDTHS = [375, 900, 1280]
VIEWS = {"hour": "Next hour", "schedulers": "Schedulers"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", required=True, metavar="BINARY")
    parser.add_argument("--screenshots", metavar="FOLDER", help="where to write a picture of each view")
    options = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free: port = free.getsockname()[1]
    demo = subprocess.Popen([options.demo, "--port", str(port), "--timers", "250"], stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/timers"
    try:
        wait_for("the demo", lambda: answers(url))
        with Browser(1280, 800) as browser:
            check_links(browser, url)
            check_keyboard(browser, url)
            browser.command("Emulation.setScriptExecutionDisabled", value=True)
            for view in VIEWS:
                for width in WIDTHS: check_layout(browser, f"{url}/{view}", view, width)
            browser.command("Emulation.setScriptExecutionDisabled", value=False)
            check_contents(browser, url)
            if options.screenshots: take(browser, url, options.screenshots)
    except Failure as failure:
        sys.exit(f"failed: {failure}")
    finally:
        demo.terminate()
        demo.wait()


def answers(url):
    try:
        return urllib.request.urlopen(url).status == 200
    except OSError:
        return False


def resize(browser, width):
    browser.command("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
                    mobile=width < 500)


def heading(browser):
    return browser.run("return document.querySelector('h1').textContent")


def href(browser, view):
    return browser.run("return document.querySelector(`[data-view$=\"${arguments[0]}\"]`).getAttribute('href')", view)


def check_links(browser, url):
    """The links follow what is typed into the search, and the view shows the same timers."""
    browser.open(url)
    browser.type("[name=q]", "timer 24")
    wait_for("the links to follow the search", lambda: href(browser, "hour") == "timers/hour?q=timer+24")
    browser.click("[data-view$=hour]")
    wait_for("the next hour", lambda: heading(browser) == VIEWS["hour"])
    # timer 24, and timer 240 to timer 249.
    lanes = browser.run("return document.querySelectorAll('#hour tbody tr').length - 1")
    expect(lanes == 11, f"{lanes} lanes for eleven timers")
    browser.click("[data-view=timers]")
    wait_for("the page", lambda: heading(browser) == "Timers")
    search = browser.run("return document.querySelector('[name=q]').value")
    expect(search == "timer 24", f"the search is {search}")
    passed("the links follow the search, there and back")


def check_keyboard(browser, url):
    browser.open(url)
    for _ in range(10):
        browser.press_key("Tab")
        if browser.run("return document.activeElement.dataset.view") == "timers/schedulers": break
    browser.press_key("Enter")
    wait_for("the schedulers by the keyboard", lambda: heading(browser) == VIEWS["schedulers"])
    passed("a view is opened by the keyboard alone")


def check_layout(browser, url, view, width):
    resize(browser, width)
    browser.open(url)
    expect(heading(browser) == VIEWS[view], f"{url} shows {heading(browser)}")
    overflow = browser.run("return document.documentElement.scrollWidth - innerWidth")
    expect(overflow <= 0, f"{view} is {overflow} px wider than a screen of {width}")
    narrow = browser.run(
        "return [...document.querySelectorAll('.lane svg')].filter((image) => image.clientWidth < 150).length")
    expect(narrow == 0, f"{narrow} lanes are too narrow on a screen of {width}")
    passed(f"{view} fits a screen of {width} px without scripts")


def check_contents(browser, url):
    browser.open(f"{url}/hour")
    lanes, nameless, current = browser.run(
        """
        const images = [...document.querySelectorAll("#hour svg")];
        return [
          images.length - 1, images.filter((image) => !image.getAttribute("aria-label")).length,
          document.querySelector('#views [aria-current="page"]')?.textContent,
        ];
        """)
    expect((lanes, nameless, current) == (200, 0, "Next hour"), f"{lanes} lanes, {nameless} without a text, {current}")
    for scheme, dark in (("light", False), ("dark", True)):
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        ground, mark = browser.run(
            """
            const light = (color) => color.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
            return [
              light(getComputedStyle(document.body).backgroundColor),
              light(getComputedStyle(document.querySelector(".marks")).stroke),
            ];
            """)
        expect((ground < mark) == dark, f"marks of {mark} on {ground} in a {scheme} scheme")
    errors = browser.errors()
    expect(not errors, f"the console has {errors}")
    passed("200 lanes, each with a text, light and dark")


def take(browser, url, folder):
    browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.command("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
    resize(browser, 1280)
    for view in VIEWS:
        browser.open(f"{url}/{view}")
        browser.screenshot(f"{folder}/operator-page-{view}.png")


def expect(is_so, what):
    if not is_so: raise Failure(what)


def passed(what):
    print(f"passed: {what}", flush=True)


if __name__ == "__main__":
    main()
