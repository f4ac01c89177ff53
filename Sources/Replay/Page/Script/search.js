// Searching the events: every word must be found, in any field, in any case.
const searchField = byId("search");
let searchTexts = null;

function searchTextOf(event) {
  return [
    event.position, event.id, event.type, event.source, event.environment, event.account,
    event.device, event.session, event.payment, event.product, event.transaction, event.original,
    event.download, event.app, event.data, ...event.findings.map((finding) => finding.rule.id),
  ].join("\n").toLowerCase();
}

function search() {
  const words = searchField.value.toLowerCase().split(/\s+/).filter((word) => word);
  searchTexts ??= events.map(searchTextOf);
  listed = events.map((event) => event.step).filter((step) =>
    words.every((word) => searchTexts[step].includes(word)));
  const all = `${events.length}`;
  byId("tab-events").textContent = words.length
    ? `Events (${listed.length} of ${all})` : `Events (${all})`;
  byId("found").textContent = words.length
    ? `${listed.length} of ${all} events match` : "";
  list.scrollTop = 0;
  rowsShown = "";
  if (byId("events").hidden) showTab("events"); else showRows();
  revealRow();
}

// The next event that was found, or the one before; from the last on to the first.
function nextFound(direction) {
  if (!listed.length) return;
  const at = countUpTo(listed, selected);
  if (direction > 0) select(listed[at] ?? listed[0]);
  else select(listed[listed[at - 1] === selected ? at - 2 : at - 1] ?? listed[listed.length - 1]);
}

searchField.addEventListener("input", search);
searchField.addEventListener("keydown", (key) => {
  if (key.key === "Enter") nextFound(key.shiftKey ? -1 : 1);
  if (key.key === "Escape" && searchField.value) {
    key.preventDefault();
    searchField.value = "";
    search();
    list.focus();
  }
});
