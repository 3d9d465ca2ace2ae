#!/usr/bin/env python3
"""Uses the operator's page with 10,000 timers, in a headless Chromium.

    browser/many.py --demo ../Adapters/.build/debug/PageDemo

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../Load")
import attend  # noqa: E402
import operate  # noqa: E402
from page import Page  # noqa: E402
from service import Service  # noqa: E402
from support import answer, count_in_state, expect, names, override, passed, text  # noqa: E402
from webdriver import Browser, Failure, wait_for  # noqa: E402

COUNT = 10_000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", required=True, metavar="BINARY", help="the program PageDemo of Examples/Adapters")
    options = parser.parse_args()
    try:
        with Service(options.demo, "--timers", str(COUNT), "--trouble", "1") as service:
            service.wait_until_listening()
            with Browser(1280, 900) as browser:
                page = Page(browser, f"{service.url}/timers", "beat")
                check_search(page)
                check_pages_and_order(page)
                check_bulk(page)
                attend.check_trouble(page)
                for width in (375, 1280):
                    attend.check_names(page, width)
                operate.check_expected(page, service)
                operate.check_selection(page)
                operate.check_cancel(page)
                operate.check_trail(page)
                operate.check_stop(page)
                attend.check_freeze(page, service)
                for width in (375, 900, 1280):
                    attend.check_keys(page, width)
                attend.check_menu(page)
                check_focus(page)
                check_keyboard(page)
                check_narrow(page)
                check_tabs(page, service)
                check_pause_all(page, service)
                check_stale_and_time_limit(page, service)
                errors = [error for error in browser.errors() if "ERR_" not in error and "status of 4" not in error]
                expect(not errors, f"the console says: {errors}")
                check_restart(page, service, options.demo)
    except Failure as failure:
        sys.exit(f"failed: {failure}")


def address(page):
    return page.browser.run("return location.search")


def check_search(page):
    page.open()
    wait_for("the number of timers", lambda: "of 10,010." in text(page, "position"))
    page.browser.type("[name=q]", "timer 9876")
    wait_for("one row", lambda: names(page) == ["timer 9876"])
    wait_for("the address", lambda: address(page) == "?q=timer+9876")
    page.browser.open(page.url + address(page))
    expect(names(page) == ["timer 9876"], "a reload loses the search")
    passed("a search finds one of 10,000 timers, and its address shows it again")


def check_pages_and_order(page):
    page.open()
    before = names(page)
    page.browser.click("#pages [rel=next]")
    wait_for("the second page", lambda: names(page) and not set(names(page)) & set(before))
    expect("page=2" in address(page), "the page isn't in the address")
    page.browser.click('[data-sort="ticks"]')
    wait_for("the timer that ticks most", lambda: names(page)[:1] == ["beat"])
    expect(address(page) == "?sort=-ticks", f"the order isn't in the address: {address(page)}")
    page.browser.run("history.back()")
    wait_for("the second page again", lambda: "page=2" in address(page) and text(page, "page") == "2")
    passed("pages and the order are in the address, and Back returns to them")


def check_bulk(page):
    page.browser.open(page.url + "?q=timer 123")
    wait_for("the matches", lambda: len(names(page)) == 11)
    page.browser.click("#rows tr:nth-child(1) input")
    page.browser.click("#rows tr:nth-child(2) input")
    page.browser.click('[data-bulk="pause"]')
    wait_for("two paused timers", lambda: count_in_state(page, "paused") == 2)
    wait_for("the outcome", lambda: page.status() == "2 timers were paused.")
    page.browser.click("#all")
    page.browser.click('[data-bulk="pause"]')
    answer(page, "Pause 11 timers that match?")
    wait_for("all paused", lambda: count_in_state(page, "paused") == 11)
    page.browser.run('document.querySelector("[name=state]").value = "paused"')
    page.browser.open(page.url + "?state=paused")
    expect(len(names(page)) == 11, f"the filter shows {names(page)}")
    page.browser.click("#all")
    page.browser.click('[data-bulk="resume"]')
    answer(page, "Resume 11 timers that match?")
    wait_for("no paused timer", lambda: text(page, "position") == "No timer.")
    passed("selected timers, and all that match, are paused and resumed at once")


def focused(page):
    return page.browser.run(
        "const e = document.activeElement; return [e.closest('tr')?.dataset.key, e.dataset.action ?? e.tagName]")


def check_focus(page):
    page.browser.open(page.url + "?q=timer 55")
    row = page.browser.run('return document.querySelector("#rows tr").dataset.key')
    page.browser.run('document.querySelector(\'#rows [data-action="pause"]\').focus()')
    page.browser.press_key("Enter")
    wait_for("a paused timer", lambda: count_in_state(page, "paused") == 1)
    wait_for("the focus on the row's next button", lambda: focused(page) == [row, "resume"])
    page.browser.press_key("Enter")
    wait_for("no paused timer", lambda: count_in_state(page, "paused") == 0)
    wait_for("the focus on the same row", lambda: focused(page)[0] == row)
    time.sleep(2.2)
    expect(focused(page)[0] == row, f"two events later the focus is on {focused(page)}")
    passed("the focus stays on the row of the button that was pressed")


def check_keyboard(page):
    """Searches, selects, pauses and opens details with the Tab key, Space and Enter alone."""
    page.open()

    def tab_to(condition, what):
        for _ in range(60):
            page.browser.press_key("Tab")
            if page.browser.run(f"const e = document.activeElement; return {condition}"):
                return
        raise Failure(f"the Tab key doesn't lead to {what}")

    tab_to('e.name === "q"', "the search")
    for letter in "timer 77":
        page.browser.press_key(letter)
    wait_for("the matches", lambda: names(page)[:1] == ["timer 77"])
    tab_to('e.name === "timer[]"', "the first timer")
    page.browser.press_key("Space")
    page.browser.run('document.querySelector("[name=state]").focus()')
    tab_to('e.dataset.bulk === "pause"', "Pause selected")
    page.browser.press_key("Enter")
    wait_for("a paused timer", lambda: count_in_state(page, "paused") == 1)
    tab_to('e.matches("#rows th a")', "the first timer's name")
    page.browser.press_key("Enter")
    wait_for("the details", lambda: page.browser.run('return document.querySelector("tr.details")?.innerText'))
    expect(page.browser.run("return document.activeElement.getAttribute('aria-expanded')") == "true", "aria-expanded")
    tab_to('e.dataset.action === "resume"', "Resume")
    page.browser.press_key("Enter")
    wait_for("no paused timer", lambda: count_in_state(page, "paused") == 0)
    passed("a search, a selection, Pause, the details and Resume work with the keyboard alone")


def check_narrow(page):
    override(page, 375)
    page.browser.open(page.url + "?sort=-ticks")
    widths = page.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    expect(widths[0] <= 375, f"the page is {widths[0]} pixels wide on a screen of 375")
    cells = "[...document.querySelectorAll('#rows tr:first-child td[data-cell]')]"
    labels = page.browser.run(
        f"""return {cells}.map((cell) => getComputedStyle(cell, "::before").content)
          .filter((label) => label !== "none").map((label) => label.replaceAll('"', "").trim())""")
    expect(labels == ["Schedule", "State", "Next", "Last run", "Ticks", "Missed", "Failures", "Last lateness"], f"labels: {labels}")
    least = page.browser.run(
        f"return Math.min(...{cells}.slice(1).map((cell) => cell.getBoundingClientRect().width))")
    expect(least > 60, f"a value is squeezed into {least} pixels")
    page.browser.click('#rows tr:first-child [data-action="fire"]')
    wait_for("the outcome", lambda: page.status() == "beat has fired.")
    override(page, 1280)
    passed("on a screen of 375 pixels nothing is cut off, and each value has its label")


def check_tabs(page, service):
    """A browser has six connections for a server. Tabs that aren't seen must not keep them."""
    first = page.browser.tab()
    page.open()
    tabs = [page.browser.open_tab(page.url) for _ in range(9)]
    wait_for("the tenth tab to be live", lambda: text(page, "live") == "Live")
    wait_for("few open streams", lambda: connections(service) <= 6)
    key = page.row()["key"]
    page.press("fire")
    wait_for("the action's outcome", lambda: page.status() == "beat has fired.", seconds=10)
    for tab in tabs:
        page.browser.switch_to(tab)
        page.browser.close_tab()
    page.browser.switch_to(first)
    wait_for("the first tab to be live again", lambda: page.row()["key"] == key and text(page, "live") == "Live")
    before = page.row()["ticks"]
    wait_for("its events", lambda: page.row()["ticks"] > before)
    passed("ten tabs load, the buttons of the last work, and the first goes on when it is seen again")


