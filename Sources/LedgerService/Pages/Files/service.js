// What the pages do beyond what they show without scripts: live events, and the sliders of a
// comparison. Everything else is links and forms.
"use strict";

// The search has the first look, and the key / leads to it from everywhere.
const first = document.querySelector("[data-first]");
if (first && !location.hash) first.focus();
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const field = document.getElementById("q") || document.getElementById("search");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// --- Live events ---------------------------------------------------------------------------------

// How many rows are kept: a page that is left open for a day stays quick.
const rowsMax = 500;

function follow(live) {
  const body = live.querySelector("#live-events tbody");
  const state = document.getElementById("live-state");
  const pause = document.getElementById("live-pause");
  let waiting = [];
  let count = 0;
  let isPaused = false;

  const say = (text) => { state.textContent = text; };
  const counted = (number) => `${number} new event${number === 1 ? "" : "s"}`;

  // The service has escaped the row: it is the same as in a page that is loaded.
  function add(row) {
    const template = document.createElement("template");
    template.innerHTML = row;
    const one = template.content.firstElementChild;
    if (!one) return;
    one.classList.add("fresh");
    body.prepend(one);
    while (body.rows.length > rowsMax) body.rows[body.rows.length - 1].remove();
    count += 1;
  }

  const source = new EventSource(live.dataset.stream);
  source.addEventListener("open", () => say("Live: new events appear here."));
  source.addEventListener("message", (event) => {
    if (isPaused) {
      waiting.push(event.data);
      if (waiting.length > rowsMax) waiting.shift();
      pause.textContent = `Go on (${waiting.length})`;
      return;
    }
    add(event.data);
    say(`Live: ${counted(count)}.`);
  });
  source.addEventListener("error", () => {
    const isOver = source.readyState === EventSource.CLOSED;
    say(isOver ? "The stream has ended: refresh." : "The connection is lost; trying again.");
  });
  pause.hidden = false;
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    if (isPaused) return;
    for (const row of waiting) add(row);
    waiting = [];
    say(`Live: ${counted(count)}.`);
  });
  window.addEventListener("pagehide", () => source.close());
}

const live = document.querySelector("[data-stream]");
if (live) follow(live);

// --- The sliders of a comparison -----------------------------------------------------------------

function slider(label, max) {
  const box = document.createElement("p");
  box.className = "slider";
  const name = document.createElement("label");
  const range = document.createElement("input");
  const said = document.createElement("output");
  range.type = "range";
  range.min = "0";
  range.max = String(max);
  range.id = `slide-${document.querySelectorAll(".slider").length}`;
  name.htmlFor = range.id;
  said.htmlFor = range.id;
  name.textContent = label;
  box.append(name, range, said);
  return { box, range, tell(text) {
    said.textContent = text;
    range.setAttribute("aria-valuetext", text);
  } };
}

const utc = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 19);
const readable = (milliseconds) => `${utc(milliseconds).replace("T", " ")} UTC`;

function marksOf(list) {
  return [...list.options].map((one) => ({
    position: Number(one.value), time: Date.parse(one.dataset.time), text: one.label,
  }));
}

// Ledger time goes from event to event of the customer.
function slideLedger(moment, field, marks, changed) {
  const { box, range, tell } = slider("Ledger time, event by event", marks.length);
  const index = () => marks.filter((one) => one.position <= Number(field.value)).length;
  const show = () => {
    const mark = marks[Number(range.value) - 1];
    tell(mark ? `Event ${mark.position}, ${readable(mark.time)}: ${mark.text}`
      : "Before the first event");
  };
  range.value = String(index());
  show();
  range.addEventListener("input", () => {
    const mark = marks[Number(range.value) - 1];
    field.value = String(mark ? mark.position : Number(moment.dataset.first));
    show();
  });
  range.addEventListener("change", changed);
  field.addEventListener("change", () => {
    range.value = String(index());
    show();
  });
  field.closest(".field").after(box);
}

// Store time goes from the first event to the present in steps that a slider can show.
function slideStore(field, marks, changed) {
  const times = marks.map((one) => one.time);
  const begin = Math.floor(Math.min(...times) / 1000) * 1000;
  const end = Math.max(Date.now(), ...times);
  const step = Math.max(60e3, Math.ceil((end - begin) / 500 / 60e3) * 60e3);
  const last = Math.ceil((end - begin) / step) + 1;
  const { box, range, tell } = slider("Store time", last);
  const none = "The time of the position";
  const place = () => {
    const time = Date.parse(`${field.value}Z`);
    range.value = String(field.value ? Math.round((time - begin) / step) : last);
    tell(field.value ? readable(time) : none);
  };
  place();
  range.addEventListener("input", () => {
    const at = Number(range.value);
    field.value = at === last ? "" : utc(begin + at * step);
    tell(at === last ? none : readable(begin + at * step));
  });
  range.addEventListener("change", changed);
  field.addEventListener("change", place);
  field.closest(".field").after(box);
}

// The difference is asked for again, and takes the place of the one that is shown.
let asked = 0;
async function compareAgain(form) {
  const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
  asked += 1;
  const own = asked;
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (own !== asked) return;
  if (!answer.ok || answer.redirected) {
    location.assign(address);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["difference", "sides"]) {
    const fresh = page.getElementById(id);
    const shown = document.getElementById(id);
    if (fresh && shown) shown.replaceWith(fresh);
    else if (fresh) document.getElementById("content").append(fresh);
    else if (shown) shown.remove();
  }
  history.replaceState(null, "", address);
}

const marks = document.getElementById("marks");
if (marks && marks.options.length > 0) {
  const all = marksOf(marks);
  const form = document.querySelector("form.compare");
  const changed = () => { compareAgain(form).catch(() => form.requestSubmit()); };
  for (const moment of form.querySelectorAll(".moment")) {
    const [position, time] = moment.querySelectorAll("input");
    slideLedger(moment, position, all, changed);
    slideStore(time, all, changed);
  }
}
