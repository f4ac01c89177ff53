// Only the rows in view are in the document.
const list = byId("events");
const rowsBox = list.firstElementChild;
const rowHeight = () => (list.clientWidth <= 560 ? 48 : 30);
let rowsShown = "";

function showRows() {
  const height = rowHeight();
  rowsBox.style.height = events.length * height + "px";
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 4);
  const bottom = list.scrollTop + list.clientHeight;
  const last = Math.min(events.length, Math.ceil(bottom / height) + 4);
  const key = `${first} ${last} ${selected} ${height}`;
  if (key === rowsShown) return;
  rowsShown = key;
  rowsBox.textContent = "";
  for (let step = first; step < last; step += 1) rowsBox.appendChild(rowOf(step, height));
  list.setAttribute("aria-activedescendant", selected >= 0 ? "row-" + selected : "");
}

function rowOf(step, height) {
  const event = events[step];
  const item = make("div", "row");
  item.id = "row-" + step;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", step === selected);
  item.setAttribute("aria-setsize", events.length);
  item.setAttribute("aria-posinset", step + 1);
  item.style.top = step * height + "px";
  const transaction = event.transaction || event.payment;
  const names = [event.product, transaction, event.download, event.account]
    .filter((name) => name).join("  ");
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
    make("span", "kind", event.type), make("span", "names", names), flags);
  item.addEventListener("click", () => select(step));
  return item;
}

function revealRow() {
  const height = rowHeight();
  const top = selected * height;
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
