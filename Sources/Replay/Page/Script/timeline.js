const canvas = byId("lanes");
const viewport = byId("viewport");
let selected = -1;
let awaitsPainting = false;
function repaint() {
  if (awaitsPainting) return;
  awaitsPainting = true;
  requestAnimationFrame(() => { awaitsPainting = false; paint(); });
}

function sized(target, width, height) {
  const scale = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (target.width !== w || target.height !== h) {
    target.width = w;
    target.height = h;
    target.style.width = width + "px";
    target.style.height = height + "px";
  }
  const pen = target.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}

function layOut() {
  const isNarrow = window.innerWidth <= 900;
  view.width = viewport.clientWidth;
  view.height = viewport.clientHeight;
  view.gutter = isNarrow ? 0 : 200;
  // A few lanes share all the room.
  const share = Math.floor((view.height - view.head) / Math.max(1, lanes.length));
  view.lane = isNarrow ? 42 : Math.min(56, Math.max(30, share));
  view.bar = isNarrow ? 17 : view.lane - 14;
  const tall = view.head + lanes.length * view.lane;
  const below = byId("legend").offsetHeight;
  byId("timeline").style.maxHeight = isNarrow ? Math.max(tall, 150) + 70 + below + "px" : "";
  byId("extent").style.width = Math.max(extentWidth(), view.width) + "px";
  byId("extent").style.height = Math.max(tall, view.height) + "px";
  byId("window").style.width = view.width + "px";
  byId("window").style.height = view.height + "px";
}

const faces = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
function paint() {
  view.left = viewport.scrollLeft;
  view.top = viewport.scrollTop;
  const pen = sized(canvas, view.width, view.height);
  pen.clearRect(0, 0, view.width, view.height);
  const from = Math.max(0, indexAt(view.left) - 1);
  const to = Math.min(events.length - 1, indexAt(view.left + view.width));
  const first = Math.max(0, Math.floor(view.top / view.lane) - 1);
  const last = Math.min(lanes.length - 1, Math.ceil((view.top + view.height) / view.lane));
  const chosen = selected >= 0 ? events[selected].lane : -1;
  for (let at = first; at <= last; at += 1) {
    const top = view.head + at * view.lane - view.top;
    if (at === chosen) {
      pen.fillStyle = colours.hold;
      pen.fillRect(0, top, view.width, view.lane);
    }
    if (lanes[at].kind < 3) line(pen, 0, view.width, top + 0.5, colours.line, 1);
  }
  paintQuiet(pen, from, to);
  if (selected >= 0) {
    const x = xOf(selected) - view.left;
    line(pen, x, x, view.head, colours.accent, 1);
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, view.head - 6);
    pen.lineTo(x, view.height);
    pen.stroke();
  }
  for (let at = first; at <= last; at += 1) {
    const y = middleOf(at);
    paintLane(pen, lanes[at], y, from, to);
    paintEvents(pen, lanes[at], y, from, to);
  }
  paintLabels(pen, first, last);
  paintHead(pen, from, to);
  paintOverview();
  showMarks(from, to);
}

function middleOf(lane) {
  const top = view.head + lane * view.lane - view.top;
  return view.gutter ? top + view.lane / 2 : top + view.lane - 12;
}

function paintEvents(pen, lane, middle, from, to) {
  const list = lane.events;
  // Below the bars, so that progress can be read.
  const y = lane.kind === 3 ? middle + view.bar / 2 : middle;
  let drawn = -9;
  for (let at = countUpTo(list, from - 1); at < list.length && list[at] <= to; at += 1) {
    const event = events[data.order[list[at]]];
    const x = view.gutter + view.margin + offsets[list[at]] * view.zoom - view.left;
    const isSelected = event.step === selected;
    const worst = event.findings.reduce((most, f) =>
      (f.step === event.step && f.settled < 0 ? Math.max(most, f.rule.severity) : most), -1);
    if (x - drawn < 2.5 && !isSelected && worst < 0) continue;
    drawn = x;
    pen.beginPath();
    pen.arc(x, y, isSelected ? 5.5 : worst >= 0 ? 4.5 : 2.6, 0, 7);
    pen.fillStyle = isSelected ? colours.accent : colours.ink;
    if (worst >= 0) pen.fillStyle = colours["s" + worst];
    pen.fill();
    pen.strokeStyle = colours.card;
    pen.lineWidth = 1.2;
    pen.stroke();
    if (!isSelected) continue;
    pen.beginPath();
    pen.arc(x, y, 8.5, 0, 7);
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 2;
    pen.stroke();
  }
}

function fitted(pen, some, width) {
  if (pen.measureText(some).width <= width) return some;
  let length = Math.min(some.length, 60);
  while (length > 4 && pen.measureText(short(some, length)).width > width) length -= 1;
  return short(some, length);
}

function paintLabels(pen, first, last) {
  pen.textBaseline = "middle";
  if (view.gutter) {
    pen.fillStyle = colours.card;
    pen.fillRect(0, view.head, view.gutter, view.height);
    line(pen, view.gutter - 0.5, view.gutter - 0.5, 0, colours.line, 1);
    pen.strokeStyle = colours.line;
    pen.beginPath();
    pen.moveTo(view.gutter - 0.5, view.head);
    pen.lineTo(view.gutter - 0.5, view.height);
    pen.stroke();
  }
  for (let at = first; at <= last; at += 1) {
    const lane = lanes[at];
    const top = view.head + at * view.lane - view.top;
    const indent = lane.kind === 3 ? 24 : 10;
    pen.font = (lane.kind === 3 ? "" : "600 ") + faces;
    if (view.gutter) {
      if (events[selected] && events[selected].lane === at) {
        pen.fillStyle = colours.hold;
        pen.fillRect(0, top, view.gutter - 1, view.lane);
      }
      const room = view.gutter - indent - 8;
      const middle = top + view.lane / 2;
      pen.fillStyle = colours.ink;
      pen.fillText(fitted(pen, lane.label, room), indent, middle - (lane.note ? 6 : 0));
      pen.font = faces.replace("11.5", "10.5");
      pen.fillStyle = colours.soft;
      if (lane.note) pen.fillText(fitted(pen, lane.note, room), indent, middle + 7);
      if (lane.kind < 3) line(pen, 0, view.gutter, top + 0.5, colours.line, 1);
    } else {
      pen.fillStyle = colours.ink;
      const label = fitted(pen, lane.label, view.width * 0.55);
      pen.fillText(label, indent - 2, top + 10);
      const taken = indent + 6 + pen.measureText(label).width;
      pen.font = faces.replace("11.5", "10.5");
      pen.fillStyle = colours.soft;
      pen.fillText(fitted(pen, lane.note, view.width - taken - 8), taken, top + 10);
    }
  }
}
