"""What the checks of the page with many timers share."""

import http.client

from webdriver import Failure, wait_for


def expect(is_so, what):
    if not is_so:
        raise Failure(what)


def passed(what):
    print(f"passed: {what}", flush=True)


def names(page):
    return page.browser.run('return [...document.querySelectorAll("#rows bdi")].map((name) => name.textContent)')


def text(page, identifier):
    return page.browser.run("return document.getElementById(arguments[0])?.textContent", identifier)


def count_in_state(page, state):
    return page.browser.run(f"return document.querySelectorAll('#rows tr[data-state=\"{state}\"]').length")


def override(page, width):
    page.browser.command(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)


def question(page):
    """The question that the page asks, or None."""
    return page.browser.run(
        'const d = document.getElementById("question"); return d?.open ? d.querySelector("p").textContent : null')


def answer(page, what, value="yes"):
    asked = wait_for("the question", lambda: question(page))
    expect(asked == what, f"the page asks: {asked}")
    page.browser.click(f'#question [value="{value}"]')
    wait_for("the question's end", lambda: question(page) is None)


def wait_for_status(page, what, seconds=60):
    wait_for(what, lambda: page.status() == what, seconds=seconds)


def post(service, path):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=300)
    connection.request("POST", path, headers={"Sec-Fetch-Site": "same-origin", "Accept": "application/json"})
    status = connection.getresponse().status
    connection.close()
    expect(status == 204, f"{path}: {status}")
