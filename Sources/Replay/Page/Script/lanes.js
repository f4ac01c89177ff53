const short = (name, length) =>
  name.length > length ? name.slice(0, Math.ceil(length / 2) - 1) + "…"
    + name.slice(name.length - Math.floor(length / 2)) : name;

const lanes = data.lanes.map((row) => {
  const points = [];
  for (let at = 0; at < row[5].length; at += 3) {
    points.push({
      index: rank[row[5][at]], phase: text(row[5][at + 1]),
      progress: row[5][at + 2] < 0 ? null : row[5][at + 2] / 1000,
    });
  }
  // A kill is known by the launch after it and stands before it.
  points.sort((a, b) => a.index - b.index);
  const environment = text(row[1]) === "production" ? "" : text(row[1]);
  const kind = row[0];
  const [transaction, download, device] = row.slice(2, 5).map(text);
  let label = "Other events";
  let note = environment;
  if (kind === 1) [label, note] = [device || "No device", "device"];
  if (kind === 2) label = transaction;
  if (kind === 3) [label, note] = [download, device && "on " + device];
  return { kind, label: visible(label), note: visible(note), points, events: [] };
});
for (const step of data.order) lanes[events[step].lane].events.push(rank[step]);
for (const lane of lanes) {
  if (lane.kind !== 2) continue;
  const first = lane.events.map((p) => events[data.order[p]].product).find((p) => p);
  if (first) lane.note = visible(first) + (lane.note ? ", " + lane.note : "");
}

let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = "card ink soft line row hold accent open wait done pause gone s0 s1 s2 s3 mono";
  for (const name of names.split(" ")) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  hatches.clear();
}

// Stripes, so that a pause can be told from progress without colour.
const hatches = new Map();
function hatch(pen, colour) {
  if (hatches.has(colour)) return hatches.get(colour);
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const inner = tile.getContext("2d");
  inner.strokeStyle = colour;
  inner.lineWidth = 1.6;
  for (const from of [-6, 0, 6]) {
    inner.beginPath();
    inner.moveTo(from, 6);
    inner.lineTo(from + 6, 0);
    inner.stroke();
  }
  hatches.set(colour, pen.createPattern(tile, "repeat"));
  return hatches.get(colour);
}

function line(pen, x1, x2, y, colour, width, dash) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash || []);
  pen.beginPath();
  pen.moveTo(x1, y);
  pen.lineTo(x2, y);
  pen.stroke();
  pen.setLineDash([]);
}
function cross(pen, x, y, size, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 2.2;
  pen.beginPath();
  pen.moveTo(x - size, y - size);
  pen.lineTo(x + size, y + size);
  pen.moveTo(x + size, y - size);
  pen.lineTo(x - size, y + size);
  pen.stroke();
}
function band(pen, x1, x2, y, height, fill, stroke) {
  pen.fillStyle = fill;
  pen.fillRect(x1, y - height / 2, x2 - x1, height);
  if (!stroke) return;
  pen.strokeStyle = stroke;
  pen.lineWidth = 1;
  pen.strokeRect(x1 + 0.5, y - height / 2 + 0.5, Math.max(0, x2 - x1 - 1), height - 1);
}

const striped = (pen, x1, x2, y, height, colour) =>
  band(pen, x1, x2, y, height, hatch(pen, colour), colour);
const thin = () => Math.round(view.bar * 0.6);

