// How many digits of a second the clock shows from one event to another, so that events can be told
// apart by it.
function clockDigits(from, to) {
  let least = Infinity;
  for (let index = Math.max(1, from); index <= to; index += 1) {
    const gap = events[data.order[index]].time - events[data.order[index - 1]].time;
    if (gap > 0) least = Math.min(least, gap);
  }
  if (least < 1e3) return 6;
  return least < 10e6 ? 3 : 0;
}

// The clock, where there is room for it, and how long nothing happened.
function paintHead(pen, from, to) {
  pen.fillStyle = colours.card;
  pen.fillRect(0, 0, view.width, view.head);
  line(pen, 0, view.width, view.head - 0.5, colours.line, 1);
  pen.font = faces;
  pen.textBaseline = "middle";
  let free = view.gutter + 4;
  let shown = "";
  const digits = clockDigits(from, to);
  for (let index = from; index <= to; index += 1) {
    const x = view.gutter + view.margin + offsets[index] * view.zoom - view.left;
    if (x < view.gutter) continue;
    line(pen, x, x + 0.01, 22, colours.line, 1);
    if (x < free) continue;
    const time = events[data.order[index]].time;
    const date = day(time);
    const hour = clock(time, digits);
    const label = date === shown ? hour : `${date} ${hour}`;
    const width = pen.measureText(label).width;
    if (x + width > view.width) break;
    pen.fillStyle = colours.soft;
    pen.fillText(label, x - 3, 11);
    pen.fillStyle = colours.line;
    pen.fillRect(x - 0.5, 18, 1, 5);
    shown = date;
    free = x + width + 16;
  }
  paintGaps(pen, from, to);
  if (!view.gutter) return;
  pen.fillStyle = colours.card;
  pen.fillRect(0, 0, view.gutter, view.head - 1);
  pen.font = faces;
  pen.textAlign = "left";
  pen.fillStyle = colours.soft;
  pen.fillText("UTC, not to scale", 10, 11);
  pen.fillText("No events for", 10, 30);
  pen.fillText("Findings", 10, 51);
}

// How long nothing happened, where that was shortened much.
const gapMin = 60e6;
function* gaps(pen, from, to) {
  pen.font = faces.replace("11.5", "10.5");
  for (let index = Math.max(1, from); index <= to; index += 1) {
    const gap = events[data.order[index]].time - events[data.order[index - 1]].time;
    if (gap < gapMin) continue;
    const width = (offsets[index] - offsets[index - 1]) * view.zoom;
    const x = view.gutter + view.margin + offsets[index] * view.zoom - view.left - width / 2;
    const words = span(gap);
    if (x >= view.gutter && pen.measureText(words).width < width - 2) yield [x, words];
  }
}
function paintGaps(pen, from, to) {
  pen.textAlign = "center";
  for (const [x, words] of gaps(pen, from, to)) {
    pen.fillStyle = colours.soft;
    pen.fillText(words, x, 30);
  }
  pen.textAlign = "left";
}
function paintQuiet(pen, from, to) {
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.setLineDash([2, 3]);
  pen.beginPath();
  for (const [x] of gaps(pen, from, to)) {
    pen.moveTo(x, view.head);
    pen.lineTo(x, view.height);
  }
  pen.stroke();
  pen.setLineDash([]);
}

const overview = byId("overview");
function paintOverview() {
  const width = overview.clientWidth;
  const height = overview.clientHeight;
  if (!width) return;
  const scale = window.devicePixelRatio || 1;
  overview.width = Math.round(width * scale);
  overview.height = Math.round(height * scale);
  const pen = overview.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const at = (offset) => 4 + (offset / (wholeWidth || 1)) * (width - 8);
  const counts = new Int32Array(Math.ceil(width / 3) + 1);
  let most = 1;
  for (let index = 0; index < events.length; index += 1) {
    const slot = Math.floor(at(offsets[index]) / 3);
    counts[slot] += 1;
    most = Math.max(most, counts[slot]);
  }
  pen.fillStyle = colours.wait;
  counts.forEach((count, slot) => {
    const tall = count ? 3 + (count / most) * (height - 15) : 0;
    pen.fillRect(slot * 3, height - tall, 2, tall);
  });
  const worst = new Map();
  for (const finding of standing) {
    if (finding.step < 0) continue;
    const x = Math.round(at(offsets[rank[finding.step]]));
    worst.set(x, Math.max(worst.get(x) ?? -1, finding.rule.severity));
  }
  for (const [x, severity] of [...worst].sort((a, b) => a[1] - b[1])) {
    pen.fillStyle = colours["s" + severity];
    pen.fillRect(x - 1.5, 0, 3, 9);
  }
  const room = view.width - view.gutter;
  const x1 = at((view.left - view.margin) / view.zoom);
  const x2 = at((view.left + room - view.margin) / view.zoom);
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.5;
  const [from, to] = [Math.max(1, x1), Math.min(width - 1, x2)];
  pen.strokeRect(from, 1, Math.max(3, to - from), height - 2);
  if (selected < 0) return;
  pen.fillStyle = colours.accent;
  pen.fillRect(at(offsets[rank[selected]]) - 1, 0, 2, height);
}
