// Shows each date in the reader's time zone, with Universal Time beside it. Without this script Universal Time stays.
"use strict";

function formats(timeZone) {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone };
  return {
    day: new Intl.DateTimeFormat([], { weekday: "short", day: "numeric", month: "short", timeZone }),
    minute: new Intl.DateTimeFormat([], time),
    second: new Intl.DateTimeFormat([], { ...time, second: "2-digit" }),
  };
}

const local = formats();
const universal = formats("UTC");

// A date of today has no day.
function dateText(date) {
  const [day, universalDay] = [local.day.format(date), universal.day.format(date)];
  const [time, universalTime] = [local.second.format(date), universal.second.format(date)];
  const start = day === local.day.format(new Date()) ? "" : `${day}, `;
  if (day === universalDay && time === universalTime) return `${start}${time} UTC`;
  return `${start}${time} (${day === universalDay ? "" : `${universalDay}, `}${universalTime} UTC)`;
}

// A time of an axis, which has no room for more.
function axisText(date) {
  const [minute, universalMinute] = [local.minute.format(date), universal.minute.format(date)];
  return minute === universalMinute ? minute : `${minute}\n${universalMinute} UTC`;
}

function showDate(time, date) {
  time.dateTime = date ?? "";
  const shown = new Date(date);
  const text = !date ? "" : "axis" in time.dataset ? axisText(shown) : dateText(shown);
  if (time.textContent !== text) time.textContent = text;
}

for (const time of document.querySelectorAll("time[datetime]")) showDate(time, time.getAttribute("datetime"));
