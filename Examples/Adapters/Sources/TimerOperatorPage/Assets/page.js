// Fills the rows with what the server's events say, counts down between them, and sends actions and searches without
// leaving the page. Names and numbers are set as text or as attributes, never as markup. The details of a timer are the
// only markup that is fetched; the server escapes what is in them, and the security policy allows no script there.
"use strict";

const element = (id) => document.getElementById(id);
const form = element("actions");
const queryForm = element("query");
const body = element("rows");
const template = element("row").content.firstElementChild;

// The query, which the address carries, too.
let query = new URLSearchParams(location.search);
// Data on each timer besides its row, by its key.
const timers = new Map();
// The server's clock less this page's, in seconds.
let clockOffset = 0;

// How long without an event until the page says that it is stale, and how long an action may take.
const staleAfter = 3_000;
const actionLimit = 10_000;

const cell = (row, name) => row.querySelector(`[data-cell="${name}"]`);
const button = (row, action) => row.querySelector(`[data-action="${action}"]`);
const rowOf = (key) => body.querySelector(`tr[data-key="${CSS.escape(key)}"]`);
const detailsOf = (key) => body.querySelector(`tr[data-of="${CSS.escape(key)}"]`);

function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

// A date in the reader's own time zone, with the day and the zone.
const dateFormat = new Intl.DateTimeFormat([], {
  weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit",
  hourCycle: "h23", timeZoneName: "short",
});

function showDate(time, date) {
  time.dateTime = date ?? "";
  setText(time, date ? dateFormat.format(new Date(date)) : "");
}

function search(change) {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value) changed.set(name, value);
    else changed.delete(name);
  }
  const text = changed.toString().replaceAll("%2F", "/");
  return text ? `?${text}` : "";
}

// Rows

function makeTimer(data) {
  // The page comes with rows, for browsers without scripts.
  const row = rowOf(data.key) ?? template.cloneNode(true);
  row.dataset.key = data.key;
  const link = cell(row, "name").querySelector("a");
  setText(link.firstElementChild, data.name);
  link.title = data.name;
  setText(row.querySelector("small"), data.scheduler);
  const box = row.querySelector("input");
  box.value = data.key;
  box.setAttribute("aria-label", `Select ${data.name}`);
  for (const button of row.querySelectorAll("button")) {
    button.setAttribute("formaction", `timers/${data.key}/${button.dataset.action}`);
    button.setAttribute("aria-label", `${button.textContent} ${data.name}`);
  }
  return { row };
}

function update(timer, data) {
  const { row } = timer;
  const isPaused = data.state === "paused";
  row.dataset.state = data.state;
  setText(cell(row, "state").firstElementChild, data.state);
  for (const name of ["schedule", "ticks", "missed", "failures", "lateness"]) setText(cell(row, name), data[name]);
  cell(row, "schedule").title = data.schedule;
  cell(row, "failures").dataset.any = data.failures !== "0";
  button(row, "pause").disabled = isPaused;
  button(row, "fire").disabled = isPaused;
  button(row, "resume").disabled = !isPaused;
  timer.due = data.due;
  timer.left = data.left;
  showDate(row.querySelector("time"), data.date);
}

function showOrder(order) {
  const keys = new Set(order);
  for (const row of [...body.children]) {
    if (keys.has(row.dataset.key ?? row.dataset.of)) continue;
    timers.delete(row.dataset.key);
    row.remove();
  }
  let place = body.firstElementChild;
  for (const key of order) {
    for (const row of [timers.get(key)?.row, detailsOf(key)]) {
      if (!row) continue;
      // A row that is in its place isn't moved, and so keeps the focus.
      if (row === place) place = place.nextElementSibling;
      else body.insertBefore(row, place);
    }
  }
}

