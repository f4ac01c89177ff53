// Opens the page of a replay in a headless Chromium and does what a reader does.
//
//   node Tools/page/check.mjs DAYBOOK CHROMIUM [FOLDER]
//
// DAYBOOK is the program. With FOLDER, pictures of every page are left there. Ends with 1 where
// something is not as it should be.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";
import { readDrawing, readList, readPrinted, readWithoutScripts } from "./features.mjs";
import { check, counter, report } from "./report.mjs";
import { lines, trace } from "./trace.mjs";

const [daybook, chromium, pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "daybook-pages-"));
if (pictures) mkdirSync(pictures, { recursive: true });
const hostile = "</script><img src=x onerror=document.title='taken'>\u202e\"'&";
function page(name, count, some) {
  writeFileSync(join(folder, `${name}.jsonl`), lines(trace(count, some)));
  return pageOf(name, name);
}

function pageOf(source, name) {
  const file = join(folder, `${name}.html`);
  execFileSync(daybook, ["replay", join(folder, `${source}.jsonl`), "--html", file]);
  return file;
}

const shown = "document.querySelector('#detail .eyebrow').textContent";

async function read(browser, name, file, count, look) {
  const url = pathToFileURL(file).href;
  const tab = await browser.open(url, look);
  const title = `${name}, ${look.width} wide${look.dark ? ", dark" : ""}`;
  if (pictures) {
    const picture = `${name}-${look.width}${look.dark ? "-dark" : ""}.png`;
    writeFileSync(join(pictures, picture), await tab.picture());
  }
  const press = async (key, expected) => {
    await tab.press(key);
    const found = await tab.evaluate(counter);
    check(`${title}: ${key} goes to ${expected}`, found === `${expected} of ${count}`, found);
  };
  await press("Home", 1);
  await press("ArrowRight", 2);
  await press("ArrowDown", 3);
  await press("ArrowLeft", 2);
  await press("End", count);
  const link = await tab.evaluate("location.hash");
  check(`${title}: the link names the step`, link === `#step=${count}`, link);

  const findings = await tab.evaluate(
    "JSON.parse(document.getElementById('data').textContent).findings.length");
  await tab.press("Home");
  await tab.press("f");
  const explained = await tab.evaluate("document.querySelectorAll('#detail .card p').length");
  check(`${title}: f goes to a finding and explains it`,
    findings === 0 || explained >= 2, explained);

  const drawn = await tab.evaluate(`(() => {
    const canvas = document.getElementById("lanes");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(pixels.buffer)).size;
  })()`);
  check(`${title}: the lanes are drawn`, drawn > 5, drawn);
  const wide = await tab.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth");
  check(`${title}: nothing stands out to the side`, wide <= 0, wide);
  const nodes = await tab.evaluate("document.getElementsByTagName('*').length");
  check(`${title}: only what is in view is in the document`, nodes < 3_000, nodes);
  const unnamed = await tab.evaluate(`[...document.querySelectorAll("button, [role=tab]")]
    .filter((one) => !(one.getAttribute("aria-label") || one.textContent).trim()).length`);
  check(`${title}: every button has a name`, unnamed === 0, unnamed);
  const spoken = await tab.evaluate("document.getElementById('said').textContent");
  check(`${title}: the selected event is said`, spoken.startsWith("Event "), spoken);

  const faint = await tab.evaluate(contrasts);
  check(`${title}: everything stands out enough`, faint.length === 0, faint);

  const middle = Math.max(1, Math.floor(count / 2));
  await tab.go(`${url}#step=${middle}`);
  await tab.reload();
  const restored = await tab.evaluate(shown);
  check(`${title}: the link is restored`, restored === `Event ${middle}`, restored);
  await tab.evaluate("location.hash = '#step=1'; new Promise((done) => setTimeout(done, 50))");
  check(`${title}: a new link is followed`, await tab.evaluate(shown) === "Event 1");

  const foreign = tab.requests.filter((one) => !one.startsWith("file:") && one !== "data:,");
  check(`${title}: no request leaves`, foreign.length === 0, foreign);
  check(`${title}: no complaints on the console`, tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

// The control: the same looks find a request, an error and a taken title where there are some.
async function readControl(browser) {
  const file = join(folder, "control.html");
  writeFileSync(file, `<title>t</title><img src="http://127.0.0.1:9/x.png">${hostile}`
    + "<script>setTimeout(() => { throw new Error('control'); })</script>");
  const tab = await browser.open(pathToFileURL(file).href);
  for (let tries = 0; tries < 50 && tab.complaints.length < 2; tries += 1) await tab.settle();
  check("the control asks the network", tab.requests.some((one) => one.startsWith("http:")));
  check("the control complains", tab.complaints.some((one) => one.includes("control")));
  check("the control is taken", await tab.evaluate("document.title") === "taken");
  await tab.close();
}

// Contrast by WCAG 2.2, 1.4.3 and 1.4.11: texts 4.5 to 1, what is drawn 3 to 1.
const contrasts = `(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue("--" + name).trim();
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ratio = ([one, other]) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const texts = ["ink card", "ink back", "ink row", "ink hold", "soft card", "soft back",
    "soft row", "s0 row", "s1 row", "s2 row", "s3 row",
    "soft hold", "accent card", "onAccent accent", "ink b0", "ink b1", "ink b2", "ink b3",
    "soft b0", "soft b1", "soft b2", "soft b3", "s0 b0", "s1 b1", "s2 b2", "s3 b3", "card s0",
    "card s1", "card s2", "card s3", "accent b0", "accent b1", "accent b2", "accent b3"];
  const drawn = ["edge card", "open card", "wait card", "done card", "pause card", "gone card",
    "open hold"];
  return [...texts.map((pair) => [pair, 4.5]), ...drawn.map((pair) => [pair, 3])]
    .filter(([pair, least]) => ratio(pair.split(" ")) < least)
    .map(([pair]) => pair + " " + ratio(pair.split(" ")).toFixed(2));
})()`;

// What the page's own policy forbids, whoever would try.
async function readPolicy(browser, file) {
  const tab = await browser.open(pathToFileURL(file).href);
  const outcome = await tab.evaluate(`fetch("http://127.0.0.1:9/x").then(() => "sent",
    (error) => error.name)`);
  check("the policy forbids requests", outcome === "TypeError"
    && tab.requests.every((one) => !one.startsWith("http:")), [outcome, tab.requests]);
  const assigned = await tab.evaluate(`(() => {
    try { document.body.innerHTML = "<b>x</b>"; return "assigned"; } catch (e) { return e.name; }
  })()`);
  check("the policy forbids text as HTML", assigned === "TypeError", assigned);
  await tab.close();
}

async function readHostile(browser, file) {
  const tab = await browser.open(pathToFileURL(file).href);
  await tab.press("End");
  check("hostile texts stay texts", await tab.evaluate(
    "document.title.startsWith('Daybook') && document.images.length === 0"));
  const words = await tab.evaluate("document.body.innerText");
  check("hostile texts are shown", words.includes("<img src=x onerror="));
  check("signs that turn texts around are shown as numbers", !words.includes("\u202e"));
  check("hostile texts raise no complaint", tab.complaints.length === 0, tab.complaints);
  await tab.close();
  const bare = await browser.open(pathToFileURL(file).href, { scripts: false });
  check("hostile texts stay texts without scripts", await bare.evaluate(
    "document.title.startsWith('Daybook') && document.images.length === 0"));
  const text = await bare.evaluate("document.body.innerText");
  check("hostile texts are shown without scripts", text.includes("<img src=x onerror=")
    && !text.includes("\u202e"));
  await bare.close();
}

const browser = await Browser.start(chromium);
try {
  const few = page("few", 10);
  const many = page("many", 10_000);
  const again = pageOf("few", "again");
  check("the same events give the same page", readFileSync(few).equals(readFileSync(again)));
  for (const [name, file, count] of [["few", few, 10], ["many", many, 10_000]]) {
    await read(browser, name, file, count, { width: 1280, height: 800 });
    await read(browser, name, file, count, { width: 1280, height: 800, dark: true });
    await read(browser, name, file, count, { width: 360, height: 740, touch: true });
  }
  const some = page("some", 200);
  for (const look of [
    { width: 1280, height: 800 }, { width: 360, height: 740, touch: true },
    { width: 2200, height: 900 },
  ]) {
    await readDrawing(browser, some, look);
    await readList(browser, some, look);
    await readWithoutScripts(browser, some, look, pictures);
  }
  await readPrinted(browser, some, pictures);
  await readControl(browser);
  await readPolicy(browser, few);
  await readHostile(browser, page("hostile", 60, hostile));
} finally {
  browser.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${report.checks} checks, ${report.failures} failures`);
process.exit(report.failures ? 1 : 0);
