"""What an operator does to many timers at a time: asks, selects, cancels, stops and undoes."""

from support import answer, count_in_state, expect, names, passed, post, question, text, wait_for_status
from webdriver import wait_for


def check_expected(page, service):
    """Another operator pauses a timer while the page asks. The page asks again, with the new number."""
    page.browser.open(page.url + "?q=timer 123&state=scheduled")
    wait_for("the matches", lambda: len(names(page)) == 11)
    key = page.browser.run('return document.querySelector("#rows tr").dataset.key')
    page.browser.click("#all")
    page.browser.click('[data-bulk="pause"]')
    wait_for("the question", lambda: question(page))
    post(service, f"/timers/{key}/pause")
    answer(page, "Pause 11 timers that match?")
    news = "10 timers match now, and not 11. Nothing was changed."
    wait_for("the second question", lambda: question(page))
    expect(count_in_state(page, "scheduled") == 10, "timers were paused though others match")
    answer(page, f"{news} Pause 10 timers that match?")
    wait_for_status(page, "10 timers were paused.")
    page.browser.click("#change")
    wait_for_status(page, "10 timers were resumed.")
    post(service, f"/timers/{key}/resume")
    passed("the page asks again when other timers match than the question has said, and Undo resumes them")


def check_selection(page):
    """Selected rows stay selected on other pages and in another order."""
    page.browser.open(page.url + "?q=timer")
    page.browser.click("#rows tr:nth-child(1) input")
    page.browser.click("#rows tr:nth-child(2) input")
    first = names(page)
    expect(first[:3] == ["timer 0", "timer 1", "timer 2"], f"the order is {first[:3]}")
    page.browser.click("#pages [rel=next]")
    wait_for("the second page", lambda: names(page)[:1] == ["timer 50"])
    page.browser.click("#rows tr:nth-child(1) input")
    expect(text(page, "selected").startswith("3 selected"), text(page, "selected"))
    page.browser.click('[data-sort="name"]')
    wait_for("the other order", lambda: names(page)[:1] == ["timer 9999"])
    page.browser.click('[data-sort="name"]')
    wait_for("the first order", lambda: names(page) == first)
    checked = page.browser.run("return [...document.querySelectorAll('#rows input')].map((box) => box.checked)")
    expect(checked == [True, True] + [False] * 48, f"selected: {checked}")
    page.browser.click('[data-bulk="pause"]')
    wait_for_status(page, "3 timers were paused.")
    expect(page.browser.run("return document.getElementById('selected').hidden"), "the selection stays")
    page.browser.open(page.url + "?state=paused")
    expect(names(page) == ["timer 0", "timer 1", "timer 50"], f"paused: {names(page)}")
    note = page.browser.run("return document.querySelector('#rows [data-cell=state] small').innerText")
    expect(note.startswith("by an operator"), f"the row says {note}")
    page.browser.click("#all")
    page.browser.click('[data-bulk="resume"]')
    answer(page, "Resume 3 timers that match?")
    wait_for_status(page, "3 timers were resumed.")
    passed("three rows of two pages stay selected, in another order, too, and are paused by one press")


def check_cancel(page):
    """A cancellation can be refused by Escape, is held back, can be undone, and comes at last."""
    page.browser.open(page.url + "?q=timer 9990")
    for value in ("Escape", "undo", "wait"):
        if not page.browser.run("return document.querySelector('#rows input').checked"):
            page.browser.click("#rows input")
        page.browser.click('[data-bulk="cancel"]')
        if value == "Escape":
            expect(wait_for("the question", lambda: question(page)) == "Cancel 1 timer for good?", question(page))
            page.browser.press_key("Escape")
            wait_for("the question's end", lambda: question(page) is None)
            expect(page.status() == "", f"after Escape the page says {page.status()}")
            continue
        answer(page, "Cancel 1 timer for good?")
        wait_for_status(page, "1 timer will be cancelled in 10 s.")
        if value == "undo":
            page.browser.click("#change")
            wait_for_status(page, "No timer was cancelled.")
            expect(len(names(page)) == 1, "the timer is gone")
    wait_for_status(page, "1 timer was cancelled.")
    wait_for("the row's end", lambda: names(page) == [])
    passed("Escape refuses a cancellation, Undo takes it back, and without both it comes after ten seconds")


def check_stop(page):
    """Pauses all timers, stops that as soon as the page says how far it has come, and undoes it."""
    page.browser.open(page.url + "?q=timer")
    wait_for("an event", lambda: text(page, "live") == "Live")
    page.browser.run(
        """const button = document.getElementById("change");
        const status = document.getElementById("status");
        window.progress = "";
        new MutationObserver((_, observer) => {
          if (!status.textContent.startsWith("paused ") || button.hidden || button.textContent !== "Stop") return;
          observer.disconnect();
          window.progress = status.textContent;
          button.click();
        }).observe(status, { childList: true });""")
    page.browser.click("#all")
    page.browser.click('[data-bulk="pause"]')
    answer(page, "Pause 9,999 timers that match?")
    wait_for("the end", lambda: page.status().startswith("Stopped: "))
    stopped = page.status()
    page.browser.click("#change")
    wait_for("the end of Undo", lambda: page.status().endswith(" resumed."))
    count = page.status().split()[0]
    expect(stopped.startswith(f"Stopped: {count} timer"), f"{stopped} But {page.status()}")
    progress = page.browser.run("return window.progress")
    expect(progress.endswith(" of 9,999"), f"the progress is {progress}")
    page.browser.open(page.url + "?state=paused")
    expect(names(page) == [], f"paused: {names(page)}")
    passed(f"the page says \"{progress}\", stops that: \"{stopped}\", and Undo resumes them")


def check_trail(page):
    page.open()
    page.browser.click('[data-view="timers/trail"]')
    rows = page.browser.run(
        "return [...document.querySelectorAll('#trail tbody tr')].map((row) => [...row.cells].map((c) => c.innerText))")
    expect(any(row[3] == "cancel" and row[5:] == ["1", "1 timer was cancelled."] for row in rows), f"the trail: {rows}")
    expect(any(row[6].startswith("10 timers match now, and not 11") for row in rows), "the refusal isn't there")
    page.open()
    passed("the audit trail has what was done and what was refused")
