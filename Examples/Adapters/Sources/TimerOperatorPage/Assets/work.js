// What the pages of timers and of jobs share: they say whether they are live and what has come of an act, send acts,
// and tell how work on many goes on. The scripts time.js and ask.js come before.
"use strict";

const element = (id) => document.getElementById(id);

function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

// Live

// How long without news until the page says that it is stale, how old rows may be until it says so, and how long an
// act may take.
const staleAfter = 3_000;
const oldAfter = 15_000;
const actionLimit = 10_000;
// How long work on many can be undone.
const undoLimit = 10_000;

let lastEvent = performance.now();
let isStale = false;

function clockText(time) {
  return time.toLocaleTimeString([], { hourCycle: "h23" });
}

function setStale(stale) {
  if (stale === isStale && element("live").textContent) return;
  isStale = stale;
  document.body.classList.toggle("stale", stale);
  setText(element("live"), stale ? `Stale: no news from the server since ${clockText(new Date())}.` : "Live");
}

function beginListening() {
  lastEvent = performance.now();
}

// Notes that there is news.
function hear() {
  beginListening();
  setStale(false);
}

function noticeSilence() {
  if (!document.hidden && performance.now() - lastEvent > staleAfter) setStale(true);
}

// When the server has looked, if that is long ago, as on a busy machine.
let lookTime = 0;

function showAge(age) {
  const time = Date.now() - age;
  const isNew = Math.abs(time - lookTime) > 1_000;
  if (isNew) lookTime = time;
  if (age < oldAfter) setText(element("live"), "Live");
  else if (isNew || element("live").textContent === "Live") {
    setText(element("live"), `Live, as of ${clockText(new Date(time))}`);
  }
}

// Acts

function say(text, isGood) {
  setText(element("status"), text.trim());
  element("status").dataset.good = isGood;
}

const titled = (text) => text.replace(/^./, (letter) => letter.toUpperCase());
const countText = (count, noun) => (count === 1 ? `1 ${noun}` : `${count.toLocaleString("en")} ${noun}s`);

// Sends a form, with the fields given. Returns nothing if there was no answer, and says so.
async function post(address, fields, what) {
  const limit = new AbortController();
  const timeout = setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), actionLimit);
  const formToken = document.querySelector("main [name=formToken]").value;
  try {
    return await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams([["formToken", formToken], ...fields]),
      signal: limit.signal,
    });
  } catch (error) {
    const isLate = error.name === "TimeoutError";
    say(`${what}: ${isLate ? "the server hasn't answered in 10 s." : "the server can't be reached."}`, false);
  } finally {
    clearTimeout(timeout);
  }
}

// Selection: each page has the set or map `selected`, also of what other pages show, and the boxes of its own rows.

// Whether the page has a list of which items can be selected.
const isList = () => element("bulk") !== null;

function clearSelection() {
  selected.clear();
  element("all").checked = false;
  for (const box of boxes()) box.checked = false;
  showSelection();
}

function showSelection() {
  if (!isList()) return;
  const shown = boxes().filter((box) => box.checked).length;
  const wholePage = element("whole-page");
  wholePage.checked = shown > 0 && shown === boxes().length;
  wholePage.indeterminate = shown > 0 && shown < boxes().length;
  element("selected").hidden = selected.size === 0;
  setText(document.querySelector("#selected span"), `${selected.size.toLocaleString("en")} selected`);
  const isAny = selected.size > 0 || element("all").checked;
  for (const button of document.querySelectorAll("[data-bulk]")) button.disabled = !isAny;
}

// Does an act to the items that are selected, or to all that match once the number was answered with yes. A number
// that isn't known is asked for first.
async function doToMany(act) {
  let { count } = act;
  let news = "";
  for (;;) {
    const what = count == null ? `${act.verb} all that match` : `${act.verb} ${countText(count, act.noun)}`;
    if (!act.isSure && count != null) {
      const question = `${news}${what}${act.isAll ? " that match" : ""}${act.ending}?`;
      if (!(await ask(question, `Yes, ${act.verb.toLowerCase()}`))) return;
    }
    say(`${what} …`, true);
    const fields = act.isAll ? [["all", "yes"], ...(count == null ? [] : [["expected", count]])] : act.items;
    const response = await post(act.address, [...act.fields, ...fields], what);
    if (!response) return;
    if (!response.headers.has("X-Match-Count")) {
      if (response.ok) act.end();
      return follow(response, act);
    }
    // Others match now than the question said, or the number wasn't known.
    const isFirst = count == null;
    count = Number(response.headers.get("X-Match-Count"));
    const text = (await response.text()).trim();
    news = isFirst ? "" : `${text} `;
    say(text, count > 0 && isFirst);
    if (count === 0) return;
  }
}

// Says how work on many goes on, and offers to stop it, or to undo it.
async function follow(response, act) {
  const number = response.headers.get("X-Work-Number");
  if (!number) return say(await response.text(), response.ok);
  if (!act.isHeldBack) offer(number, "stop", act);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, count] = ["", 0];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      if (lines.length === 0) continue;
      count += lines.length;
      say(lines.at(-1), true);
      offer(number, act.isHeldBack && count === 1 ? "undo" : "stop", act);
    }
  } catch {
    say("The connection was lost. The server goes on with the work.", false);
  }
  offer(number, act.hasUndo && !act.isHeldBack ? "undo" : "", act);
}

let offerEnd = 0;

function offer(number, change, act) {
  const button = element("change");
  clearTimeout(offerEnd);
  button.hidden = !change;
  setText(button, titled(change));
  button.onclick = async () => {
    const response = await post(act.changeAddress(number, change), [], titled(change));
    // What undoes work can be undone, too, unless it only ends what is held back.
    if (change === "undo" && response) await follow(response, act);
  };
  if (change === "undo") offerEnd = setTimeout(() => (button.hidden = true), undoLimit);
}

// Keys

// Has a function do what a key is for, unless a dialog is open or a field is being filled. It returns whether the key
// is for something.
function onKey(pressed) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target, key } = event;
    const isField = target.matches?.("input:not([type=checkbox]), select");
    if (isField && (key !== "ArrowDown" || target.matches("select"))) return;
    if (pressed(key, target)) event.preventDefault();
  });
}