// How each phase is called in the legend, and how it is drawn: a part of a lane, from x1 to x2
// around y; `starts` where its first end is in view.
const phases = {
  running: {
    words: "app running",
    paint: (pen, x1, x2, y) => band(pen, x1, x2, y, thin(), colours.wait),
  },
  background: {
    words: "app in the background",
    paint: (pen, x1, x2, y) => striped(pen, x1, x2, y, thin(), colours.wait),
  },
  ended: {
    words: "app ended",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.line, 1, [2, 4]);
      if (starts) band(pen, x1 - 2, x1 + 1, y, 14, colours.gone);
    },
  },
  killed: {
    words: "app killed or crashed",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.s2, 1.5, [3, 4]);
      if (starts) cross(pen, x1 + 8, y, 4.5, colours.s2);
    },
  },
  seen: {
    words: "known by name only",
    paint: (pen, x1, x2, y) => line(pen, x1, x2, y, colours.gone, 1, [1, 4]),
  },
  purchasing: {
    words: "purchasing",
    paint: (pen, x1, x2, y) => band(pen, x1, x2, y, thin(), colours.card, colours.open),
  },
  deferred: {
    words: "deferred",
    paint: (pen, x1, x2, y) => striped(pen, x1, x2, y, thin(), colours.pause),
  },
  open: {
    words: "delivered, not finished",
    paint: (pen, x1, x2, y) => band(pen, x1, x2, y, thin(), colours.open),
  },
  removed: {
    words: "removed from the queue, not finished",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.s2, 1.5, [3, 4]);
      if (starts) cross(pen, x1, y, 4.5, colours.s2);
    },
  },
  failed: {
    words: "failed",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.s3, 1, [2, 4]);
      if (starts) cross(pen, x1, y, 4.5, colours.s3);
    },
  },
  finished: {
    words: "finished",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.done, 2);
      if (starts) band(pen, x1 - 1.5, x1 + 1.5, y, 15, colours.done);
    },
  },
  announced: {
    words: "download offered",
    paint: (pen, x1, x2, y) => line(pen, x1, x2, y, colours.gone, 1, [1, 4]),
  },
  requested: {
    words: "download requested",
    paint: (pen, x1, x2, y) => striped(pen, x1, x2, y, view.bar, colours.wait),
  },
  waiting: {
    words: "download waiting",
    paint: (pen, x1, x2, y) => striped(pen, x1, x2, y, view.bar, colours.wait),
  },
  active: {
    words: "download progress",
    paint: (pen, x1, x2, y, _, progress) => {
      band(pen, x1, x2, y, view.bar, colours.row, null);
      fill(pen, x1, x2, y, progress, colours.open);
    },
  },
  paused: {
    words: "download paused",
    paint: (pen, x1, x2, y, _, progress) => {
      striped(pen, x1, x2, y, view.bar, colours.pause);
      fill(pen, x1, x2, y, progress, colours.pause);
    },
  },
  cancelled: {
    words: "cancelled",
    paint: (pen, x1, x2, y, starts) => {
      line(pen, x1, x2, y, colours.gone, 1, [2, 4]);
      if (starts) cross(pen, x1, y, 4.5, colours.gone);
    },
  },
};
function fill(pen, x1, x2, y, progress, colour) {
  const height = Math.max(1.5, view.bar * (progress || 0));
  pen.fillStyle = colour;
  pen.fillRect(x1, y + view.bar / 2 - height, x2 - x1, height);
}

function paintLane(pen, lane, y, from, to) {
  const points = lane.points;
  let at = Math.max(0, countUpTo(indicesOf(lane), from) - 1);
  for (; at < points.length && points[at].index <= to; at += 1) {
    const { index, phase, progress } = points[at];
    const next = at + 1 < points.length ? points[at + 1].index : -1;
    if (next === index) continue;
    const x1 = view.gutter + view.margin + offsets[index] * view.zoom - view.left;
    const x2 = next < 0
      ? endOf(lane, phase) - view.left
      : view.gutter + view.margin + offsets[next] * view.zoom - view.left;
    if (!phases[phase]) continue;
    const [left, right] = [Math.max(x1, -40), Math.min(x2, view.width + 40)];
    phases[phase].paint(pen, left, right, y, x1 > -40, progress);
  }
}
const indices = new Map();
function indicesOf(lane) {
  if (!indices.has(lane)) indices.set(lane, lane.points.map((point) => point.index));
  return indices.get(lane);
}

// What still holds at the end goes on to the right; what is over stops soon.
function endOf(lane, phase) {
  const goesOn = ["open", "removed", "deferred", "purchasing", "active", "waiting", "requested",
    "paused", "running", "background"].includes(phase);
  const end = view.gutter + view.margin + wholeWidth * view.zoom;
  if (goesOn) return end + view.margin - 6;
  const last = view.gutter + view.margin
    + offsets[Math.max(...lane.events.slice(-1), ...indicesOf(lane).slice(-1))] * view.zoom;
  return Math.min(last + 14, end + view.margin - 6);
}
