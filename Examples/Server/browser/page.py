"""The operator's page as a browser shows it."""

from webdriver import wait_for


class Page:
    """The page, and the row of one timer on it."""

    def __init__(self, browser, url, timer):
        self.browser = browser
        self.url = url
        self.timer = timer

    def open(self):
        self.browser.open(self.url)
        wait_for(f"the row of {self.timer}", self.row)

    def row(self):
        """What the row says, or None if there is none."""
        return self.browser.run(
            """
            const row = [...document.querySelectorAll("#rows tr")]
              .find((row) => row.querySelector("bdi")?.textContent === arguments[0]);
            if (!row) return null;
            const text = (cell) => row.querySelector(`[data-cell="${cell}"]`).textContent;
            return {
              key: row.dataset.key, state: row.dataset.state,
              next: row.querySelector('[data-cell="next"] span').textContent,
              date: row.querySelector('[data-cell="next"] time').dateTime,
              ticks: Number(text("ticks").replaceAll(",", "")),
            };
            """,
            self.timer,
        )

    def press(self, action):
        selector = f'tr[data-key="{self.row()["key"]}"] [data-action="{action}"]'
        # On a screen of middle width the buttons are a menu, which the focus opens.
        self.browser.run("document.querySelector(arguments[0]).focus()", selector)
        self.browser.click(selector)

    def wait_for_state(self, *states):
        return wait_for(f"{self.timer} to be {states[0]}", lambda: self.is_in(states))

    def is_in(self, states):
        row = self.row()
        return row if row and row["state"] in states else None

    def status(self):
        return self.browser.run('return document.getElementById("status").textContent')

    def chart(self):
        """The bars of the first scheduler's chart."""
        return self.browser.run('return document.querySelector("#schedulers path.lateness").getAttribute("d")')

    def open_details(self):
        """Opens the timer's details, and returns their text."""
        key = self.row()["key"]
        self.browser.click(f'tr[data-key="{key}"] th a')
        script = "return document.querySelector('tr.details')?.innerText"
        return wait_for("the details", lambda: self.browser.run(script))

    def give_token(self, token):
        """Types a token into the form that asks for it, and sends it."""
        self.browser.type("[name=token]", token)
        self.browser.click("#login button")

    def log_in(self, token):
        """Logs in, on a page that asks for a token before it shows anything, and waits for the row."""
        self.browser.open(self.url)
        if self.browser.run('return document.querySelector("#login button") !== null'):
            self.give_token(token)
        wait_for("the login to be taken", lambda: self.browser.run('return document.getElementById("rows") !== null'))
        wait_for(f"the row of {self.timer}", self.row)

    def alert(self):
        return self.browser.run('return document.querySelector("[role=alert]")?.textContent ?? ""')

    def operator(self):
        return self.browser.run('return document.getElementById("operator")?.textContent ?? null')


def seconds(countdown):
    """The number in a countdown such as `4.2 s`, `2:05` or `4.2 s left`, or None for a dash."""
    text = countdown.removesuffix(" left").removesuffix(" s")
    if not text[:1].isdigit():
        return None
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total
