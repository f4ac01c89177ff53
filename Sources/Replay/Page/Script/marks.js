// Findings in view, as buttons: those too close together are one.
const marks = byId("marks");
let marksShown = "";
function showMarks(from, to) {
  const groups = [];
  for (const step of markSteps(from, to)) {
    const x = xOf(step) - view.left;
    if (x < view.gutter - 4 || x > view.width + 4) continue;
    const group = groups[groups.length - 1];
    if (group && x - group.x < 20) group.steps.push(step);
    else groups.push({ x, steps: [step] });
  }
  const key = selected + groups.map((g) => ` ${Math.round(g.x)}:${g.steps.join()}`).join("");
  if (key === marksShown) return;
  marksShown = key;
  const focused = document.activeElement && document.activeElement.dataset.steps;
  marks.textContent = "";
  for (const group of groups) {
    const mark = markOf(group);
    marks.appendChild(mark);
    if (focused && mark.dataset.steps === focused) mark.focus({ preventScroll: true });
  }
}
const markIndices = stepsWithFindings.map((step) => rank[step]).sort((a, b) => a - b);
function markSteps(from, to) {
  const found = [];
  for (let at = countUpTo(markIndices, from - 1); at < markIndices.length; at += 1) {
    if (markIndices[at] > to) break;
    found.push(data.order[markIndices[at]]);
  }
  return found;
}
function markOf(group) {
  const own = group.steps.flatMap((step) =>
    events[step].findings.filter((f) => f.step === step && f.settled < 0));
  const worst = Math.max(...own.map((f) => f.rule.severity));
  const mark = make("button", `mark s${worst}`);
  mark.style.left = group.x + "px";
  mark.style.top = "39px";
  mark.dataset.steps = group.steps.join();
  const names = [...new Set(own.map((f) => `${severities[f.rule.severity]}: ${f.rule.id}`))];
  const meaning = own.length === 1 ? ". " + own[0].rule.meaning : "";
  mark.title = names.slice(0, 6).join("\n") + (names.length > 6 ? "\n…" : "") + meaning;
  mark.setAttribute("aria-label", `${names.join(", ")} at event `
    + events[group.steps[0]].position + meaning);
  mark.setAttribute("aria-pressed", group.steps.includes(selected));
  put(mark, own.length > 1 ? make("span", "many", own.length) : make("span", "shape"));
  mark.addEventListener("click", () => {
    const at = group.steps.indexOf(selected);
    select(group.steps[(at + 1) % group.steps.length]);
  });
  mark.addEventListener("focus", () => {
    if (group.steps.includes(selected) || !mark.matches(":focus-visible")) return;
    select(group.steps[0]);
  });
  return mark;
}

// Zooms around a point in the whole drawing, or around the selected event, which stays where it is
// on the screen. If it is out of view, it comes to the middle.
function zoomTo(zoom, around) {
  const middle = (view.width + view.gutter) / 2;
  const anchor = around ?? (selected >= 0 ? xOf(selected) : view.left + middle);
  const offset = (anchor - view.gutter - view.margin) / view.zoom;
  const isInView = anchor >= view.left + view.gutter && anchor <= view.left + view.width;
  const onScreen = isInView ? anchor - view.left : middle;
  view.zoom = Math.min(zoomMax, Math.max(Math.min(fitZoom(), 1), zoom));
  layOut();
  viewport.scrollLeft = view.gutter + view.margin + offset * view.zoom - onScreen;
  repaint();
}

function reveal(step) {
  const x = xOf(step);
  const [left, room] = [viewport.scrollLeft, view.width];
  if (x < left + view.gutter + 30 || x > left + room - 60) {
    viewport.scrollLeft = x - view.gutter - (room - view.gutter) * 0.4;
  }
  const top = events[step].lane * view.lane;
  const seen = view.height - view.head;
  if (top < viewport.scrollTop || top + view.lane > viewport.scrollTop + seen) {
    viewport.scrollTop = top - seen * 0.4;
  }
}

canvas.addEventListener("click", (click) => {
  const box = canvas.getBoundingClientRect();
  const x = click.clientX - box.left + view.left;
  const at = Math.floor((click.clientY - box.top + view.top - view.head) / view.lane);
  const near = lanes[at] && nearest(lanes[at].events, x, 14);
  const step = near ?? nearest(data.order.map((_, index) => index), x, Infinity);
  if (step !== undefined) select(step);
});
function nearest(list, x, within) {
  const offset = (x - view.gutter - view.margin) / view.zoom;
  let best;
  let distance = within / view.zoom;
  const at = countUpTo(list, indexAt(x));
  for (const index of list.slice(Math.max(0, at - 3), at + 3)) {
    const away = Math.abs(offsets[index] - offset);
    if (away <= distance) [best, distance] = [data.order[index], away];
  }
  return best;
}
function scrollByOverview(pointer) {
  const box = overview.getBoundingClientRect();
  const part = (pointer.clientX - box.left - 4) / (box.width - 8);
  viewport.scrollLeft = part * wholeWidth * view.zoom - (view.width - view.gutter) / 2;
}
overview.addEventListener("pointerdown", (pointer) => {
  overview.setPointerCapture(pointer.pointerId);
  scrollByOverview(pointer);
});
overview.addEventListener("pointermove", (pointer) => {
  if (pointer.buttons) scrollByOverview(pointer);
});
viewport.addEventListener("scroll", repaint, { passive: true });
viewport.addEventListener("wheel", (wheel) => {
  if (!wheel.ctrlKey && !wheel.metaKey) return;
  wheel.preventDefault();
  const x = wheel.clientX - viewport.getBoundingClientRect().left + view.left;
  zoomTo(view.zoom * Math.exp(-wheel.deltaY / 200), x);
}, { passive: false });
byId("smaller").addEventListener("click", () => zoomTo(view.zoom / 1.5));
byId("larger").addEventListener("click", () => zoomTo(view.zoom * 1.5));
byId("fit").addEventListener("click", () => zoomTo(fitZoom()));
