const detail = byId("detail");
const stateBox = byId("state");
const kinds = {
  transaction: "Transactions", payment: "Payments", download: "Downloads",
  entitlement: "Entitlements", installed: "Installed", balance: "Balances",
};
const stateMax = 40;

function showDetail(isFresh) {
  const event = events[selected];
  detail.textContent = "";
  if (!event) {
    detail.appendChild(make("p", "empty", "There are no events."));
    return;
  }
  put(detail,
    make("p", "eyebrow", `Event ${event.position}`),
    make("h2", "", event.type),
    make("p", "when", `${day(event.occurred)}, ${clock(event.occurred, 3)} UTC`),
    lateness(event), event.note ? make("p", "note", event.note + ".") : null);
  for (const finding of event.findings) detail.appendChild(card(finding, event.step, isFresh));
  showChanges(event);
  showEvent(event);
  showState(event);
}

function lateness(event) {
  if (event.time !== event.occurred) {
    return make("p", "note", "The event's clock is more than a day ahead of the ledger's. "
      + "The time at which it was recorded is used instead.");
  }
  const index = rank[event.step];
  const later = data.order.slice(index + 1).find((step) => step < event.step);
  if (later === undefined) return null;
  return make("p", "note", `Recorded late: event ${events[later].position} was recorded first `
    + `but occurred ${span(events[later].time - event.time)} later.`);
}

function concerns(finding) {
  const words = [];
  if (finding.product) words.push(finding.product);
  if (finding.transaction) words.push("transaction " + finding.transaction);
  if (finding.download) words.push("download " + finding.download);
  if (finding.device) words.push("on " + finding.device);
  if (finding.account) words.push("account " + finding.account);
  if (finding.detail) words.push(finding.detail);
  if (finding.environment !== "production") words.push("in " + finding.environment);
  return words.join(", ");
}

function card(finding, step, isFresh) {
  const { rule } = finding;
  const isOver = finding.settled >= 0;
  const box = make("div",
    `card s${rule.severity}${isFresh ? " fresh" : ""}${isOver ? " over" : ""}`);
  const title = make("strong");
  put(title, make("span", "shape"), make("span", "", rule.id),
    make("span", "severity", severities[rule.severity] + (isOver ? ", resolved" : "")));
  put(box, title, make("p", "", rule.meaning), make("p", "", "What to do: " + rule.advice));
  const about = concerns(finding);
  if (about) box.appendChild(make("p", "concerns", about));
  const links = make("p", "links");
  if (finding.broken < 0) {
    links.appendChild(make("span", "", "Still the case at the end."));
  }
  if (finding.settled === step) {
    links.appendChild(make("span", "", "Resolved by this event: it was a false alarm."));
  } else if (finding.settled >= 0) {
    links.appendChild(linkTo(finding.settled, "Resolved later by event"));
  }
  if (finding.step >= 0 && finding.step !== step) {
    links.appendChild(linkTo(finding.step, "Caused by event"));
  }
  if (finding.broken >= 0 && finding.broken !== step && finding.settled !== step) {
    links.appendChild(linkTo(finding.broken, "Detected at event"));
  }
  if (links.firstChild) box.appendChild(links);
  return box;
}

function linkTo(step, words) {
  const link = make("button", "link", `${words} ${events[step].position}`);
  link.addEventListener("click", () => select(step));
  return link;
}

function row(subject, value, before) {
  const item = make("li", before === null ? "" : "changed");
  const name = make("span", "name", subject.name);
  const notes = [];
  if (subject.transaction) {
    notes.push((subject.kind === "download" ? "of " : "of original ") + subject.transaction);
  }
  if (subject.account) notes.push(subject.account);
  if (subject.device) notes.push("on " + subject.device);
  if (subject.environment !== "production") notes.push(subject.environment);
  if (notes.length) name.appendChild(make("small", "", notes.join(", ")));
  const side = make("span", "value", value || "removed");
  if (before) side.prepend(make("span", "before", before), document.createElement("br"));
  const percent = /^(active|paused|waiting|requested) (\d+)%/.exec(value);
  if (percent) {
    const bar = make("span", "bar");
    const inner = make("i");
    inner.style.width = percent[2] + "%";
    side.appendChild(put(bar, inner));
  }
  return put(item, name, side);
}

