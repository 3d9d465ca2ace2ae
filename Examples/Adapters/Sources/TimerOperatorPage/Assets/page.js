// Fills the rows with what the server's events say, counts down between them, and sends actions and searches without
// leaving the page. Names and numbers are set as text or as attributes, never as markup. The details of a timer are the
// only markup that is fetched; the server escapes what is in them, and the security policy allows no script there.
// The scripts time.js, which shows dates, ask.js, which asks questions, and work.js, which sends actions, come before.
"use strict";

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

// The number of timers that meet the query.
let matchCount = Number(element("match-count").textContent.replaceAll(",", ""));
// The names of the timers that are selected, on this page and on others, by key.
const selected = new Map();
// Whether rows stay where they are.
let isFrozen = false;

const cell = (row, name) => row.querySelector(`[data-cell="${name}"]`);
const button = (row, action) => row.querySelector(`[data-action="${action}"]`);
const rowOf = (key) => body.querySelector(`tr[data-key="${CSS.escape(key)}"]`);
const detailsOf = (key) => body.querySelector(`tr[data-of="${CSS.escape(key)}"]`);

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
  box.checked = selected.has(data.key);
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
  showDate(cell(row, "next").querySelector("time"), data.date);
  setText(cell(row, "last").firstElementChild, data.last ?? "–");
  cell(row, "last").dataset.failed = data.hasLastFailed;
  showDate(cell(row, "last").querySelector("time"), data.lastDate);
  showNote(row, data);
}

// Since when a run goes on, who has paused the timer, or that it has failed.
function showNote(row, { mark, note, noteDate }) {
  if (mark) row.dataset.mark = mark;
  else delete row.dataset.mark;
  const state = cell(row, "state");
  let small = state.querySelector("small");
  if (!note) return small?.remove();
  if (!small) state.append((small = document.createElement("small")));
  small.replaceChildren(` ${note} `);
  if (noteDate) showDate(small.appendChild(document.createElement("time")), noteDate);
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
  if (report.formToken && report.formToken !== form.elements.formToken.value) return reload();
  clockOffset = report.now - performance.now() / 1000;
  showAge(1_000 * report.age);
  const focus = heldFocus();
  for (const data of report.rows) {
    if (!timers.has(data.key)) {
      if (isFrozen && !rowOf(data.key)) continue;
      timers.set(data.key, makeTimer(data));
    }
    update(timers.get(data.key), data);
    if (query.get("open") === data.key) refreshDetails();
  }
  if (report.order && !isFrozen) showOrder(report.order);
  restoreFocus(focus);
  report.numbers?.forEach((numbers, index) => showNumbers(element("schedulers").tBodies[0].rows[index], numbers));
  report.charts?.forEach((chart, index) => showChart(element("schedulers").tBodies[0].rows[index], chart));
  if (report.position) showPosition(report.position);
  if (report.health) showHealth(report.health);
  countDown();
  showSelection();
}

