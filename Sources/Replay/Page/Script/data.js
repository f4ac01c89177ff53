// What was replayed: numbers that point at texts; see PageData.swift.
const data = JSON.parse(document.getElementById("data").textContent);
const text = (number) => (number ? data.texts[number - 1] : "");
const byId = (id) => document.getElementById(id);
const severities = ["info", "warning", "error", "critical"];

// Characters that would change how their neighbours are read are shown as their numbers.
const hidden = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f"
  + "\\u2028-\\u202e\\u2060-\\u2069\\ufeff]", "g");
const visible = (some) =>
  some.replace(hidden, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");

const events = data.events.map((row, step) => ({
  step, position: row[0], time: row[1], occurred: row[2], recorded: row[3], lane: row[4],
  id: text(row[5]), type: text(row[6]), source: text(row[7]), environment: text(row[8]),
  account: text(row[9]), device: text(row[10]), session: text(row[11]), payment: text(row[12]),
  product: text(row[13]), transaction: text(row[14]), original: text(row[15]),
  download: text(row[16]), app: text(row[17]), sequence: row[18], data: row[19],
  note: text(row[20]), findings: [],
}));
const rank = new Int32Array(events.length);
data.order.forEach((step, index) => { rank[step] = index; });

const rules = data.rules.map((row) => ({
  id: row[0], severity: row[1], meaning: row[2], advice: row[3],
}));
const findings = data.findings.map((row) => ({
  rule: rules[row[0]], step: row[1], position: row[2], broken: row[3], settled: row[4],
  account: text(row[5]), device: text(row[6]), transaction: text(row[7]), product: text(row[8]),
  download: text(row[9]), detail: text(row[10]), environment: text(row[11]),
}));
for (const finding of findings) {
  const steps = new Set([finding.step, finding.broken, finding.settled]);
  for (const step of steps) if (step >= 0) events[step].findings.push(finding);
}
// The findings that still hold at the end: not those that a later event resolved.
const standing = findings.filter((f) => f.settled < 0);
const stepsWithFindings = [...new Set(standing.map((f) => f.step).filter((s) => s >= 0))]
  .sort((a, b) => a - b);

const subjects = data.subjects.map((row) => ({
  kind: text(row[0]), environment: text(row[1]), account: text(row[2]),
  transaction: text(row[3]), device: text(row[4]), name: text(row[5]), steps: [], values: [],
}));
data.changes.forEach((changed, step) => {
  // Changes by events that are not shown come first.
  for (const pairs of [data.earlierChanges[step], changed]) {
    for (let at = 0; at < pairs.length; at += 2) {
      subjects[pairs[at]].steps.push(step);
      subjects[pairs[at]].values.push(text(pairs[at + 1]));
    }
  }
});

// How many of the ascending values are not above one.
function countUpTo(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

// What a subject was after a step; empty where there was nothing.
function valueAfter(subject, step) {
  const turns = countUpTo(subject.steps, step);
  return turns ? subject.values[turns - 1] : "";
}

// What it was before it was changed by a step.
function valueBefore(subject, step) {
  const turns = countUpTo(subject.steps, step);
  return turns > 1 ? subject.values[turns - 2] : "";
}

const two = (number) => String(number).padStart(2, "0");
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
function day(time) {
  const date = new Date(Math.floor(time / 1000));
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
function clock(time, digits) {
  const date = new Date(Math.floor(time / 1000));
  const whole = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
    + `:${two(date.getUTCSeconds())}`;
  const micros = String(((time % 1e6) + 1e6) % 1e6).padStart(6, "0");
  return digits ? `${whole}.${micros.slice(0, digits)}` : whole;
}
function span(micros) {
  const seconds = Math.abs(micros) / 1e6;
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  for (const [size, unit] of units) {
    if (seconds < size) continue;
    const value = seconds / size;
    return `${value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${unit}`;
  }
  return `${Math.round(seconds * 1000)} ms`;
}

// An element with text; never HTML, for what events say comes from outside.
function make(tag, name, content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (content !== undefined) element.textContent = visible(String(content));
  return element;
}
function put(parent, ...children) {
  for (const child of children) if (child) parent.appendChild(child);
  return parent;
}