function show(report) {
  clockOffset = report.now - performance.now() / 1000;
  const focus = heldFocus();
  for (const data of report.rows) {
    if (!timers.has(data.key)) timers.set(data.key, makeTimer(data));
    update(timers.get(data.key), data);
    if (query.get("open") === data.key) refreshDetails();
  }
  if (report.order) showOrder(report.order);
  restoreFocus(focus);
  report.numbers?.forEach((numbers, index) => showNumbers(element("schedulers").tBodies[0].rows[index], numbers));
  report.charts?.forEach((chart, index) => showChart(element("schedulers").tBodies[0].rows[index], chart));
  if (report.position) showPosition(report.position);
  countDown();
  showSelection();
}

function showNumbers(row, numbers) {
  row.querySelectorAll("td.number").forEach((cell, index) => setText(cell, numbers[index]));
}

function showChart(row, chart) {
  const image = row.querySelector("svg");
  if (!image || !chart) return;
  image.setAttribute("aria-label", chart.text);
  setText(image.querySelector("title"), chart.text);
  image.querySelector(".lateness").setAttribute("d", chart.lateness);
  image.querySelector(".run-time").setAttribute("d", chart.runTime);
}

function showPosition(position) {
  setText(element("position"), position.text);
  setText(element("match-count"), position.matchCount.toLocaleString("en"));
  setText(element("page"), position.page.toLocaleString("en"));
  setText(element("page-count"), position.pageCount.toLocaleString("en"));
  for (const [relation, page] of [["prev", position.page - 1], ["next", position.page + 1]]) {
    const link = document.querySelector(`#pages [rel="${relation}"]`);
    link.hidden = page < 1 || page > position.pageCount;
    link.setAttribute("href", `timers${search({ page: page > 1 ? String(page) : "" })}`);
  }
}

// Focus

// Where the focus is, so that it can return there after rows were moved and buttons switched off.
function heldFocus() {
  const row = document.activeElement?.closest?.("#rows tr[data-key]");
  if (!row) return null;
  const controls = [...row.querySelectorAll("a, input, button")];
  return { active: document.activeElement, row, index: controls.indexOf(document.activeElement), place: row.rowIndex };
}

function restoreFocus(focus) {
  if (!focus || (document.activeElement === focus.active && !focus.active.disabled)) return;
  let row = focus.row;
  if (!row.isConnected) row = element("timers").rows[Math.min(focus.place, element("timers").rows.length - 1)];
  const controls = [...row.querySelectorAll("a, input, button")];
  const target = controls[focus.index];
  if (target && !target.disabled) target.focus();
  else controls.find((control) => control.tagName === "BUTTON" && !control.disabled)?.focus();
}

// Counting down

