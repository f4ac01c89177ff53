const occurrencesMax = 50;

function showFindings() {
  const groups = new Map();
  for (const finding of standing) {
    if (!groups.has(finding.rule)) groups.set(finding.rule, []);
    groups.get(finding.rule).push(finding);
  }
  const box = byId("findings");
  const sorted = [...groups].sort((a, b) =>
    b[0].severity - a[0].severity || (a[0].id < b[0].id ? -1 : 1));
  if (!sorted.length) box.appendChild(make("p", "empty", "There are no findings."));
  for (const [rule, some] of sorted) {
    const group = make("details", `s${rule.severity}`);
    const title = make("summary");
    put(title, make("span", "shape"), make("b", "", rule.id),
      make("span", "", `${severities[rule.severity]}, ${some.length}`));
    put(group, title);
    group.addEventListener("toggle", () => {
      if (group.childElementCount > 1) return;
      put(group, make("p", "", rule.meaning), make("p", "", "What to do: " + rule.advice));
      const list = make("ul");
      group.appendChild(list);
      listMore(group, list, some, 0);
    });
    if (sorted.length <= 3) group.open = true;
    box.appendChild(group);
  }
}

function listMore(group, list, some, from) {
  for (const finding of some.slice(from, from + occurrencesMax)) {
    const item = make("li");
    const step = finding.step >= 0 ? finding.step : finding.broken;
    if (step >= 0) {
      const link = make("button", "link", `Event ${events[step].position}`);
      link.addEventListener("click", () => select(step));
      item.appendChild(link);
    } else {
      item.appendChild(make("span", "", `Event ${finding.position}, which is not shown`));
    }
    const end = finding.broken < 0 ? "still the case at the end; " : "";
    const about = make("span", "", "  " + end + concerns(finding));
    list.appendChild(put(item, about));
  }
  const next = from + occurrencesMax;
  if (some.length <= next) return;
  const more = make("button", "", `Show more (${some.length - next} left)`);
  more.addEventListener("click", () => {
    more.remove();
    listMore(group, list, some, next);
  });
  group.appendChild(more);
}

function showHeading() {
  const few = `${events.length} ${events.length === 1 ? "event" : "events"}`;
  const first = events[data.order[0]];
  const last = events[data.order[events.length - 1]];
  byId("facts").textContent = !events.length ? "No events" : day(first.time) === day(last.time)
    ? `${few}, ${day(first.time)}, ${clock(first.time, 0)} to ${clock(last.time, 0)} UTC`
    : `${few}, ${day(first.time)} to ${day(last.time)}, ${span(last.time - first.time)}`;
  canvas.setAttribute("aria-label", `${few} on ${lanes.length} lanes. The list of events and `
    + "the details of the selected event say the same in words.");
  const group = byId("severities");
  for (let severity = 3; severity >= 0; severity -= 1) {
    const some = standing.filter((f) => f.rule.severity === severity);
    if (!some.length) continue;
    const chip = make("button", `chip s${severity}`);
    const name = severities[severity];
    put(chip, make("span", "shape"), make("span", "", `${some.length} ${name}`));
    chip.title = `Next finding of severity ${name}`;
    chip.addEventListener("click", () => {
      const steps = some.map((f) => f.step).filter((s) => s >= 0).sort((a, b) => a - b);
      if (steps.length) select(steps.find((s) => s > selected) ?? steps[0]);
    });
    group.appendChild(chip);
  }
  if (!standing.length) group.appendChild(make("span", "note", "No findings"));
  byId("tab-findings").textContent = `Findings (${standing.length})`;
  byId("tab-events").textContent = `Events (${events.length})`;
}
