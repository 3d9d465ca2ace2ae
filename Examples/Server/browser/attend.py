"""How the page shows rows, and how an operator reaches them: trouble, freezing, the menu, and keys."""

import re

from support import answer, expect, names, override, passed, question, text, wait_for_status
from webdriver import wait_for


def check_freeze(page, service):
    page.browser.open(page.url + "?sort=next")
    before = names(page)
    wait_for("the rows to move", lambda: names(page) != before)
    page.browser.click("#freeze")
    frozen = names(page)
    # The server has another order. The second event after that has it, and each changes the schedulers' numbers.
    def order(): return re.findall("<bdi>(.*?)</bdi>", service.request("GET", "/timers?sort=next")[1])
    wait_for("another order", lambda: order()[:50] != frozen)
    numbers = "return document.getElementById('schedulers').innerText"
    for _ in range(2):
        seen = page.browser.run(numbers)
        wait_for("an event", lambda: page.browser.run(numbers) != seen)
    expect(names(page) == frozen, "the rows move though they are frozen")
    page.browser.click("#freeze")
    wait_for("the rows to move again", lambda: names(page) != frozen)
    passed("frozen rows stay where they are while their numbers go on")


def check_trouble(page):
    """A hung timer and one that fails are to be seen as such."""
    for timer, state, note in (("hung", "running", "too long, since"), ("failing", "scheduled", "last run failed")):
        page.browser.open(f"{page.url}?q={timer}")
        cell = "document.querySelector('#rows [data-cell=state]')"
        wait_for(f"the row of {timer} to say {note}", lambda: note in page.browser.run(f"return {cell}.innerText"))
        shown, good, bad = page.browser.run(
            f"""const color = (value) => {{
              const span = document.body.appendChild(document.createElement("span"));
              span.style.setProperty("color", value);
              return getComputedStyle(span).color;
            }};
            return [getComputedStyle({cell}.firstElementChild).color, color("var(--good)"), color("var(--bad)")]""")
        expect(shown == bad and shown != good, f"{timer} is {shown}")
        expect(page.browser.run(f"return {cell}.firstElementChild.textContent") == state, f"{timer} isn't {state}")
    page.browser.open(f"{page.url}?q=hung")
    missed = "return Number(document.querySelector('#rows [data-cell=missed]').textContent)"
    before = page.browser.run(missed)
    wait_for("more missed dates while the run goes on", lambda: page.browser.run(missed) > before)
    page.browser.run("document.querySelector('#rows [data-action=cancel]').focus()")
    page.browser.press_key("Enter")
    answer(page, "Cancel hung for good?")
    wait_for_status(page, "hung was cancelled.")
    passed("a hung timer is marked and misses dates, and one whose last run failed isn't green")


def check_names(page, width):
    """Names with markup, right-to-left and joined characters, line breaks, and of 300 letters."""
    override(page, width)
    for part in ("script>", "refsnart", "family", "WWW"):
        page.browser.open(f"{page.url}?q={part}")
        expect(len(names(page)) == 1, f"{part}: {names(page)}")
        page.browser.click("#rows th a")
        wait_for("the details", lambda: page.browser.run("return document.querySelector('tr.details')"))
        page.browser.run("document.querySelector('#rows [data-action=cancel]').focus()")
        page.browser.press_key("Enter")
        name = names(page)[0]
        expect(wait_for("the question", lambda: question(page)) == f"Cancel {name} for good?", question(page))
        left, right = page.browser.run(
            "const r = document.getElementById('question').getBoundingClientRect(); return [r.left, r.right]")
        expect(0 <= left and right <= width, f"{part}: the question is at {left} to {right} of {width} pixels")
        cut = page.browser.run("const d = document.getElementById('question'); return d.scrollWidth - d.clientWidth")
        expect(cut <= 0, f"{part}: {cut} pixels of the question are cut off")
        page.browser.press_key("Escape")
        for action, outcome in (("pause", "paused"), ("resume", "resumed")):
            page.browser.run("document.querySelector(`#rows [data-action=${arguments[0]}]`).click()", action)
            wait_for_status(page, f"{name} was {outcome}.")
        wide, title = page.browser.run("return [document.documentElement.scrollWidth, document.title]")
        expect(wide <= width, f"{part}: the page is {wide} pixels wide on a screen of {width}")
        expect(title == "Timers", f"{part}: a name has set the title to {title}")
    override(page, 1280)
    passed(f"names that could do harm are shown as text, within a screen of {width} pixels")


