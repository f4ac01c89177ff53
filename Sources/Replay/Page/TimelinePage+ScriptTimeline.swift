extension TimelinePage {
  /// Painting what is in view, the marks of findings, scrolling and zooming.
  static let scriptOfTheTimeline = #"""

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
      view.lane = isNarrow ? 42 : 30;
      byId("extent").style.width = Math.max(extentWidth(), view.width) + "px";
      byId("extent").style.height = Math.max(view.head + lanes.length * view.lane, view.height) + "px";
      byId("window").style.width = view.width + "px";
      byId("window").style.height = view.height + "px";
    }

    const faces = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    function paint() {
      view.left = viewport.scrollLeft;
      view.top = viewport.scrollTop;
      const pen = sized(canvas, view.width, view.height);
      pen.clearRect(0, 0, view.width, view.height);
      const from = Math.max(0, placeAt(view.left) - 1);
      const to = Math.min(events.length - 1, placeAt(view.left + view.width));
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
      placeMarks(from, to);
    }

    function middleOf(lane) {
      const top = view.head + lane * view.lane - view.top;
      return view.gutter ? top + view.lane / 2 : top + view.lane - 13;
    }

    function paintEvents(pen, lane, y, from, to) {
      const list = lane.events;
      let drawn = -9;
      for (let at = countUpTo(list, from - 1); at < list.length && list[at] <= to; at += 1) {
        const event = events[data.order[list[at]]];
        const x = view.gutter + view.margin + offsets[list[at]] * view.zoom - view.left;
        const isSelected = event.step === selected;
        const worst = event.findings.reduce(
          (most, f) => (f.step === event.step ? Math.max(most, f.rule.severity) : most), -1);
        if (x - drawn < 2.5 && !isSelected && worst < 0) continue;
        drawn = x;
        pen.beginPath();
        pen.arc(x, y, isSelected ? 5.5 : worst >= 0 ? 4.5 : 2.6, 0, 7);
        pen.fillStyle = worst >= 0 ? colours["s" + worst] : isSelected ? colours.accent : colours.ink;
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
          pen.fillStyle = colours.ink;
          pen.fillText(fitted(pen, lane.label, room), indent, top + view.lane / 2 - (lane.note ? 6 : 0));
          pen.font = faces.replace("11.5", "10.5");
          pen.fillStyle = colours.soft;
          if (lane.note) pen.fillText(fitted(pen, lane.note, room), indent, top + view.lane / 2 + 7);
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

    // The clock, where there is room for it, and how long nothing happened.
    function paintHead(pen, from, to) {
      pen.fillStyle = colours.card;
      pen.fillRect(0, 0, view.width, view.head);
      line(pen, 0, view.width, view.head - 0.5, colours.line, 1);
      pen.font = faces;
      pen.textBaseline = "middle";
      let free = view.gutter + 4;
      let shown = "";
      for (let place = from; place <= to; place += 1) {
        const x = view.gutter + view.margin + offsets[place] * view.zoom - view.left;
        if (x < view.gutter) continue;
        line(pen, x, x + 0.01, 22, colours.line, 1);
        if (x < free) continue;
        const time = events[data.order[place]].time;
        const date = day(time);
        const label = date === shown ? clock(time, 0) : `${date} ${clock(time, 0)}`;
        const width = pen.measureText(label).width;
        if (x + width > view.width) break;
        pen.fillStyle = colours.soft;
        pen.fillText(label, x - 3, 11);
        pen.fillStyle = colours.line;
        pen.fillRect(x - 0.5, 18, 1, 5);
        shown = date;
        free = x + width + 16;
      }
      if (!view.gutter) return;
      pen.fillStyle = colours.card;
      pen.fillRect(0, 0, view.gutter, view.head - 1);
      pen.fillStyle = colours.soft;
      pen.fillText("UTC; quiet times are shortened", 10, 11);
      pen.fillText("Findings", 10, 35);
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
      for (let place = 0; place < events.length; place += 1) {
        const slot = Math.floor(at(offsets[place]) / 3);
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

    // Findings in view, as buttons: those too close together are one.
    const marks = byId("marks");
    let marksShown = "";
    function placeMarks(from, to) {
      const groups = [];
      for (const step of markSteps(from, to)) {
        const x = xOf(step) - view.left;
        if (x < view.gutter - 4 || x > view.width + 4) continue;
        const group = groups[groups.length - 1];
        if (group && x - group.x < 20) group.steps.push(step);
        else groups.push({ x, steps: [step] });
      }
      const key = groups.map((g) => `${Math.round(g.x)}:${g.steps.join()}`).join(" ") + "/" + selected;
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
    const markPlaces = stepsWithFindings.map((step) => rank[step]).sort((a, b) => a - b);
    function markSteps(from, to) {
      const found = [];
      for (let at = countUpTo(markPlaces, from - 1); at < markPlaces.length; at += 1) {
        if (markPlaces[at] > to) break;
        found.push(data.order[markPlaces[at]]);
      }
      return found;
    }
    function markOf(group) {
      const own = group.steps.flatMap((step) =>
        events[step].findings.filter((f) => f.step === step && f.settled < 0));
      const worst = Math.max(...own.map((f) => f.rule.severity));
      const mark = make("button", `mark s${worst}`);
      mark.style.left = group.x + "px";
      mark.style.top = "24px";
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
        if (!group.steps.includes(selected) && mark.matches(":focus-visible")) select(group.steps[0]);
      });
      return mark;
    }

    function zoomTo(zoom, around) {
      const anchor = around ?? view.left + (view.width + view.gutter) / 2;
      const offset = (anchor - view.gutter - view.margin) / view.zoom;
      const onScreen = anchor - view.left;
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
      const step = near ?? nearest(data.order.map((_, place) => place), x, Infinity);
      if (step !== undefined) select(step);
    });
    function nearest(list, x, within) {
      const offset = (x - view.gutter - view.margin) / view.zoom;
      let best;
      let distance = within / view.zoom;
      const at = countUpTo(list, placeAt(x));
      for (const place of list.slice(Math.max(0, at - 3), at + 3)) {
        const away = Math.abs(offsets[place] - offset);
        if (away <= distance) [best, distance] = [data.order[place], away];
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

    """#
}
