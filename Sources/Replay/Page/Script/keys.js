function select(step, options) {
  if (step < 0 || step >= events.length) return;
  const isFresh = step !== selected;
  selected = step;
  showDetail(isFresh && options === undefined);
  if (isFresh) detail.scrollTop = 0;
  reveal(step);
  revealRow();
  showRows();
  byId("counter").textContent = `${step + 1} of ${events.length}`;
  byId("back").disabled = byId("first").disabled = step === 0;
  byId("forward").disabled = byId("last").disabled = step === events.length - 1;
  byId("next").disabled = !stepsWithFindings.length;
  const found = events[step].findings.filter((f) => f.step === step && f.settled < 0);
  byId("said").textContent = `Event ${events[step].position}, ${visible(events[step].type)}`
    + found.map((f) => `, ${severities[f.rule.severity]}: ${f.rule.id}`).join("");
  const link = "#step=" + events[step].position;
  if (location.hash !== link && !(options && options.keepsLink)) {
    try {
      history.replaceState(null, "", link);
    } catch {
      // Some hosts forbid it. The page then works without a link to its step.
    }
  }
  repaint();
}

// The next finding, or the one before; from the last on to the first.
function nextFinding(direction) {
  const list = stepsWithFindings;
  if (!list.length) return;
  if (direction > 0) select(list.find((s) => s > selected) ?? list[0]);
  else select([...list].reverse().find((s) => s < selected) ?? list[list.length - 1]);
}

const page = 10;
const actions = {
  ArrowRight: () => select(Math.min(selected + 1, events.length - 1)),
  ArrowDown: () => select(Math.min(selected + 1, events.length - 1)),
  ArrowLeft: () => select(Math.max(selected - 1, 0)),
  ArrowUp: () => select(Math.max(selected - 1, 0)),
  PageDown: () => select(Math.min(selected + page, events.length - 1)),
  PageUp: () => select(Math.max(selected - page, 0)),
  Home: () => select(0),
  End: () => select(events.length - 1),
  f: () => nextFinding(1),
  F: () => nextFinding(-1),
  "+": () => zoomTo(view.zoom * 1.5),
  "-": () => zoomTo(view.zoom / 1.5),
  0: () => zoomTo(fitZoom()),
  "/": () => byId("search").focus(),
};
document.addEventListener("keydown", (key) => {
  if (key.ctrlKey || key.metaKey || key.altKey || !actions[key.key]) return;
  if (key.target.id === "search") return;
  // In the details these keys scroll.
  const scrolls = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];
  if (scrolls.includes(key.key) && document.activeElement
    && document.activeElement.closest("#detail, #findings")) return;
  key.preventDefault();
  actions[key.key]();
});
byId("first").addEventListener("click", actions.Home);
byId("back").addEventListener("click", actions.ArrowLeft);
byId("forward").addEventListener("click", actions.ArrowRight);
byId("last").addEventListener("click", actions.End);
byId("next").addEventListener("click", () => nextFinding(1));

// The step that the link names by its position, or the one before it if that is not shown.
function stepOfLink() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  if (!found) return -1;
  const position = Number(found[1]);
  const exact = events.findIndex((event) => event.position === position);
  if (exact >= 0) return exact;
  return Math.max(0, countUpTo(events.map((event) => event.position), position) - 1);
}

function begin() {
  document.documentElement.classList.add("scripted");
  readColours();
  showHeading();
  showFindings();
  showTab("events");
  showLegend();
  // The legend is open where there is room for it beside all lanes.
  byId("legend").open = window.innerWidth > 900;
  layOut();
  if (view.head + lanes.length * view.lane > view.height) byId("legend").open = false;
  layOut();
  view.zoom = fitZoom() >= 0.6 ? fitZoom() : 1;
  layOut();
  const worst = [...standing].filter((f) => f.step >= 0)
    .sort((a, b) => b.rule.severity - a.rule.severity || a.step - b.step)[0];
  const linked = stepOfLink();
  if (events.length) {
    select(linked >= 0 ? linked : worst ? worst.step : 0, { keepsLink: linked < 0 });
  } else {
    showDetail(false);
    for (const id of ["first", "back", "forward", "last", "next", "search"]) {
      byId(id).disabled = true;
    }
  }
  repaint();
}
window.addEventListener("hashchange", () => {
  const step = stepOfLink();
  if (step >= 0 && step !== selected) select(step);
});
window.addEventListener("resize", () => {
  layOut();
  rowsShown = "";
  showRows();
  repaint();
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readColours();
  showLegend();
  repaint();
});
begin();