def check_menu(page):
    """Between 769 and 1,280 pixels, the buttons are a menu that stays in view."""
    for width in (769, 900, 1280):
        override(page, width)
        page.browser.open(page.url + "?sort=-ticks")
        page.browser.run("document.querySelector('#timers').parentElement.scrollLeft = 0")
        left, right = page.browser.run(
            "const r = document.querySelector('#rows [data-cell=actions]').getBoundingClientRect();"
            "return [r.left, r.right]")
        expect(0 < left < right <= width, f"at {width} pixels the menu is at {left} to {right}")
        inside = """const button = document.querySelector(`#rows [data-action=${arguments[0]}]`);
          const r = button.getBoundingClientRect();
          return r.left >= 0 && r.right <= innerWidth && getComputedStyle(button.parentElement).opacity === "1"
            && document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === button"""
        page.browser.move_to("h1")
        expect(not page.browser.run(inside, "fire"), f"at {width} pixels the buttons aren't in a menu")
        page.browser.move_to("#rows [data-cell=actions]")
        for action in ("pause", "fire", "cancel"):
            wait_for(f"{action} at {width} pixels", lambda: page.browser.run(inside, action), seconds=30)
        page.browser.click('#rows [data-action="fire"]')
        wait_for_status(page, "beat has fired.")
        page.browser.move_to("h1")
        page.browser.run("document.activeElement.blur()")
        wait_for("the menu to close", lambda: not page.browser.run(inside, "fire"))
        page.browser.run("document.querySelector('#rows th a').focus()")
        for _ in range(10):
            page.browser.press_key("Tab")
            if page.browser.run("return document.activeElement.dataset.action === 'fire'"):
                break
        expect(page.browser.run(inside, "fire"), f"at {width} pixels the Tab key doesn't open the menu")
    override(page, 1281)
    page.browser.open(page.url + "?sort=-ticks")
    position = page.browser.run("return getComputedStyle(document.querySelector('#rows [data-cell=actions] div')).position")
    expect(position == "static", f"at 1,281 pixels the buttons are {position}")
    override(page, 1280)
    passed("at 769, 900 and 1,280 pixels a menu with all buttons is in view, for the mouse and the keyboard")


def check_keys(page, width):
    """Searches, goes through rows, selects, opens and closes by keys alone."""
    override(page, width)
    page.open()
    page.browser.press_key("/")
    expect(page.browser.run("return document.activeElement.name") == "q", "/ doesn't lead to the search")
    for letter in "timer 88":
        page.browser.press_key(letter)
    wait_for("the matches", lambda: names(page)[:2] == ["timer 88", "timer 880"])
    focused = "return document.activeElement.closest('tr')?.querySelector('bdi').textContent ?? ''"
    for key, name in (("ArrowDown", "timer 88"), ("ArrowDown", "timer 880"), ("ArrowUp", "timer 88")):
        page.browser.press_key(key)
        expect(page.browser.run(focused) == name, f"{key} leads to {page.browser.run(focused)}")
    page.browser.press_key("Space")
    expect(text(page, "selected").startswith("1 selected"), "Space doesn't select")
    page.browser.press_key("Space")
    expect(page.browser.run("return document.getElementById('selected').hidden"), "Space doesn't deselect")
    page.browser.press_key("?")
    keys = page.browser.run("const d = document.getElementById('keys'); return d.open ? d.innerText : ''")
    expect(all(key in keys for key in ("↑ ↓", "Space", "/", "?", "Esc")), f"the list of keys: {keys}")
    page.browser.press_key("ArrowDown")
    page.browser.press_key("Escape")
    expect(not page.browser.run("return document.getElementById('keys').open"), "Escape doesn't close the list")
    expect(page.browser.run(focused) == "timer 88", "after the list the focus is elsewhere")
    page.browser.press_key("Enter")
    details = "return document.querySelector('tr.details')?.innerText"
    wait_for("the details", lambda: page.browser.run(details))
    page.browser.press_key("Escape")
    wait_for("the details' end", lambda: page.browser.run(details) is None)
    override(page, 1280)
    passed(f"/, up and down, Space, Enter, ? and Escape do what the list of keys says, at {width} pixels")
