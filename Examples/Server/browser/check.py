#!/usr/bin/env python3
"""Uses the operator's page as an operator does, in a headless Chromium.

    browser/check.py --server .build/debug/Server --timer refresh --screenshot timers.png
    browser/check.py --url http://127.0.0.1:8080/timers --token TOKEN --timer refresh

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import contextlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../Load")
from page import Page, seconds  # noqa: E402
from service import Service  # noqa: E402
from webdriver import Browser, Failure, wait_for  # noqa: E402


def main():
    options = parse_options()
    try:
        with contextlib.ExitStack() as stack:
            service = None
            if options.server:
                token = {"ADMIN_TOKEN": options.token} if options.token is not None else {}
                service = stack.enter_context(Service(options.server, *options.argument, **token))
                service.wait_until_listening()
            browser = stack.enter_context(Browser(*options.size))
            page = Page(browser, f"{service.url}/timers" if service else options.url, options.timer)
            check(page, options.token)
            if options.screenshot:
                take_screenshot(page, options)
            if service:
                # The browser still holds its event stream open.
                service.terminate()
                code = service.wait()
                if code != 0:
                    raise Failure(f"the server ended with {code}")
                passed("SIGTERM ends the server, and the page's stream")
    except Failure as failure:
        sys.exit(f"failed: {failure}")


def check(page, token):
    if token is None:
        page.open()
    else:
        check_login(page, token)
    passed(f"the page shows {page.timer}")
    check_countdown(page)
    check_pausing(page)
    check_firing(page)
    check_details(page)
    check_console(page)
    check_without_scripts(page)
    if token is not None:
        check_logout(page)


def check_countdown(page):
    start = wait_for("a countdown", lambda: seconds(page.row()["next"]))
    # It starts anew at each tick, so what counts is that it is less than just before.
    before = start

    def has_fallen():
        nonlocal before
        now = seconds(page.row()["next"])
        fallen = now is not None and 0 < now < before
        before = now if now is not None else before
        return fallen

    wait_for("the countdown to fall", has_fallen)
    passed(f"the countdown falls, from {start} to {before}")


def check_login(page, token):
    page.browser.open(page.url)
    if page.browser.run('return document.getElementById("rows")') is not None:
        raise Failure("the timers are shown without a token")
    page.browser.command("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    wide, title = page.browser.run("return [document.documentElement.scrollWidth, document.querySelector('h1').textContent]")
    if wide > 390 or title != "Timers":
        raise Failure(f"on a phone the login \"{title}\" is {wide} pixels wide")
    page.browser.reset_size()
    page.give_token("wrong")
    wait_for("the page to say that the token is wrong", lambda: "wrong" in page.alert())
    page.give_token("wrong again")
    wait_for("the page to ask for a pause", lambda: "Try again in" in page.alert())
    # The right token is let in at any time.
    wait_for("the focus on the field", lambda: page.browser.run("return document.activeElement.name") == "token")
    for letter in token:
        page.browser.press_key(letter)
    page.browser.press_key("Enter")
    wait_for("the operator to be logged in", lambda: page.operator() == "operator")
    wait_for(f"the row of {page.timer}", page.row)
    passed("without a token nothing is shown, a wrong one has to wait, and the right one logs in at once, by keyboard alone")


def check_logout(page):
    page.browser.click("#logout button")
    wait_for("the login form", lambda: page.browser.run('return document.querySelector("#login button") !== null'))
    passed("Log out ends the login")


def check_pausing(page):
    page.press("pause")
    paused = page.wait_for_state("paused")
    if not paused["next"].endswith("left"):
        raise Failure(f"a paused timer counts down: {paused['next']}")
    passed(f"Pause pauses the timer, with {paused['next']}")

    page.press("resume")
    page.wait_for_state("scheduled", "running")
    passed("Resume lets it go on")


def check_firing(page):
    # A tick that falls due meanwhile shows in the next date, and then says nothing.
    for _ in range(20):
        before = page.row()
        page.press("fire")
        after = wait_for("a tick", lambda: more_ticks(page, before))
        if after["date"] == before["date"]:
            passed(f"Fire ticks at once, {before['ticks']} to {after['ticks']}, and the next date stays")
            wait_for("the tick's lateness in the chart", page.chart)
            return
    raise Failure("the timer ticks too often to see whether it fires; name another")


def more_ticks(page, before):
    row = page.row()
    return row if row["ticks"] > before["ticks"] else None


def check_details(page):
    text = page.open_details()
    for title in ("Schedule", "As written", "Next dates", "Last runs"):
        if title not in text:
            raise Failure(f"the details lack {title}: {text}")
    chart = page.chart()
    page.open()
    if not page.chart() or not chart:
        raise Failure("the chart is empty after the page was loaded again")
    passed("the details show the schedule, the next dates and the last runs, and the chart survives a reload")


def check_console(page):
    """Nothing is blocked by the content security policy, and no script has failed."""
    for message in page.browser.errors():
        if any(f"status of {status}" in message for status in (401, 403, 429)):
            continue  # The refusals.
        raise Failure(f"the console says: {message}")
    passed("the console says of no error")


def check_without_scripts(page):
    page.browser.command("Emulation.setScriptExecutionDisabled", value=True)
    for action, states in (("pause", ["paused"]), ("resume", ["scheduled", "running"])):
        page.open()
        before = page.browser.run("return location.pathname")
        page.press(action)
        page.wait_for_state(*states)
        shown = page.browser.run("return location.pathname")
        if shown != before:
            raise Failure(f"after a form, {shown} is shown and not {before}")
    page.browser.command("Emulation.setScriptExecutionDisabled", value=False)
    passed("Pause and Resume work without scripts")


def take_screenshot(page, options):
    """Shows the timers as they are when the page has been open for some time, one of them paused."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if options.dark else "light"}
    page.browser.command("Emulation.setEmulatedMedia", features=[scheme])
    if options.token is None:
        page.open()
    else:
        page.log_in(options.token)
    time.sleep(options.linger)
    page.press("pause")
    page.wait_for_state("paused")
    page.browser.screenshot(options.screenshot)
    page.press("resume")
    page.wait_for_state("scheduled", "running")


def passed(what):
    print(f"passed: {what}", flush=True)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", help="the page of a server that runs")
    where.add_argument("--server", metavar="BINARY", help="a server to start, on a free port")
    parser.add_argument("--argument", action="append", default=[], help="one more argument for --server")
    parser.add_argument("--token", help="the admin token that the server has, or is started with")
    parser.add_argument("--timer", required=True, metavar="NAME", help="the timer whose buttons are pressed")
    parser.add_argument("--screenshot", metavar="PATH", help="where to write a PNG of the page")
    parser.add_argument("--linger", type=float, default=0, metavar="SECONDS", help="how long to wait before it")
    parser.add_argument("--dark", action="store_true", help="show the page dark on it")
    parser.add_argument("--size", default=(1100, 700), metavar="WxH", type=size, help="the size of the window")
    return parser.parse_args()


def size(text):
    width, height = text.split("x")
    return int(width), int(height)


if __name__ == "__main__":
    main()
