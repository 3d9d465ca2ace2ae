// Keeps the view of the jobs, or the page of a job, as the server has it: asks once a second, and puts in what has
// changed. Sends acts, filters and orders without leaving the page. The markup is the server's, which escapes what is
// in it, and the security policy allows no script there. The scripts time.js, ask.js and work.js come before.
"use strict";

const main = element("cluster");

// Putting in what has changed

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? (node.dataset.key ?? node.id) || "" : "");
const isLike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

// Makes a node like another one. What an operator has typed, chosen, opened or selected stays.
function update(node, fresh) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.nodeValue !== fresh.nodeValue) node.nodeValue = fresh.nodeValue;
    return;
  }
  if ("kept" in node.dataset || node.isEqualNode(fresh)) return;
  for (const { name } of [...node.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open" && name !== "hidden") node.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "hidden" && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  const known = new Map([...node.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let place = node.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = keyOf(child);
    const own = key ? known.get(key) : place && isLike(place, child) ? place : null;
    if (!own || !isLike(own, child)) {
      const added = node.insertBefore(child, place);
      for (const box of added.querySelectorAll?.('[name="name[]"]') ?? []) box.checked = selected.has(box.value);
      continue;
    }
    // What is in its place isn't moved, and so keeps the focus.
    if (own === place) place = place.nextSibling;
    else node.insertBefore(own, place);
    update(own, child);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

// Where the focus is, so that it can return there after rows were moved or buttons have gone.
function heldFocus() {
  const { activeElement } = document;
  const row = activeElement?.closest?.("#jobs tbody tr");
  return { activeElement, row, place: row?.rowIndex };
}

function restoreFocus({ activeElement, row, place }) {
  if (document.activeElement === activeElement) return;
  if (activeElement.isConnected) return activeElement.focus({ preventScroll: true });
  const rows = element("jobs")?.rows;
  if (!rows || !row) return;
  const target = row.isConnected ? row : rows[Math.min(place, rows.length - 1)];
  target?.querySelector("th a")?.focus({ preventScroll: true });
}

function show(fresh) {
  const focus = heldFocus();
  for (const id of isFrozen ? ["jobs"] : []) fresh.querySelector(`#${id}`)?.replaceWith(element(id).cloneNode(true));
  showDates(fresh);
  update(main, fresh);
  restoreFocus(focus);
  showAge(1_000 * Number(main.dataset.age));
  prepare();
}

// Live

let asking = null;

async function refresh() {
  asking?.abort();
  const limit = (asking = new AbortController());
  const timeout = setTimeout(() => limit.abort(), actionLimit);
  try {
    const response = await fetch(location.href, { signal: limit.signal });
    if (response.status === 401) return location.reload();
    const text = await response.text();
    if (limit !== asking || limit.signal.aborted) return;
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("cluster");
    // A job may have gone without having left a run.
    if (!response.ok || !fresh) return say(text, false);
    show(fresh);
    hear();
  } catch {
    // The server can't be reached, or there is a newer question. The page says by itself when it is stale.
  } finally {
    clearTimeout(timeout);
    if (limit === asking) asking = null;
  }
}

setInterval(() => {
  noticeSilence();
  if (!document.hidden && !asking && performance.now() - lastAsked > 1_000) look();
}, 100);

let lastAsked = performance.now();

function look() {
  lastAsked = performance.now();
  return refresh();
}

document.addEventListener("visibilitychange", () => {
  beginListening();
  if (!document.hidden) look();
});

// Queries

function go(address, isTyping = false) {
  if (isTyping) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  setFrozen(false);
  return look();
}

let typing = 0;

main.addEventListener("input", (event) => {
  const form = event.target.closest("#query");
  if (!form) return;
  clearTimeout(typing);
  const isTyping = event.target.name === "q";
  typing = setTimeout(() => go(addressOf(form), isTyping), isTyping ? 200 : 0);
});

function addressOf(form) {
  const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  return fields.size > 0 ? `jobs?${fields}` : "jobs";
}

// The fields that the address says, as after Back.
window.addEventListener("popstate", () => {
  const query = new URLSearchParams(location.search);
  for (const name of ["q", "in"]) {
    const field = element("query")?.elements[name];
    if (field) field.value = query.get(name) ?? "";
  }
  look();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0 || !isList()) return;
  const address = link.getAttribute("href");
  if (!main.contains(link) || !/^jobs(\?|$)/.test(address)) return;
  event.preventDefault();
  const filter = new URLSearchParams(address.slice(4)).get("in") ?? "";
  if (element("query")) element("query").elements.in.value = filter;
  go(address);
  if (link.closest("#pages")) element("jobs").scrollIntoView({ block: "nearest" });
});

// Selection

// The names of the jobs that are selected, on this page and on others.
const selected = new Set();
let isFrozen = false;
const boxes = () => [...document.querySelectorAll('#jobs [name="name[]"]')];

main.addEventListener("change", ({ target }) => {
  if (target.id === "whole-page") for (const box of boxes()) select(box, target.checked);
  else if (target.name === "name[]") select(target, target.checked);
  showSelection();
});

function select(box, isSelected) {
  box.checked = isSelected;
  if (isSelected) selected.add(box.value);
  else selected.delete(box.value);
}

function setFrozen(frozen) {
  isFrozen = frozen;
  element("freeze")?.setAttribute("aria-pressed", String(frozen));
}

// Acts

document.addEventListener("submit", (event) => {
  // The question before it wasn't answered yet.
  if (event.defaultPrevented) return;
  const { target: form, submitter } = event;
  if (form.id === "query") {
    event.preventDefault();
    go(addressOf(form));
  } else if (form.id === "bulk") {
    event.preventDefault();
    actOnMany(submitter);
  } else if (form.classList.contains("act")) {
    event.preventDefault();
    act(form, submitter);
  }
});

async function act(form, button) {
  const fields = [...new FormData(form, button)].filter(([name]) => name !== "formToken");
  const name = form.elements.job?.value ?? form.elements.handler?.value;
  const what = name ? `${button.textContent}: ${name}` : button.textContent;
  say(`${what} …`, true);
  const response = await post(form.getAttribute("action"), fields, what);
  if (!response) return;
  say(response.ok ? `${what}: done.` : await response.text(), response.ok);
  if (response.ok && form.elements.reason) form.elements.reason.value = "";
  look();
}

async function actOnMany(button) {
  const action = button.value;
  const isAll = element("all").checked;
  const query = location.search;
  await doToMany({
    noun: "job", verb: button.textContent.split(" ")[0], isAll, count: isAll ? null : selected.size,
    address: `many${query}`, items: [...selected].map((name) => ["name[]", name]), fields: [["action", action]],
    isSure: !isAll && action !== "remove" && action !== "cancel", ending: action === "remove" ? " for good" : "",
    isHeldBack: action === "remove", hasUndo: action === "pause" || action === "resume",
    changeAddress: (number, change) => `work?work=${number}&change=${change}`, end: clearSelection,
  });
  look();
}

// Keys

onKey((key, target) => {
  const rows = [...(element("jobs")?.tBodies[0].rows ?? [])];
  const index = rows.indexOf(target.closest?.("#jobs tbody tr"));
  if (key === "/" && isList()) {
    element("query").elements.q.select();
    element("query").elements.q.focus();
  } else if (key === "?") {
    element("keys").showModal();
  } else if ((key === "ArrowDown" || key === "ArrowUp") && isList()) {
    const next = key === "ArrowDown" ? index + 1 : (index < 0 ? rows.length : index) - 1;
    rows[next]?.querySelector("th a").focus();
  } else if (key === " " && index >= 0 && !target.matches("button, input")) {
    const box = rows[index].querySelector("input");
    select(box, !box.checked);
    showSelection();
  } else if (key === "Escape" && element("back")) {
    element("back").click();
  } else {
    return false;
  }
  return true;
});

// What a browser without this script doesn't have, and what it needs instead of it.
function prepare() {
  for (const id of ["whole-page", "freeze", "help"]) if (element(id)) element(id).hidden = false;
  if (element("show")) element("show").hidden = true;
  showSelection();
}

element("freeze")?.addEventListener("click", () => setFrozen(!isFrozen));
element("help")?.addEventListener("click", () => element("keys").showModal());
document.querySelector("#selected button")?.addEventListener("click", clearSelection);
for (const box of boxes()) select(box, box.checked);
// What was being done to many jobs when the page was loaded.
setTimeout(() => element("works")?.remove(), undoLimit);
prepare();
hear();
