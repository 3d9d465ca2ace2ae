// Shows each date in the reader's time zone or, once asked for by a button, in Universal Time, which each date's title
// has in any case. Without this script Universal Time stays.
"use strict";

const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
// Where the choice is kept, so that all views have it.
const zoneKey = "timers-universal-time";
let isUniversal = readChoice();

function readChoice() {
  try {
    return localStorage.getItem(zoneKey) === "yes";
  } catch {
    return false;
  }
}

function formats(timeZone) {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone };
  return {
    day: new Intl.DateTimeFormat([], { weekday: "short", day: "numeric", month: "short", timeZone }),
    minute: new Intl.DateTimeFormat([], time),
    second: new Intl.DateTimeFormat([], { ...time, second: "2-digit" }),
  };
}

const zones = [formats(), formats("UTC")];

// A date of today has no day.
function dateText(date) {
  const { day, second } = zones[Number(isUniversal)];
  const today = day.format(date) === day.format(new Date());
  return `${today ? "" : `${day.format(date)}, `}${second.format(date)}`;
}

function showDate(time, date) {
  time.dateTime = date ?? "";
  const shown = new Date(date);
  const isAxis = "axis" in time.dataset;
  const text = !date ? "" : isAxis ? zones[Number(isUniversal)].minute.format(shown) : dateText(shown);
  if (time.textContent !== text) time.textContent = text;
  if (date) time.title = date;
}

// Shows all dates of a document or of a part of one. Choices have their dates apart.
function showDates(root) {
  for (const time of root.querySelectorAll("time[datetime]")) showDate(time, time.getAttribute("datetime"));
  for (const option of root.querySelectorAll("option[data-time]")) {
    option.textContent = dateText(new Date(option.dataset.time));
  }
}

function showZone() {
  const button = document.getElementById("zone");
  button.hidden = localZone === "UTC";
  button.textContent = `Times in ${isUniversal ? "UTC" : localZone}`;
}

document.getElementById("zone").addEventListener("click", () => {
  isUniversal = !isUniversal;
  try {
    localStorage.setItem(zoneKey, isUniversal ? "yes" : "no");
  } catch {
    // The choice holds for this page alone.
  }
  showZone();
  showDates(document);
});

showZone();
showDates(document);