// After a restart of the server other timers have the same keys, and after another login there is another operator.
function reload() {
  disconnect();
  setStale(true);
  setTimeout(() => location.reload(), 1_000);
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

// Says whether all is well. The links to jobs are as of when the page was loaded.
function showHealth(items) {
  const line = element("health");
  const addresses = new Set(items.map(([, address]) => address));
  const links = new Map();
  for (const link of line.querySelectorAll("a:not([data-job])")) {
    const address = link.getAttribute("href");
    if (addresses.has(address)) links.set(address, link);
    else link.remove();
  }
  let place = line.firstElementChild;
  for (const [text, address] of items) {
    // A link that is in its place isn't moved, and so keeps the focus.
    const link = links.get(address) ?? document.createElement("a");
    link.setAttribute("href", address);
    setText(link, text);
    if (place.nextElementSibling !== link) place.after(link);
    place = link;
  }
  const isWell = !line.querySelector("a");
  line.dataset.good = isWell;
  setText(line.firstElementChild, isWell ? `All is well${line.dataset.scope}.` : `Look at${line.dataset.scope}:`);
}

function showPosition(position) {
  setText(element("position"), position.text);
  matchCount = position.matchCount;
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

function connect() {
  disconnect();
  if (document.hidden) return;
  beginListening();
  events = new EventSource(`timers/events${search({ open: "" })}`);
  events.addEventListener("message", (event) => {
    hear();
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
  noticeSilence();
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
  const rowsOf = (query) => [...query].filter(([name]) => name !== "open").join("&");
  if (rowsOf(before) !== rowsOf(query)) setFrozen(false);
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

// The first event after this has all rows, in their order.
function setFrozen(frozen) {
  isFrozen = frozen;
  freeze.setAttribute("aria-pressed", String(frozen));
}

const freeze = element("freeze");
freeze.hidden = false;
freeze.addEventListener("click", () => {
  setFrozen(!isFrozen);
  if (!isFrozen) connect();
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
    showDates(content);
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
form.addEventListener("change", (event) => {
  const changed = event.target === wholePage ? boxes() : boxes().filter((box) => box === event.target);
  for (const box of changed) select(box, event.target.checked);
  showSelection();
});
document.querySelector("#selected button").addEventListener("click", clearSelection);

function select(box, isSelected) {
  box.checked = isSelected;
  if (isSelected) selected.set(box.value, box.closest("tr").querySelector("bdi").textContent);
  else selected.delete(box.value);
}

// Dialogs

const help = element("help");
help.hidden = false;
help.addEventListener("click", () => element("keys").showModal());

// Actions

const outcomes = { pause: "was paused", resume: "was resumed", fire: "has fired", cancel: "was cancelled" };

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { action, bulk } = event.submitter?.dataset ?? {};
  if (action) actOnOne(action, event.submitter);
  else if (bulk) actOnMany(bulk);
});

async function actOnOne(action, button) {
  const name = button.closest("tr").querySelector("bdi").textContent;
  const address = button.getAttribute("formaction");
  const what = `${titled(action)} ${name}`;
  if (action === "cancel" && !(await ask(`${what} for good?`, "Yes, cancel"))) return;
  say(`${what} …`, true);
  const response = await post(address, [], what);
  if (response) say(response.ok ? `${name} ${outcomes[action]}.` : await response.text(), response.ok);
}

function actOnMany(action) {
  const isAll = element("all").checked;
  const keys = [...selected.keys()];
  return doToMany({
    noun: "timer", verb: titled(action), isAll, count: isAll ? matchCount : keys.length,
    address: `timers/selected/${action}${search({ open: "" })}`, items: keys.map((key) => ["timer[]", key]), fields: [],
    isSure: !isAll && action !== "cancel", ending: action === "cancel" ? " for good" : "",
    isHeldBack: action === "cancel", hasUndo: true,
    changeAddress: (number, change) => `timers/selected/work/${number}/${change}`, end: clearSelection,
  });
}

// Keys

// Does what a key is for. Returns whether it is for something.
function pressed(key, target) {
  const rows = [...body.querySelectorAll("tr[data-key]")];
  const index = rows.indexOf(target.closest?.("tr[data-key]"));
  if (key === "/") {
    queryForm.elements.q.select();
    queryForm.elements.q.focus();
  } else if (key === "?") {
    element("keys").showModal();
  } else if (key === "ArrowDown" || key === "ArrowUp") {
    const next = key === "ArrowDown" ? index + 1 : (index < 0 ? rows.length : index) - 1;
    rows[next]?.querySelector("th a").focus();
  } else if (key === " " && index >= 0 && !target.matches("button, input")) {
    const box = rows[index].querySelector("input");
    select(box, !box.checked);
    showSelection();
  } else if (key === "Escape" && query.get("open")) {
    go({ open: "", page: query.get("page") ?? "" });
  } else {
    return false;
  }
  return true;
}

onKey(pressed);
for (const box of boxes()) select(box, box.checked);
// What was being done to many timers when the page was loaded.
setTimeout(() => element("works")?.remove(), undoLimit);
showSelection();
connect();