function format(seconds) {
  if (seconds < 60) return `${(Math.floor(Math.max(seconds, 0) * 10) / 10).toFixed(1)} s`;
  const twoDigits = (number) => String(number).padStart(2, "0");
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}` : `${minutes}:${twoDigits(rest)}`;
}

function countDown() {
  const now = performance.now() / 1000 + clockOffset;
  for (const { row, due, left } of timers.values()) {
    const text = left != null ? `${format(left)} left` : due != null ? format(due - now) : "–";
    setText(cell(row, "next").firstElementChild, text);
  }
}

// Events

let events = null;
let lastEvent = performance.now();
let isStale = false;

function say(text, isGood) {
  setText(element("status"), text.trim());
  element("status").dataset.good = isGood;
}

function setStale(stale) {
  if (stale === isStale && element("live").textContent) return;
  isStale = stale;
  document.body.classList.toggle("stale", stale);
  const time = new Date().toLocaleTimeString([], { hourCycle: "h23" });
  setText(element("live"), stale ? `Stale: no news from the server since ${time}.` : "Live");
}

function connect() {
  disconnect();
  if (document.hidden) return;
  lastEvent = performance.now();
  events = new EventSource(`timers/events${search({ open: "" })}`);
  events.addEventListener("message", (event) => {
    lastEvent = performance.now();
    setStale(false);
    show(JSON.parse(event.data));
  });
  events.addEventListener("error", () => {
    // The browser tries again by itself, unless the server has refused.
    if (events?.readyState === EventSource.CLOSED) setTimeout(tryAgain, 5_000);
  });
}

async function tryAgain() {
  if (events?.readyState !== EventSource.CLOSED) return;
  try {
    // A login ends with the server that it was made on, among others. The page then asks for another one.
    const response = await fetch(location.href, { signal: AbortSignal.timeout(actionLimit) });
    if (response.status === 401) return location.reload();
  } catch {
    // The server can't be reached, and the page says that it is stale.
  }
  connect();
}

function disconnect() {
  events?.close();
  events = null;
}

// A page that isn't seen gives its connection to others: browsers have six for a server.
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
setInterval(() => {
  countDown();
  if (!document.hidden && performance.now() - lastEvent > staleAfter) setStale(true);
}, 100);

// Queries

function go(change, isTyping = false) {
  const address = search({ page: "", ...change });
  const before = query;
  query = new URLSearchParams(address);
  if (isTyping) history.replaceState(null, "", `timers${address}`);
  else history.pushState(null, "", `timers${address}`);
  queryChanged(before);
}

function queryChanged(before) {
  for (const name of ["q", "scheduler", "state"]) {
    const field = queryForm.elements[name];
    if (field && field.value !== (query.get(name) ?? "")) field.value = query.get(name) ?? "";
  }
  const sort = query.get("sort") ?? "name";
  if (queryForm.elements.sort) queryForm.elements.sort.value = sort;
  for (const link of document.querySelectorAll("[data-sort]")) {
    const column = link.dataset.sort;
    const direction = sort === column ? "ascending" : sort === `-${column}` ? "descending" : "none";
    link.parentElement.setAttribute("aria-sort", direction);
  }
  for (const link of document.querySelectorAll("[data-only]")) {
    if (link.dataset.only === query.get("scheduler")) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  for (const link of document.querySelectorAll("[data-view]")) {
    link.setAttribute("href", `${link.dataset.view}${search({ open: "", page: "" })}`);
  }
  if ((before.get("open") ?? "") !== (query.get("open") ?? "")) showDetails();
  connect();
}

let typing = 0;
queryForm.addEventListener("input", (event) => {
  clearTimeout(typing);
  const isTyping = event.target.name === "q";
  const change = () => go({ [event.target.name]: event.target.value, open: "" }, isTyping);
  typing = setTimeout(change, isTyping ? 200 : 0);
});
queryForm.addEventListener("submit", (event) => event.preventDefault());
queryForm.querySelector("button").hidden = true;

window.addEventListener("popstate", () => {
  const before = query;
  query = new URLSearchParams(location.search);
  queryChanged(before);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const row = link.closest("tr[data-key]");
  const sort = query.get("sort") ?? "name";
  if (row) {
    event.preventDefault();
    const open = query.get("open") === row.dataset.key ? "" : row.dataset.key;
    go({ open, page: query.get("page") ?? "" });
  } else if (link.dataset.sort) {
    event.preventDefault();
    const column = link.dataset.sort;
    const isCount = link.parentElement.classList.contains("number");
    const isDescending = sort === column || (sort !== `-${column}` && isCount);
    go({ sort: isDescending ? `-${column}` : column === "name" ? "" : column });
  } else if (link.dataset.only) {
    event.preventDefault();
    const only = query.get("scheduler") === link.dataset.only ? "" : link.dataset.only;
    go({ scheduler: only, open: "" });
  } else if (link.closest("#pages")) {
    event.preventDefault();
    go({ page: new URL(link.href).searchParams.get("page") ?? "", open: "" });
    element("position").scrollIntoView({ block: "nearest" });
  }
});

// Details

let detailsWanted = 0;
let detailsTime = 0;

async function showDetails() {
  const key = query.get("open");
  const wanted = (detailsWanted += 1);
  for (const link of body.querySelectorAll("[aria-expanded]")) {
    link.setAttribute("aria-expanded", String(link.closest("tr").dataset.key === key));
  }
  for (const old of body.querySelectorAll("tr.details")) if (old.dataset.of !== key) old.remove();
  if (!key) return;
  detailsTime = performance.now();
  try {
    const response = await fetch(`timers/${key}`, { signal: AbortSignal.timeout(actionLimit) });
    const row = rowOf(key);
    if (wanted !== detailsWanted || !row || !response.ok) return;
    const content = new DOMParser().parseFromString(await response.text(), "text/html").body;
    for (const time of content.querySelectorAll("time")) showDate(time, time.dateTime);
    let details = detailsOf(key);
    if (!details) {
      details = document.createElement("tr");
      details.className = "details";
      details.dataset.of = key;
      details.setAttribute("role", "row");
      details.append(document.createElement("td"));
      details.firstElementChild.setAttribute("role", "cell");
      details.firstElementChild.colSpan = element("timers").tHead.rows[0].cells.length;
      row.after(details);
    }
    details.firstElementChild.replaceChildren(...content.childNodes);
  } catch {
    say("The details can't be loaded.", false);
  }
}

// Not more often than once a second, as a timer may tick a hundred times in one.
function refreshDetails() {
  if (performance.now() - detailsTime > 900) showDetails();
}

// Selection

const boxes = () => [...body.querySelectorAll('[data-cell="select"] input')];
const wholePage = element("whole-page");
wholePage.hidden = false;
wholePage.addEventListener("change", () => {
  for (const box of boxes()) box.checked = wholePage.checked;
  showSelection();
});
form.addEventListener("change", showSelection);

function showSelection() {
  const selected = boxes().filter((box) => box.checked).length;
  const isAny = selected > 0 || element("all").checked;
  wholePage.checked = selected > 0 && selected === boxes().length;
  wholePage.indeterminate = selected > 0 && selected < boxes().length;
  for (const button of document.querySelectorAll("[data-bulk]")) button.disabled = !isAny;
}

// Actions

const outcomes = { pause: "was paused", resume: "was resumed", fire: "has fired", cancel: "was cancelled" };

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { action, bulk } = event.submitter?.dataset ?? {};
  if (!action && !bulk) return;
  const isAll = Boolean(bulk && element("all").checked);
  const count = isAll ? element("match-count").textContent : String(boxes().filter((box) => box.checked).length);
  const name = action ? event.submitter.closest("tr").querySelector("bdi").textContent : `${count} timers`;
  const mustAsk = action === "cancel" || bulk === "cancel" || isAll;
  const verb = (action ?? bulk).replace(/^./, (letter) => letter.toUpperCase());
  if (mustAsk && !confirm(`${verb} ${name}${verb === "Cancel" ? " for good" : ""}?`)) return;
  const data = new FormData(form);
  if (action) for (const field of ["timer[]", "all"]) data.delete(field);
  const address = action ? event.submitter.getAttribute("formaction") : `timers/selected/${bulk}${search({ open: "" })}`;
  say(`${verb} ${name} …`, true);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(data),
      signal: AbortSignal.timeout(actionLimit),
    });
    const text = response.ok && action ? `${name} ${outcomes[action]}.` : await response.text();
    say(text, response.ok);
    if (response.ok && bulk) {
      element("all").checked = false;
      for (const box of boxes()) box.checked = false;
      showSelection();
    }
  } catch (error) {
    const isLate = error.name === "TimeoutError";
    say(`${verb} ${name}: ${isLate ? "the server hasn't answered in 10 s." : "the server can't be reached."}`, false);
  }
});

for (const time of document.querySelectorAll("time[datetime]")) showDate(time, time.getAttribute("datetime"));
showSelection();
connect();
