// Where events stand from left to right. Each takes some room, and the time since the one
// before takes more the longer it was, but not in proportion: a pause of a week must not hide
// the second in which everything happened.
const stepWidth = 11;
const offsets = new Float64Array(events.length);
data.order.forEach((step, index) => {
  if (!index) return;
  const gap = Math.max(0, events[step].time - events[data.order[index - 1]].time) / 1e6;
  offsets[index] = offsets[index - 1] + stepWidth + 9 * Math.log10(1 + gap);
});
const wholeWidth = events.length ? offsets[events.length - 1] : 0;

const view = {
  zoom: 1, width: 0, height: 0, left: 0, top: 0, gutter: 200, margin: 26, head: 66, lane: 30,
  bar: 16,
};
const zoomMax = 6;
const xOf = (step) => view.gutter + view.margin + offsets[rank[step]] * view.zoom;
const extentWidth = () => view.gutter + 2 * view.margin + wholeWidth * view.zoom;
function fitZoom() {
  const room = view.width - view.gutter - 2 * view.margin;
  return Math.min(zoomMax, Math.max(0.002, room / (wholeWidth || 1)));
}

// The index in the order of time of the first event at or right of x in the whole drawing.
function indexAt(x) {
  const offset = (x - view.gutter - view.margin) / view.zoom;
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle] < offset) low = middle + 1; else high = middle;
  }
  return low;
}
