// On paper: the part of the timeline in view, the selected event, and tables of findings and
// events.
const printedMax = 1_000;

function printedTable(name, titles, rows) {
  const table = make("table");
  const head = make("tr");
  for (const title of titles) head.appendChild(make("th", "", title));
  const body = make("tbody");
  for (const cells of rows) {
    const item = make("tr");
    for (const cell of cells) item.appendChild(make("td", "", cell));
    body.appendChild(item);
  }
  return put(table, make("caption", "", name), put(make("thead"), head), body);
}

function showPrinted() {
  const box = byId("printed");
  box.textContent = "";
  if (standing.length) {
    box.appendChild(printedTable("Findings", ["Event", "Severity", "Rule", "Concerns", "Meaning"],
      standing.slice(0, printedMax).map((finding) => [
        finding.position, severities[finding.rule.severity], finding.rule.id, concerns(finding),
        `${finding.rule.meaning} What to do: ${finding.rule.advice}`,
      ])));
  }
  // As many events as are printed, around the selected one.
  const from = Math.max(0, Math.min(selected - printedMax / 2, events.length - printedMax));
  const some = events.slice(from, from + printedMax);
  const name = some.length < events.length
    ? `Events ${from + 1} to ${from + some.length} of ${events.length}` : "Events";
  box.appendChild(printedTable(name,
    ["Event", "Time (UTC)", "Type", "Product", "Transaction", "Download", "Account", "Findings"],
    some.map((event) => [
      event.position, `${day(event.occurred)} ${clock(event.occurred, 3)}`, event.type,
      event.product, event.transaction || event.payment, event.download, event.account,
      event.findings.filter((f) => f.step === event.step && f.settled < 0)
        .map((f) => f.rule.id).join(", "),
    ])));
}

// Paper is light, whatever the screen is.
function paintFor(isPaper) {
  document.documentElement.classList.toggle("paper", isPaper);
  readColours();
  showLegend();
  paint();
}
window.addEventListener("beforeprint", () => {
  showPrinted();
  paintFor(true);
});
window.addEventListener("afterprint", () => {
  byId("printed").textContent = "";
  paintFor(false);
});
