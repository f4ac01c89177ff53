// The list of events. Only the rows in view are in the document.
const list = byId("events");
const rowsBox = list.firstElementChild;
// As in the style sheet.
const rowHeight = () => (list.clientWidth <= 420 ? 70 : list.clientWidth <= 760 ? 50 : 30);
let rowsShown = "";
// The steps that are listed, ascending: all, or those that the search found.
let listed = events.map((event) => event.step);

function showRows() {
  const height = rowHeight();
  rowsBox.style.height = listed.length * height + "px";
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 4);
  const bottom = list.scrollTop + list.clientHeight;
  const last = Math.min(listed.length, Math.ceil(bottom / height) + 4);
  const key = `${listed.length} ${listed[first]} ${last} ${selected} ${height}`;
  if (key === rowsShown) return;
  rowsShown = key;
  rowsBox.textContent = "";
  for (let at = first; at < last; at += 1) rowsBox.appendChild(rowOf(listed[at], at, height));
  if (!listed.length) rowsBox.appendChild(make("p", "empty", "No event matches."));
  list.setAttribute("aria-activedescendant", byId("row-" + selected) ? "row-" + selected : "");
}

function rowOf(step, at, height) {
  const event = events[step];
  const item = make("div", "row");
  item.id = "row-" + step;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", step === selected);
  item.setAttribute("aria-setsize", listed.length);
  item.setAttribute("aria-posinset", at + 1);
  item.style.top = at * height + "px";
  const names = make("span", "names");
  const nameMax = height > 30 ? 22 : 36;
  for (const [kind, name] of [["product", event.product], ["download", event.download],
    ["transaction", event.transaction || event.payment], ["account", event.account]]) {
    if (!name) continue;
    const part = make("span", kind, short(visible(name), nameMax));
    part.title = `${kind} ${visible(name)}`;
    names.appendChild(part);
  }
  const flags = make("span", "flags");
  for (const finding of event.findings.slice(0, 4)) {
    if (finding.step !== step || finding.settled >= 0) continue;
    const flag = make("span", `s${finding.rule.severity}`);
    flag.setAttribute("role", "img");
    flag.setAttribute("aria-label", `${severities[finding.rule.severity]}: ${finding.rule.id}`);
    flag.title = finding.rule.id;
    flags.appendChild(put(flag, make("span", "shape")));
  }
  put(item, make("span", "number", event.position),
    make("span", "time", `${day(event.occurred)} ${clock(event.occurred, 2)}`),
    make("span", "kind", event.type), names, flags);
  item.addEventListener("click", () => select(step));
  return item;
}

function revealRow() {
  const at = countUpTo(listed, selected) - 1;
  if (listed[at] !== selected) return;
  const height = rowHeight();
  const top = at * height;
  if (top < list.scrollTop || top + height > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - (list.clientHeight - height) / 2;
  }
}
list.addEventListener("scroll", showRows, { passive: true });

function showTab(name) {
  for (const other of ["events", "findings"]) {
    const isShown = other === name;
    byId(other).hidden = !isShown;
    byId("tab-" + other).setAttribute("aria-selected", isShown);
    byId("tab-" + other).tabIndex = isShown ? 0 : -1;
  }
  rowsShown = "";
  showRows();
}
for (const name of ["events", "findings"]) {
  byId("tab-" + name).addEventListener("click", () => showTab(name));
  byId("tab-" + name).addEventListener("keydown", (key) => {
    if (key.key !== "ArrowLeft" && key.key !== "ArrowRight") return;
    key.stopPropagation();
    const other = name === "events" ? "findings" : "events";
    showTab(other);
    byId("tab-" + other).focus();
  });
}
