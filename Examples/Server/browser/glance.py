#!/usr/bin/env python3
"""Reads the operators' page in a headless Chromium as an operator does who wants to know whether all is well: on a
phone and on a desktop, with the keyboard alone, and as a screen reader is told of it.

    browser/glance.py --demo ../Adapters/.build/debug/PageDemo

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../Load")
from page import Page  # noqa: E402
from service import Service  # noqa: E402
from support import answer, expect, names, passed, question, text  # noqa: E402
from webdriver import Browser, Failure, wait_for  # noqa: E402

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
# The views by what follows the page's address, and their titles.
VIEWS = {"": "Timers", "/hour": "Next hour", "/schedulers": "Schedulers", "/jobs": "Jobs", "/trail": "Audit trail"}
NAMED_ROLES = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "DisclosureTriangle", "image"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", required=True, metavar="BINARY", help="the program PageDemo of Examples/Adapters")
    options = parser.parse_args()
    try:
        with Service(options.demo, "--timers", "20", "--trouble", "1", "--jobs", "120") as service:
            service.wait_until_listening()
            with Browser(*SIZES["desktop"]) as browser:
                page = Page(browser, f"{service.url}/timers", "beat")
                check_health(page)
                check_last_run(page)
                check_questions(page)
                check_times(page)
                for size in SIZES:
                    check_layout(page, size)
                    check_tree(page, size)
                    check_meanings(page, size)
                    check_keyboard(page, size)
                errors = browser.errors()
                expect(not errors, f"the console says: {errors}")
    except Failure as failure:
        sys.exit(f"failed: {failure}")


def resize(page, size):
    width, height = SIZES[size]
    page.browser.command(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)


def heading(page):
    return page.browser.run("return document.querySelector('h1').textContent")


def health(page):
    return page.browser.run(
        """const line = document.getElementById("health");
        return [line.dataset.good, ...[...line.querySelectorAll("a")].map((link) => link.textContent)]""")


def check_health(page):
    """The line follows what happens, and leads to it."""
    page.open()
    wait_for("the hung timer", lambda: "1 timer is late" in health(page))
    good, *links = health(page)
    expect(good == "false" and "1 timer fails" in links, f"the line is {good}, {links}")
    expect("1 job waits for a retry" in links, f"the line has no job: {links}")
    expect("1 timer is paused" not in links, f"a timer is paused: {links}")
    page.press("pause")
    wait_for("the pause in the line", lambda: "1 timer is paused" in health(page))
    expect("1 job waits for a retry" in health(page), "an event has removed the job")
    page.press("resume")
    wait_for("the pause's end in the line", lambda: "1 timer is paused" not in health(page))
    page.browser.click('#health a[href="timers?state=failed"]')
    wait_for("the timers that fail", lambda: names(page) == ["failing"])
    page.browser.click("#health a[data-job]")
    wait_for("the jobs", lambda: heading(page) == "Jobs")
    jobs = page.browser.run("return [...document.querySelectorAll('#jobs bdi')].map((name) => name.textContent)")
    expect(jobs == ["mail that fails"], f"the jobs that wait are {jobs}")
    passed("a line says what isn't well, follows it, and leads to it")


def check_last_run(page):
    page.browser.open(f"{page.url}?q=failing")
    cell = "document.querySelector('#rows [data-cell=last]')"
    wait_for("a last run", lambda: page.browser.run(f"return {cell}.innerText").startswith("failed after "))
    date = f"return {cell}.querySelector('time').dateTime"
    before = page.browser.run(date)
    wait_for("the next run", lambda: page.browser.run(date) > before)
    expect(page.browser.run(f"return {cell}.dataset.failed") == "true", "the last run isn't marked")
    page.browser.open(f"{page.url}?scheduler=sessions")
    schedules = page.browser.run("return [...document.querySelectorAll('#rows [data-cell=schedule]')].map((c) => c.innerText)")
    expect(len(schedules) == 3, f"the sessions' schedules are {schedules}")
    expect(all(schedule.startswith("once, after 30 m") for schedule in schedules), f"the schedules are {schedules}")
    passed("the last run is in the row, and a timer without a name says after which delay it ticks")


def check_questions(page):
    """What can't be taken back is done once a question was answered with yes."""
    main = "return document.querySelector('main').innerText"
    page.browser.open(page.url + "/jobs?q=that")
    give_up = "Give up the waiting attempt of mail that fails?"
    expect("attempt 2 at " in page.browser.run(main), "no attempt waits")
    page.browser.click("#jobs [value=giveUp]")
    answer(page, give_up, "no")
    page.browser.click("#jobs [value=giveUp]")
    wait_for("the question", lambda: question(page))
    page.browser.press_key("Escape")
    wait_for("the question's end", lambda: question(page) is None)
    page.browser.open(page.url + "/jobs?q=that")
    expect("attempt 2 at " in page.browser.run(main), "the attempt was given up without a yes")
    page.browser.click("#jobs [value=giveUp]")
    answer(page, give_up)
    wait_for("the attempt's end", lambda: "failed for good" in page.browser.run(main))
    page.browser.click("#pauses [value=pauseAll]")
    answer(page, "Pause all jobs of the cluster?")
    wait_for("the pause", lambda: "The cluster is paused" in page.browser.run(main))
    page.browser.click(".pause button")
    wait_for("the pause's end", lambda: "The cluster is paused" not in page.browser.run(main))
    passed("an attempt is given up, and the cluster paused, once a question was answered with yes")