def connections(service):
    """The number of connections that are open to the service."""
    port = f":{service.port:04X}"
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(row[1].endswith(port) and row[3] == "01" for row in rows)


def check_pause_all(page, service):
    page.open()
    status, _ = service.request("POST", "/pause-all")
    expect(status == 200, "pauseAll")
    wait_for("all rows to be paused", lambda: count_in_state(page, "paused") == 50, seconds=20)
    time.sleep(4)
    expect(text(page, "live").startswith("Live"), "the page is stale though the server sends events")
    page.press("resume")
    page.wait_for_state("scheduled", "running")
    before = page.row()["ticks"]
    wait_for("the timer to tick again", lambda: page.row()["ticks"] > before)
    passed("pauseAll() shows as such, and doesn't stop the events")


def check_stale_and_time_limit(page, service):
    page.open()
    wait_for("an event", lambda: text(page, "live") == "Live")
    os.kill(service.process.pid, signal.SIGSTOP)
    try:
        start = time.monotonic()
        wait_for("the page to say that it is stale", lambda: text(page, "live").startswith("Stale"), seconds=30)
        stale = time.monotonic() - start
        said = text(page, "live")
        role = page.browser.run("return document.getElementById('live').getAttribute('role')")
        expect(role == "status", "the state of the page isn't announced")
        page.press("fire")
        wait_for("the action's failure", lambda: "hasn't answered" in page.status(), seconds=60)
        late = time.monotonic() - start - stale
        expect(text(page, "live") == said, "a screen reader is told again and again")
    finally:
        os.kill(service.process.pid, signal.SIGCONT)
    wait_for("the page to be live again", lambda: text(page, "live") == "Live", seconds=60)
    said = page.browser.run("showAge(20_000); return document.getElementById('live').textContent")
    expect(said.startswith("Live, as of "), f"rows that are 20 s old are {said}")
    wait_for("the next event", lambda: text(page, "live") == "Live", seconds=60)
    passed(f"a server that hangs shows as stale after {stale:.1f} s, and its action as failed after {late:.0f} s")


def check_restart(page, service, demo):
    """After a restart of the server, other timers have the keys of the rows that the page shows."""
    page.open()
    wait_for("an event", lambda: text(page, "live") == "Live")
    row = names(page).index("timer 2") + 1
    page.browser.click(f"#rows tr:nth-child({row}) input")
    service.terminate()
    expect(service.wait() == 0, "the demo hasn't ended well")
    with Service(demo, "--timers", "2", "--trouble", "1", port=service.port) as other:
        other.wait_until_listening()
        now = ["beat", "failing", "hung", "timer 0", "timer 1"]
        wait_for("the names of the new timers", lambda: names(page)[1:6] == now, seconds=60)
        expect(page.browser.run("return document.getElementById('selected').hidden"), "the selection stays")
    passed("after a restart of the server the page shows the new timers' names, and none is selected")


if __name__ == "__main__":
    main()
