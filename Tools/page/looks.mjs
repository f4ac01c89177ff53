// What is looked at on every page of the service: names, contrast, width, foreign requests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "./report.mjs";

// Faults that the looks have to find.
const faults = {
  contrast: "document.querySelector('h1').style.color = '#999'",
  width: "document.querySelector('h1').style.minWidth = '3000px'",
  label: "document.querySelector('main').append(document.createElement('input'))",
  script: "setTimeout(() => { throw new Error('control'); })",
  request: "document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))",
};
const fault = process.env.DAYBOOK_CONTROL;
if (fault && !faults[fault]) {
  throw new Error(`DAYBOOK_CONTROL: expected one of ${Object.keys(faults).join(", ")}`);
}

export async function look(browser, address, name, path, one, pictures) {
  const title = `${name}, ${one.width} wide${one.dark ? ", dark" : ""}`;
  const tab = await browser.open(address + path, one);
  if (fault) {
    await tab.evaluate(faults[fault]);
    await tab.settle();
  }
  if (pictures) {
    const picture = `service-${name}-${one.width}${one.dark ? "-dark" : ""}.png`;
    // A picture has no room for more.
    const [height, side] = await tab.evaluate(
      "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]");
    writeFileSync(join(pictures, picture), await tab.picture(Math.max(height, side) < 12_000));
  }
  const wide = await tab.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth");
  check(`${title}: nothing stands out to the side`, wide <= 0, wide);
  const faint = await tab.evaluate(contrasts);
  check(`${title}: texts stand out enough`, faint.length === 0, faint.slice(0, 5));
  const unnamed = await tab.evaluate(names);
  check(`${title}: everything has a name`, unnamed.length === 0, unnamed);
  const structure = await tab.evaluate(landmarks);
  check(`${title}: it has its landmarks and headings`, structure.length === 0, structure);
  const taken = await tab.evaluate(
    "document.title === 'taken' || document.querySelectorAll('main img, main script').length > 0");
  check(`${title}: texts are texts`, !taken);
  const foreign = tab.requests.filter((url) =>
    !url.startsWith(address) && !url.startsWith("data:"));
  check(`${title}: no request leaves`, foreign.length === 0, foreign);
  check(`${title}: no complaints on the console`, tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

// Contrast by WCAG 2.2, 1.4.3: every text that is seen, against what is behind it.
const contrasts = `(() => {
  const parse = (text) => {
    const parts = text.match(/[0-9.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const light = (rgb) => {
    const parts = rgb.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.alpha === 1) return colour.rgb;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || element.closest("script, datalist, option")) continue;
    if (!element.checkVisibility() || element.closest(".unseen")) continue;
    const style = getComputedStyle(element);
    const drawn = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(parse(drawn).rgb), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(walk.currentNode.data.trim().slice(0, 30) + " " + ratio.toFixed(2));
  }
  return found;
})()`;

const names = `[...document.querySelectorAll("button, a, input, select, summary, [tabindex='0']")]
  .filter((one) => one.type !== "hidden" && !one.matches("pre"))
  .filter((one) => ![one.getAttribute("aria-label"), one.textContent, one.labels?.[0]?.textContent]
    .some((text) => text?.trim()) || one.matches("input, select") && !one.labels?.length)
  .map((one) => one.outerHTML.slice(0, 80))`;

const landmarks = `(() => {
  const wrong = [];
  for (const one of ["main", "header", "footer", "nav", "h1", "a.skip"]) {
    if (!document.querySelector(one)) wrong.push("no " + one);
  }
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  if (document.documentElement.lang !== "en") wrong.push("no language");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push("a level is left out at " + heading.textContent.slice(0, 30));
    level = next;
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  if (twice.length) wrong.push("twice: " + twice.join(", "));
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption?.textContent.trim()) wrong.push("a table without a caption");
    if (table.querySelector("th:not([scope])")) wrong.push("a heading without its scope");
  }
  for (const time of document.querySelectorAll("time")) {
    if (!/^[0-9-]+T[0-9:.]+Z$/.test(time.dateTime)) wrong.push("time " + time.outerHTML);
  }
  return wrong;
})()`;