def check_times(page):
    """Dates are in the reader's time zone, or in Universal Time once a button was pressed. Without a script the latter
    stays."""
    dates = "return [...document.querySelectorAll('time[datetime]')].filter((t) => t.dateTime && !('axis' in t.dataset))" \
        ".map((t) => [t.dateTime, t.textContent, t.title])"
    axis = "return [...document.querySelectorAll('time[data-axis]')].map((t) => [t.dateTime, t.textContent])"
    page.browser.command("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")

    def local(date):
        minutes = (int(date[11:13]) * 60 + int(date[14:16]) + 330) % 1_440
        return f"{minutes // 60:02}:{minutes % 60:02}"

    for is_local in (True, False):
        for view in ("", "/hour", "/jobs", "/trail"):
            page.browser.open(page.url + view)
            shown = wait_for(f"dates of {view}", lambda: page.browser.run(dates))
            for date, said, title in shown:
                expect((f"{local(date)}:" if is_local else date[11:19]) in said, f"{date} is shown as {said}")
                expect(title == date, f"{date} has the title {title}")
        page.browser.open(page.url + "/hour")
        shown = page.browser.run(axis)
        expect(len(shown) == 7 and all(said == (local(date) if is_local else date[11:16]) for date, said in shown),
               f"the axis has {shown}")
        page.browser.click("#zone")
    page.browser.command("Emulation.setTimezoneOverride", timezoneId="UTC")
    page.browser.command("Emulation.setScriptExecutionDisabled", value=True)
    page.browser.open(page.url + "/jobs")
    shown = page.browser.run(dates)
    expect(shown and all(date == said for date, said, _ in shown), f"without a script: {shown}")
    page.browser.command("Emulation.setScriptExecutionDisabled", value=False)
    passed("dates are in the reader's time zone or, once asked for and without a script, in Universal Time")


def check_layout(page, size):
    """Nothing is wider than the screen, and the links are in the same place in all views."""
    resize(page, size)
    width, places = SIZES[size][0], {}
    for view, title in VIEWS.items():
        page.browser.open(page.url + view)
        expect(heading(page) == title, f"{view} has the title {heading(page)}")
        wide = page.browser.run("return document.documentElement.scrollWidth")
        expect(wide <= width, f"{title} is {wide} pixels wide on a screen of {width}")
        places[title] = page.browser.run(
            """return [...document.querySelectorAll("#views a")].map((link) => {
              const { left, top } = link.getBoundingClientRect();
              return [link.textContent, Math.round(left), Math.round(top)];
            })""")
        current = page.browser.run("return document.querySelector('#views [aria-current=page]').textContent")
        expect(current == title, f"{title} marks {current}")
    first = places["Timers"]
    for title, links in places.items():
        expect([link[0] for link in links] == list(VIEWS.values()), f"{title} has {links}")
        expect(all(abs(a[1] - b[1]) <= 1 and abs(a[2] - b[2]) <= 1 for a, b in zip(first, links)),
               f"the links of {title} are at {links}, those of Timers at {first}")
    passed(f"all views fit a {size}, and have the same links in the same place")


def tree(page):
    """The nodes that a screen reader is told of: role, name, and properties."""
    page.browser.command("Accessibility.enable")
    nodes = page.browser.command("Accessibility.getFullAXTree")["nodes"]
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""),
         {item["name"]: item["value"].get("value") for item in node.get("properties", [])})
        for node in nodes if not node["ignored"]
    ]