function showChanges(event) {
  const pairs = data.changes[event.step];
  detail.appendChild(make("h3", "", pairs.length ? "Changes" : "No changes"));
  if (!pairs.length) return;
  const list = make("ul", "state");
  for (let at = 0; at < pairs.length && at < 2 * stateMax; at += 2) {
    const subject = subjects[pairs[at]];
    const before = valueBefore(subject, event.step);
    const item = row(subject, text(pairs[at + 1]), before);
    item.querySelector(".name").prepend(make("small", "", subject.kind));
    list.appendChild(item);
  }
  detail.appendChild(list);
  if (pairs.length > 2 * stateMax) {
    detail.appendChild(make("p", "note", `and ${pairs.length / 2 - stateMax} more`));
  }
}

// Whether a subject is about the customer, device or transaction of an event.
const isAbout = (subject, event) =>
  (subject.account && subject.account === event.account)
  || (event.transaction && [subject.transaction, subject.name].includes(event.transaction))
  || (event.payment && subject.name === event.payment);

let showsAll = false;
function showState(event) {
  let state = [];
  for (const subject of subjects) {
    const value = valueAfter(subject, event.step);
    if (value) state.push({ subject, value });
  }
  stateBox.textContent = "";
  stateBox.appendChild(make("h2", "", "State after this event"));
  const count = state.length;
  const own = state.filter((entry) => isAbout(entry.subject, event));
  const changed = new Set(
    data.changes[event.step].filter((_, at) => at % 2 === 0).map((at) => subjects[at]));
  const narrows = count > stateMax && !showsAll;
  if (narrows) state = own;
  if (!state.length) stateBox.appendChild(make("p", "note", "There is nothing yet."));
  for (const kind of Object.keys(kinds)) {
    const some = state.filter((entry) => entry.subject.kind === kind);
    if (!some.length) continue;
    const group = make("details");
    group.open = true;
    const list = make("ul", "state");
    for (const entry of some.slice(0, 200)) {
      const item = row(entry.subject, entry.value, null);
      if (changed.has(entry.subject)) item.className = "changed";
      list.appendChild(item);
    }
    put(group, make("summary", "", `${kinds[kind]} (${some.length})`), list);
    const left = some.length - 200;
    if (left > 0) group.appendChild(make("p", "note", `and ${left} more`));
    stateBox.appendChild(group);
  }
  if (count <= stateMax) return;
  const more = make("button", "", narrows
    ? `Show everything (${count})` : "Show only what concerns this event");
  more.addEventListener("click", () => { showsAll = !showsAll; showDetail(false); });
  stateBox.appendChild(more);
}

function showEvent(event) {
  detail.appendChild(make("h3", "", "Event data"));
  const list = make("dl");
  const fields = [
    ["id", event.id], ["account", event.account], ["device", event.device],
    ["session", event.session], ["sequence", event.sequence < 0 ? "" : event.sequence],
    ["app", event.app], ["product", event.product], ["payment", event.payment],
    ["transaction", event.transaction], ["original", event.original],
    ["download", event.download], ["source", event.source], ["environment", event.environment],
    ["occurred", `${day(event.occurred)} ${clock(event.occurred, 6)}`],
    ["recorded", event.recorded === event.occurred ? ""
      : `${day(event.recorded)} ${clock(event.recorded, 6)}`],
  ];
  for (const [name, value] of fields) {
    if (value !== "") put(list, make("dt", "", name), make("dd", "", value));
  }
  detail.appendChild(list);
  if (!event.data) return;
  const box = make("pre");
  box.tabIndex = 0;
  box.setAttribute("aria-label", "Data of the event");
  box.textContent = indented(event.data).replace(hidden, (c) => (c === "\n" ? c : visible(c)));
  detail.appendChild(box);
}

// JSON with line feeds, every value as it was written: parsing would change numbers.
function indented(json) {
  let [out, depth, isText] = ["", 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const c = json[at];
    if (isText) {
      out += c;
      if (c === "\\") out += json[at += 1]; else if (c === '"') isText = false;
    } else if (c === '"') {
      [out, isText] = [out + c, true];
    } else if (c === "{" || c === "[") {
      const isEmpty = /^\s*[}\]]/.test(json.slice(at + 1, at + 9));
      depth += 1;
      out += c + (isEmpty ? "" : "\n" + "  ".repeat(depth));
    } else if (c === "}" || c === "]") {
      depth -= 1;
      out += (/[{[]$/.test(out) ? "" : "\n" + "  ".repeat(depth)) + c;
    } else if (c === ",") {
      out += ",\n" + "  ".repeat(depth);
    } else if (c === ":") {
      out += ": ";
    } else if (!/\s/.test(c)) {
      out += c;
    }
  }
  return out;
}
