#!/usr/bin/env python3
"""Uses the view of the jobs and the page of a job in a headless Chromium, beside 100,000 jobs, of which 120 are dead
and some have names and payloads that could do harm.

    browser/jobs.py --demo ../Adapters/.build/debug/PageDemo

Needs Debian's packages chromium and chromium-driver.
"""

import argparse
import http.client
import signal
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../Load")
from page import Page  # noqa: E402
from service import Service  # noqa: E402
from support import answer, expect, override, passed, question, wait_for_status  # noqa: E402
from webdriver import Browser, Failure, wait_for  # noqa: E402

COUNT, DEAD, RUNNING = 100_000, 120, 2
# Those of the demo, but for control characters.
HARMFUL = ["<script>document.title = 'script'</script><img src=x onerror=\"document.title = 'image'\">", "W" * 300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", required=True, metavar="BINARY", help="the program PageDemo of Examples/Adapters")
    options = parser.parse_args()
    arguments = ["--timers", "5", "--trouble", "1", "--jobs", COUNT, "--dead", DEAD, "--running", RUNNING]
    try:
        with Service(options.demo, *map(str, arguments)) as service:
            service.wait_until_listening()
            with Browser(1280, 900) as browser:
                page = Page(browser, f"{service.url}/timers", "beat")
                check_overview(page)
                check_live(page, service)
                check_hostile(page)
                for width in (390, 1280):
                    check_layout(page, width)
                    check_keys(page, width)
                check_order(page)
                check_times(page)
                check_job(page)
                check_all_that_match(page, service)
                check_removal(page)
                check_stale(page, service)
                errors = [error for error in browser.errors() if "ERR_" not in error and "status of 4" not in error]
                expect(not errors, f"the console says: {errors}")
    except Failure as failure:
        sys.exit(f"failed: {failure}")


def go(page, query=""):
    page.browser.open(f"{page.url}/{query}")
    wait_for("the page to be live", lambda: page.browser.run("return document.getElementById('live').textContent") == "Live")


def text(page, selector):
    return page.browser.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def names(page):
    return page.browser.run("return [...document.querySelectorAll('#jobs tbody bdi')].map((name) => name.textContent)")


def caption(page):
    return text(page, "#jobs caption")


def counts(page, handler):
    """What a handler's row says, by its columns."""
    return page.browser.run(
        """const row = [...document.querySelectorAll("#handlers tbody tr")].find((row) => row.dataset.key === arguments[0]);
        return row && Object.fromEntries([...row.querySelectorAll("td")].map((cell) => [cell.dataset.label, cell.innerText]))""",
        handler)


def post(service, path, **fields):
    """Acts as a script does, beside the page."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=300)
    headers = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json",
               "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, urllib.parse.urlencode(fields), headers)
    status = connection.getresponse().status
    connection.close()
    expect(status == 204, f"{path}: {status}")


def check_overview(page):
    """The first view says what each handler has to do, beside 100,000 jobs, and leads to it."""
    go(page, "jobs")
    wait_for("the dead jobs", lambda: (counts(page, "invoice") or {}).get("Failed") == str(DEAD))
    wait_for("the runs", lambda: counts(page, "import")["Running"] == str(RUNNING))
    expect(counts(page, "mail")["Retrying"] == "1", f"mail: {counts(page, 'mail')}")
    expect(f"{RUNNING}" in text(page, "#replicas tbody") and " left" in text(page, "#replicas tbody"),
           f"the replicas: {text(page, '#replicas')}")
    expect("failed" in text(page, "#day figcaption"), f"the day: {text(page, '#day')}")
    page.browser.run("document.querySelector('#handlers a[href*=\"handler=invoice&in=failed\"]').click()")
    wait_for("the dead jobs in the table", lambda: caption(page) == f"Jobs 1 to 50 of {DEAD}.")
    expect("no such address: tenant-" in text(page, "#jobs tbody tr"), f"the row: {text(page, '#jobs tbody tr')}")
    page.browser.run("history.back()")
    wait_for("all jobs again", lambda: "archive 1000000" in caption(page))
    passed(f"beside {COUNT:,} jobs, each handler's row has its counts, and leads to the jobs with their errors")


def check_live(page, service):
    """What happens elsewhere is shown within seconds. What is being typed, chosen and focused stays."""
    go(page, "jobs?q=archive 1000007")
    expect(names(page) == ["archive 1000007"], f"the search finds {names(page)}")
    page.browser.click("#jobs tbody input")
    page.browser.type("#handlers [name=reason]", "half a sen")
    post(service, "/timers/job", job="archive 1000007", action="pause", reason="by a script")
    wait_for("the pause", lambda: "by a script" in text(page, "#jobs tbody tr"))
    state = page.browser.run(
        """const field = document.querySelector("#handlers [name=reason]");
        return [field.value, field === document.activeElement, document.querySelector("#jobs tbody input").checked]""")
    expect(state == ["half a sen", True, True], f"after a change the page has {state}")
    page.browser.click("#freeze")
    post(service, "/timers/job", job="archive 1000007", action="resume")
    before = text(page, "#replicas")
    wait_for("another look", lambda: text(page, "#replicas") != before)
    expect("by a script" in text(page, "#jobs tbody tr"), "a frozen row has changed")
    page.browser.click("#freeze")
    wait_for("the end of the pause", lambda: "by a script" not in text(page, "#jobs tbody tr"))
    page.browser.type("[name=q]", "archive 100001")
    wait_for("what is typed", lambda: len(names(page)) == 10)
    expect(page.browser.run("return location.search") == "?q=archive+100001", "the search isn't in the address")
    passed("the view is live, and keeps what an operator types, selects and freezes")


def check_hostile(page):
    """Texts of others are shown as texts, and on the job's page nothing is cut off."""
    for harm in HARMFUL:
        go(page, "jobs?q=harmful&order=name")
        number = next(i for i, name in enumerate(names(page)) if harm[:20] in name)
        page.browser.run("[...document.querySelectorAll('#jobs tbody th > a')][arguments[0]].click()", number)
        wait_for("the job's page", lambda: harm in text(page, "#name").replace("\u200b", ""))
        shown = page.browser.run(
            """return ["payload", "runs", "facts"].map((id) => document.getElementById(id).textContent)""")
        expect(f'{{"text": "{harm}"}}\n{harm}' == shown[0], f"the payload is {shown[0]}")
        expect(f"no such address: {{\"text\": \"{harm}\"}}" in shown[1], f"the error is cut off: {shown[1]}")
        expect(harm in shown[2], f"the handler is cut off: {shown[2]}")
        elements = page.browser.run("return document.querySelectorAll('main img, main script').length")
        expect(elements == 0, f"{elements} elements came from a text")
        title = page.browser.run("return document.title")
        expect(title == "Timers: a job", f"the title is {title}")
    passed("names, payloads and errors that could do harm are shown whole, and as texts")


def check_layout(page, width):
    override(page, width)
    harmful = urllib.parse.quote("harmful 3 " + HARMFUL[1])
    for query in ("jobs", "jobs?in=failed&order=-last", f"job?name={harmful}", "job?name=mail that fails"):
        go(page, query)
        wide = page.browser.run("return document.documentElement.scrollWidth")
        expect(wide <= width, f"{query} is {wide} pixels wide on a screen of {width}")
        broken = page.browser.run(
            """return [...document.querySelectorAll("#jobs tbody th bdi")].filter((name) => {
              const range = document.createRange();
              const lines = new Set();
              const node = name.firstChild;
              if (!node || name.textContent.length > 20) return false;
              range.selectNodeContents(name);
              return range.getClientRects().length > 1 && !/[ @./:;,=&?_-]/.test(name.textContent);
            }).map((name) => name.textContent)""")
        expect(not broken, f"these names are broken within a word: {broken}")
    override(page, 1280)
    passed(f"the view and a job's page fit a screen of {width} px")


def check_keys(page, width):
    override(page, width)
    go(page, "jobs?q=archive 10000")
    focused = "return document.activeElement.closest('#jobs tbody tr')?.querySelector('bdi').textContent ?? ''"
    page.browser.press_key("/")
    expect(page.browser.run("return document.activeElement.name") == "q", "/ doesn't lead to the search")
    for key, name in (("ArrowDown", "archive 1000000"), ("ArrowDown", "archive 1000001"), ("ArrowUp", "archive 1000000")):
        page.browser.press_key(key)
        expect(page.browser.run(focused) == name, f"{key} leads to {page.browser.run(focused)}")
    page.browser.press_key("Space")
    expect(text(page, "#selected").startswith("1 selected"), "Space doesn't select")
    page.browser.press_key("Space")
    expect(page.browser.run("return document.getElementById('selected').hidden"), "Space doesn't deselect")
    page.browser.press_key("?")
    expect("Open the job's page" in text(page, "#keys"), f"the list of keys: {text(page, '#keys')}")
    page.browser.press_key("Escape")
    expect(page.browser.run(focused) == "archive 1000000", "after the list the focus is elsewhere")
    page.browser.press_key("Enter")
    wait_for("the job's page", lambda: text(page, "#name") == "archive 1000000")
    page.browser.press_key("Escape")
    wait_for("the list", lambda: len(names(page)) == 50)
    expect("q=archive" in page.browser.run("return location.search"), "the way back loses the search")
    override(page, 1280)
    passed(f"/, up and down, Space, ?, Enter and Escape do what the list of keys says, at {width} pixels")


def check_order(page):
    go(page, "jobs?in=failed")
    page.browser.run("[...document.querySelectorAll('#jobs thead a')].find((a) => a.textContent === 'Job').click()")
    wait_for("the order of people", lambda: names(page)[4:7] == ["invoice 1", "invoice 2", "invoice 3"])
    expect("order=name" in page.browser.run("return location.search"), "the order isn't in the address")
    page.browser.run("[...document.querySelectorAll('#jobs thead a')].find((a) => a.textContent === 'Last run').click()")
    wait_for("the newest first", lambda: "order=-last" in page.browser.run("return location.search"))
    dates = "return [...document.querySelectorAll('#jobs td[data-label=\"Last run\"] time')].map((time) => time.dateTime)"
    shown = wait_for("sorted dates", lambda: page.browser.run(dates))
    wait_for("the order by time", lambda: page.browser.run(dates) == sorted(page.browser.run(dates), reverse=True))
    expect(len(shown) == 50, f"{len(shown)} dates")
    passed("jobs are sorted by name as people do, and by time")


def check_times(page):
    """Dates are local, the day too, or universal once a button was pressed, on all views."""
    page.browser.command("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
    go(page, "job?name=mail that fails")
    dates = "return [...document.querySelectorAll('main time')].map((t) => [t.dateTime, t.textContent, t.title])"
    for date, said, title in page.browser.run(dates):
        minutes = (int(date[11:13]) * 60 + int(date[14:16]) + 330) % 1_440
        expect(f"{minutes // 60:02}:{minutes % 60:02}:" in said and "UTC" not in said, f"{date} is shown as {said}")
        expect(title == date, f"{date} has the title {title}")
    expect(text(page, "#zone") in ("Times in Asia/Kolkata", "Times in Asia/Calcutta"), text(page, "#zone"))
    page.browser.click("#zone")
    go(page, "jobs?in=failed")
    for date, said, _ in page.browser.run(dates):
        expect(date[11:19] in said, f"in Universal Time {date} is shown as {said}")
    page.browser.click("#zone")
    page.browser.command("Emulation.setTimezoneOverride", timezoneId="UTC")
    passed("dates are in the reader's time zone, or in Universal Time once that was asked for")


def check_job(page):
    """A job's page has its attempts and acts, and is live."""
    go(page, "job?name=mail that fails")
    expect("attempt 2 at " in text(page, "#facts") and "DiskFull()" in text(page, "#facts"), text(page, "#facts"))
    expect("full" == text(page, "#payload"), text(page, "#payload"))
    page.browser.type("#acts [name=reason]", "the disk <b>")
    page.browser.click("#acts [value=pause]")
    wait_for("the pause", lambda: "paused: the disk <b>" in text(page, "#facts"))
    page.browser.click("#acts [value=resume]")
    wait_for("its end", lambda: "paused" not in text(page, "#facts"))
    page.browser.click("#acts [value=giveUp]")
    answer(page, "Give up the waiting attempt of mail that fails?")
    wait_for("the end of the attempts", lambda: "failed for good" in text(page, "#facts"))
    expect("given up" in text(page, "#runs"), text(page, "#runs"))
    page.browser.run("document.querySelector('#past [action=date] button').click()")
    wait_for("the explanation", lambda: text(page, "#date").startswith("Back to the job"))
    expect("run, and failed" in text(page, "#date"), text(page, "#date"))
    page.browser.run("document.querySelector('#date a').click()")
    wait_for("the job's page", lambda: text(page, "#name") == "mail that fails")
    page.browser.click("#acts [value=retry]")
    wait_for("another attempt", lambda: "attempt 2 at " in text(page, "#facts"))
    passed("a job's page has its payload and its attempts, and its acts are done without leaving it")


def press_all(page, action):
    if not page.browser.run("return document.getElementById('all').checked"):
        page.browser.click("#all")
    page.browser.click(f"#bulk [value={action}]")


def check_all_that_match(page, service):
    """An act on all that match is done once their number was answered with yes, and is asked anew if it changes."""
    go(page, "jobs?handler=invoice&in=failed&order=-last")
    press_all(page, "retry")
    answer(page, f"Retry {DEAD} jobs that match?", "no")
    failed = page.browser.run("return [...document.querySelectorAll('#jobs td[data-label=Failed]')].map((c) => c.innerText)")
    expect(set(failed) == {"1"}, f"without a yes the jobs have failed {failed} times")
    press_all(page, "retry")
    wait_for("the question", lambda: question(page))
    post(service, "/timers/job", job="invoice 1", action="remove")
    answer(page, f"Retry {DEAD} jobs that match?")
    answer(page, f"{DEAD - 1} jobs match now, and not {DEAD}. Nothing was changed. Retry {DEAD - 1} jobs that match?")
    wait_for_status(page, f"{DEAD - 1} jobs were retried.", seconds=120)
    wait_for("their next failure", lambda: set(page.browser.run(
        "return [...document.querySelectorAll('#jobs td[data-label=Failed]')].map((c) => c.innerText)")) == {"2"}, seconds=120)
    passed(f"{DEAD - 1} dead jobs are retried by one act, once their number was answered with yes")


def check_removal(page):
    go(page, "jobs?handler=invoice&in=failed")
    count = DEAD - 1
    press_all(page, "remove")
    answer(page, f"Remove {count} jobs that match for good?")
    wait_for_status(page, f"{count} jobs will be removed in 10 s.")
    page.browser.click("#change")
    wait_for_status(page, "No job was removed.")
    expect(counts(page, "invoice")["Failed"] == str(count), f"invoice: {counts(page, 'invoice')}")
    page.browser.click("#jobs tbody tr:nth-child(1) input")
    page.browser.click("#jobs tbody tr:nth-child(2) input")
    page.browser.click("#bulk [value=pause]")
    wait_for_status(page, "2 jobs were paused.")
    page.browser.click("#change")
    wait_for_status(page, "2 jobs were resumed.")
    press_all(page, "remove")
    answer(page, f"Remove {count} jobs that match for good?")
    wait_for_status(page, f"{count} jobs were removed.", seconds=120)
    wait_for("the empty table", lambda: caption(page) == "No job.")
    passed("a removal of all that match can be undone for ten seconds, and a pause after it was done")


def check_stale(page, service):
    go(page, "jobs")
    live = "return document.getElementById('live').textContent"
    service.process.send_signal(signal.SIGSTOP)
    try:
        wait_for("the page to be stale", lambda: page.browser.run(live).startswith("Stale: no news"), seconds=30)
    finally:
        service.process.send_signal(signal.SIGCONT)
    wait_for("the page to be live again", lambda: page.browser.run(live).startswith("Live"), seconds=60)
    passed("the view says when it hears nothing, and goes on")


if __name__ == "__main__":
    main()
