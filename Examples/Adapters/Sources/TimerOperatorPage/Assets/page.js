// Fills the rows with what the server's events say, counts down between them, and sends actions without leaving the
// page. Whatever comes from the server is set as text or as an attribute, never as markup.
"use strict";

const form = document.querySelector("form");
const status = document.getElementById("status");
const body = document.getElementById("rows");
const template = document.getElementById("row").content.firstElementChild;
const totals = document.querySelectorAll("#totals dd");
const remainder = document.getElementById("remainder");

// What is known of each timer, by its identifier, besides what its row shows.
const timers = new Map();
const chartLength = 60;

// Rows

function cell(row, name) {
  return row.querySelector(`[data-cell="${name}"]`);
}

function button(row, action) {
  return row.querySelector(`[data-action="${action}"]`);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function makeTimer(data) {
  // The page comes with rows, for those who have no scripts.
  const row = body.querySelector(`[data-id="${data.id}"]`) ?? template.cloneNode(true);
  row.dataset.id = data.id;
  setText(cell(row, "name").firstElementChild, data.name);
  cell(row, "name").title = data.name;
  for (const button of row.querySelectorAll("button")) {
    button.setAttribute("formaction", `/timers/${data.id}/${button.dataset.action}`);
    button.setAttribute("aria-label", `${button.textContent} ${data.name}`);
  }
  return { row, latenesses: [], tickCount: null };
}

function update(timer, data, age) {
  const { row } = timer;
  const isPaused = data.state === "paused";
  row.dataset.state = data.state;
  setText(cell(row, "state").firstElementChild, data.state);
  for (const [name, text] of Object.entries(data.texts)) setText(cell(row, name), text);
  cell(row, "failures").dataset.any = data.texts.failures !== "0";
  button(row, "pause").disabled = isPaused;
  button(row, "fire").disabled = isPaused;
  button(row, "resume").disabled = !isPaused;

  timer.isPaused = isPaused;
  timer.remaining = data.remaining;
  timer.due = performance.now() + ((data.remaining ?? 0) - age) * 1000;
  const time = row.querySelector("time");
  time.dateTime = data.nextDate ?? "";
  setText(time, data.nextDate ? new Date(data.nextDate).toLocaleTimeString([], { hourCycle: "h23" }) : "");

  if (data.lateness != null && data.tickCount !== timer.tickCount) {
    timer.latenesses.push(data.lateness);
    if (timer.latenesses.length > chartLength) timer.latenesses.shift();
    drawChart(timer);
  }
  timer.tickCount = data.tickCount;
}

function show(report) {
  totals.forEach((element, index) => setText(element, report.totals[index]));
  setText(remainder, report.remainder);

  const ids = new Set(report.rows.map((data) => data.id));
  for (const row of [...body.children]) {
    if (ids.has(row.dataset.id)) continue;
    row.remove();
    timers.delete(row.dataset.id);
  }
  report.rows.forEach((data, index) => {
    if (!timers.has(data.id)) timers.set(data.id, makeTimer(data));
    const timer = timers.get(data.id);
    update(timer, data, report.age);
    // A row that is in its place isn't moved, and so keeps the focus.
    if (body.children[index] !== timer.row) body.insertBefore(timer.row, body.children[index] ?? null);
  });
  countDown();
}

// Charts

// A bar for each lateness that was seen, the newest at the right. The scale is logarithmic, from 10 µs to 10 s, so that
// charts can be compared and one late tick doesn't flatten the others.
function drawChart({ row, latenesses }) {
  const bars = latenesses.map((lateness, index) => {
    const x = 119 - 2 * (latenesses.length - 1 - index);
    const share = Math.log10(Math.max(lateness, 1e-5) / 1e-5) / 6;
    return `M${x} 24v-${(1 + 23 * Math.min(share, 1)).toFixed(1)}`;
  });
  row.querySelector("path").setAttribute("d", bars.join(""));
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
  const now = performance.now();
  for (const timer of timers.values()) {
    let text = "–";
    if (timer.remaining != null) {
      text = timer.isPaused ? `${format(timer.remaining)} left` : format((timer.due - now) / 1000);
    }
    setText(cell(timer.row, "next").firstElementChild, text);
  }
}

// Actions

const outcomes = { pause: "was paused", resume: "was resumed", fire: "has fired", cancel: "was cancelled" };

function say(text, isGood) {
  setText(status, text.trim());
  status.dataset.good = isGood;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const action = event.submitter?.dataset.action;
  if (!action) return;
  const name = event.submitter.closest("tr").querySelector("bdi").textContent;
  if (action === "cancel" && !confirm(`Cancel ${name} for good?`)) return;
  try {
    const response = await fetch(event.submitter.formAction, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    });
    say(response.ok ? `${name} ${outcomes[action]}.` : await response.text(), response.ok);
  } catch {
    say("The server can't be reached.", false);
  }
});

// Events

const events = new EventSource("/timers/events");
events.addEventListener("message", (event) => show(JSON.parse(event.data)));
events.addEventListener("open", () => document.body.classList.remove("stale"));
events.addEventListener("error", () => {
  document.body.classList.add("stale");
  if (events.readyState === EventSource.CLOSED) say("This page isn't live. Load it again.", false);
});
setInterval(countDown, 100);
