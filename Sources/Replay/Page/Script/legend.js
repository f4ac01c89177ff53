// Everything that is drawn in this timeline, and what it means.
function showLegend() {
  const box = byId("legend").lastElementChild;
  box.textContent = "";
  const used = new Set(lanes.flatMap((lane) => lane.points.map((point) => point.phase)));
  for (const [phase, { words, paint }] of Object.entries(phases)) {
    if (!used.has(phase)) continue;
    const item = sampled(box, words, (pen) => {
      pen.translate(0, -2);
      paint(pen, 2, 21, 8, true, 0.6);
    });
    item.dataset.phase = phase;
  }
  sampled(box, "event", (pen) => dot(pen, 11, 6, 2.6, colours.ink));
  sampled(box, "selected event", (pen) => {
    dot(pen, 11, 6, 3, colours.accent);
    pen.beginPath();
    pen.arc(11, 6, 5, 0, 7);
    pen.strokeStyle = colours.accent;
    pen.stroke();
  });
  for (let severity = 3; severity >= 0; severity -= 1) {
    if (!standing.some((finding) => finding.rule.severity === severity)) continue;
    const item = make("span", `s${severity}`);
    item.dataset.severity = severity;
    put(box, put(item, make("span", "shape"), document.createTextNode(
      severities[severity] === "info" ? "information" : severities[severity])));
  }
  if (standing.length > 1) {
    const worst = Math.max(...standing.map((finding) => finding.rule.severity));
    const item = make("span", `s${worst}`);
    put(box, put(item, make("span", "many", "2"),
      document.createTextNode("several findings, in the colour of the worst")));
  }
  if ([...gaps(canvas.getContext("2d"), 0, events.length - 1)].length) {
    sampled(box, "a minute or more without events", (pen) => {
      pen.strokeStyle = colours.soft;
      pen.setLineDash([2, 2]);
      pen.beginPath();
      pen.moveTo(11, 0);
      pen.lineTo(11, 12);
      pen.stroke();
    });
  }
}

function dot(pen, x, y, radius, colour) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = colour;
  pen.fill();
}

// An entry of the legend with a small drawing.
function sampled(box, words, draw) {
  const sample = make("canvas");
  const item = put(make("span"), sample, document.createTextNode(words));
  box.appendChild(item);
  draw(sized(sample, 22, 12));
  return item;
}

byId("legend").addEventListener("toggle", () => {
  layOut();
  repaint();
});