def check_tree(page, size):
    resize(page, size)
    for view, title in VIEWS.items():
        page.browser.open(page.url + view)
        nodes = tree(page)
        nameless = [(role, properties) for role, name, properties in nodes if role in NAMED_ROLES and not name.strip()]
        expect(not nameless, f"{title} has controls without a name: {nameless}")
        headings = [name for role, name, properties in nodes if role == "heading" and properties.get("level") == 1]
        expect(headings == [title], f"{title} has the headings {headings}")
        roles = [role for role, _, _ in nodes]
        expect(roles.count("main") == 1 and roles.count("banner") == 1, f"{title} has the landmarks {set(roles)}")
        expect(("navigation", "Views") in [node[:2] for node in nodes], f"{title} has no navigation")
    page.open()
    columns = [name for role, name, _ in tree(page) if role == "columnheader"]
    # On a phone the heads aren't shown, and each cell has its column's title.
    if size == "desktop":
        expect({"Schedule", "Last run", "Last lateness"} <= set(columns), f"the columns are {columns}")
    else:
        texts = " ".join(name for _, name, _ in tree(page))
        expect("Last run " in texts and "Last lateness " in texts, "a screen reader isn't told of the titles")
    passed(f"on a {size} a screen reader is told of a title, landmarks, and a name for each control")


def check_meanings(page, size):
    """The meanings of the columns open by the keyboard and by a press, and a screen reader is told of both states."""
    resize(page, size)
    for view, table in (("", "#actions"), ("/jobs", "main")):
        page.browser.open(page.url + view)
        summary = f"{table} .meanings summary"

        def is_told():
            nodes = tree(page)
            return any("A restart of the server forgets it" in name or "the newest run began" in name
                       for _, name, _ in nodes)

        expect(not is_told(), "a screen reader is told of meanings that aren't shown")
        page.browser.run("document.querySelector(arguments[0]).focus()", summary)
        page.browser.press_key("Enter")
        wait_for("the meanings by the keyboard", is_told)
        expanded = [properties.get("expanded") for role, name, properties in tree(page)
                    if name == "What the columns mean" and "expanded" in properties]
        expect(True in expanded, f"a screen reader isn't told that the meanings are open: {expanded}")
        page.browser.click(summary)
        wait_for("the meanings' end by a press", lambda: not is_told())
    passed(f"on a {size} the meaning of each column opens by a key and by a press")


def tab_to(page, condition, what, limit=120, backwards=False):
    for _ in range(limit):
        page.browser.press_key("Tab", shift=backwards)
        if page.browser.run(f"const e = document.activeElement; return {condition}"):
            return
    raise Failure(f"the Tab key doesn't lead to {what}")


def check_keyboard(page, size):
    """Goes with the keyboard alone from what isn't well to the timer, to the jobs, and through their pages."""
    resize(page, size)
    page.open()
    wait_for("what isn't well", lambda: "1 timer fails" in health(page))
    tab_to(page, "e.textContent === '1 timer fails'", "what isn't well")
    page.browser.press_key("Enter")
    wait_for("the timer that fails", lambda: names(page) == ["failing"])
    tab_to(page, "e.dataset.view === 'timers/jobs'", "the jobs")
    page.browser.press_key("Enter")
    wait_for("the jobs", lambda: heading(page) == "Jobs")
    caption = "return document.querySelector('#jobs caption').textContent"
    # The link carries the filters of the timers, which aren't the jobs'.
    first = page.browser.run(caption)
    # Backwards from the top, as fifty rows with their controls come before.
    tab_to(page, "e.textContent === 'Next page'", "the next page", backwards=True)
    page.browser.press_key("Enter")
    wait_for("the next page", lambda: page.browser.run(caption) != first)
    expect(page.browser.run(caption).startswith("Jobs mail 1046 to "), page.browser.run(caption))
    page.browser.press_key("/")
    for letter in "that":
        page.browser.press_key(letter)
    page.browser.press_key("Enter")
    wait_for("the job", lambda: page.browser.run(caption) == "1 job.")
    tab_to(page, "e.value === 'retry'", "Retry now")
    page.browser.press_key("Enter")
    wait_for("the search after the act", lambda: page.browser.run("return location.search") == "?q=that")
    expect(page.browser.run(caption) == "1 job.", "the act has left the search")
    passed(f"on a {size} the keyboard alone leads from what isn't well to a job's retry")


if __name__ == "__main__":
    main()
