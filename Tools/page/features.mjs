// What the page of a trace of 200 events offers its reader, feature by feature.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, counter } from "./report.mjs";

// What is drawn: texts, and where the ring around the selected event is.
const spy = `(() => {
  window.drawn = { texts: new Set(), ring: 0 };
  const { fillText, arc } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.drawn.texts.add(text);
    return fillText.call(this, text, ...rest);
  };
  CanvasRenderingContext2D.prototype.arc = function (x, y, radius, ...rest) {
    if (radius === 8.5) window.drawn.ring = x;
    return arc.call(this, x, y, radius, ...rest);
  };
})()`;

export async function readDrawing(browser, file, look) {
  const title = `drawing, ${look.width} wide`;
  const tab = await browser.open(`${pathToFileURL(file).href}#step=30`, { ...look, before: spy });
  const texts = await tab.evaluate("[...window.drawn.texts]");
  check(`${title}: ticks have fractions`,
    texts.some((one) => /(^| )\d\d:\d\d:\d\d\.\d{3}$/.test(one)), texts);
  if (look.width > 900) {
    check(`${title}: the axis says that it is not to scale`,
      texts.includes("UTC, not to scale"), texts);
  }
  const legend = await tab.evaluate("document.getElementById('legend').textContent");
  check(`${title}: the legend says that the axis is not to scale`,
    legend.includes("not to scale"), legend);
  const [phases, entries] = await tab.evaluate(`(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    const used = data.lanes.flatMap((lane) => lane[5].filter((_, at) => at % 3 === 1))
      .map((number) => data.texts[number - 1]);
    const entries = [...document.querySelectorAll("#legend [data-phase]")];
    return [[...new Set(used)].filter((one) => one !== "gone").sort(),
      entries.map((one) => one.dataset.phase).sort()];
  })()`);
  check(`${title}: the legend has every phase`,
    phases.length > 5 && phases.join() === entries.join(), [phases, entries]);
  const severities = await tab.evaluate(
    "document.querySelectorAll('#legend [data-severity]').length");
  check(`${title}: the legend has the severities`, severities > 0, severities);

  for (const key of ["+", "+", "+", "-"]) {
    const before = await tab.evaluate("window.drawn.ring");
    await tab.press(key);
    const after = await tab.evaluate("window.drawn.ring");
    check(`${title}: ${key} zooms around the selected event`, Math.abs(after - before) < 2,
      [before, after]);
  }
  await tab.evaluate("document.getElementById('viewport').scrollLeft = 1e6");
  await tab.settle();
  await tab.press("+");
  const ring = await tab.evaluate("window.drawn.ring");
  check(`${title}: zooming brings the selected event into view`,
    ring > 0 && ring < look.width, ring);
  check(`${title}: no complaints`, tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

const rows = `[...document.querySelectorAll("#events .row")]`;

export async function readList(browser, file, look) {
  const title = `list, ${look.width} wide`;
  const tab = await browser.open(`${pathToFileURL(file).href}#step=20`, look);
  for (const name of ["product", "transaction", "download"]) {
    const width = await tab.evaluate(`(() => {
      const part = document.querySelector("#row-19 .${name}");
      return part ? part.getBoundingClientRect().width : 0;
    })()`);
    check(`${title}: a row shows its ${name}`, width > 15, width);
  }
  const search = async (text) => {
    await tab.evaluate("document.getElementById('search').value = ''");
    await tab.press("/");
    for (const letter of text) await tab.press(letter);
  };
  await search("DOWNLOAD.finished");
  const types = await tab.evaluate(`${rows}.map((row) => row.querySelector(".kind").textContent)`);
  check(`${title}: the search finds events`,
    types.length > 1 && types.every((one) => one === "download.finished"), types);
  const found = await tab.evaluate("document.getElementById('found').textContent");
  check(`${title}: the search says how many`, /^\d+ of 200 events match$/.test(found), found);
  await tab.press("Enter");
  const first = await tab.evaluate(counter);
  await tab.press("Enter");
  const second = await tab.evaluate(counter);
  check(`${title}: Enter goes from match to match`,
    parseInt(second, 10) > parseInt(first, 10), [first, second]);
  const type = await tab.evaluate("document.querySelector('#detail h2').textContent");
  check(`${title}: a match is selected`, type === "download.finished", type);
  await tab.press("Escape");
  const all = await tab.evaluate(`${rows}.length`);
  check(`${title}: Escape ends the search`, all > types.length
    && await tab.evaluate("document.getElementById('search').value") === "", all);
  await search("no such thing");
  check(`${title}: a search without matches says so`, await tab.evaluate(
    "document.getElementById('events').textContent") === "No event matches.");
  check(`${title}: no complaints`, tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

export async function readWithoutScripts(browser, file, look, pictures) {
  const title = `without scripts, ${look.width} wide`;
  const tab = await browser.open(pathToFileURL(file).href, { ...look, scripts: false });
  if (pictures) {
    writeFileSync(join(pictures, `no-scripts-${look.width}.png`), await tab.picture());
  }
  const [events, findings, links] = await tab.evaluate(`[
    document.querySelectorAll("[id^=event-]").length,
    [...document.querySelectorAll("caption")][0].textContent,
    [...document.querySelectorAll("td a")].every((one) =>
      document.getElementById(one.getAttribute("href").slice(1)))]`);
  check(`${title}: every event is in a table`, events === 200, events);
  check(`${title}: the findings are in a table`, /^Findings \([1-9]/.test(findings), findings);
  check(`${title}: each finding links to its event`, links === true);
  const words = await tab.evaluate("document.body.innerText");
  for (const word of ["download.finished", "What to do:", "Scripts are switched off", "coast"]) {
    check(`${title}: "${word}" can be read`, words.includes(word));
  }
  const wide = await tab.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth");
  check(`${title}: nothing stands out to the side`, wide <= 0, wide);
  check(`${title}: no empty frames`, await tab.evaluate(
    "getComputedStyle(document.querySelector('main')).display") === "none");
  await tab.close();
}

export async function readPrinted(browser, file, pictures) {
  const tab = await browser.open(`${pathToFileURL(file).href}#step=30`,
    { width: 1280, height: 800, dark: true });
  const { document, count } = await tab.printedPages();
  if (pictures) writeFileSync(join(pictures, "printed.pdf"), document);
  check("printed: some pages", count >= 3 && count < 40, count);
  // The same again, held still to be looked at.
  await tab.send("Emulation.setEmulatedMedia", { media: "print" });
  await tab.evaluate("window.dispatchEvent(new Event('beforeprint'))");
  const [rowCount, hidden, back, painted] = await tab.evaluate(`(() => {
    const canvas = document.getElementById("lanes");
    const pixel = canvas.getContext("2d").getImageData(3, 3, 1, 1).data;
    return [document.querySelectorAll("#printed tbody tr").length,
      [".controls", "#browse", ".tools"].map((one) =>
        getComputedStyle(document.querySelector(one)).display).join(),
      getComputedStyle(document.body).backgroundColor, [...pixel].join()];
  })()`);
  check("printed: all events and findings are there", rowCount > 200 && rowCount < 240, rowCount);
  check("printed: what is for a screen is left out", hidden === "none,none,none", hidden);
  check("printed: paper is white", back === "rgb(255, 255, 255)", back);
  check("printed: the drawing is light, too", painted === "255,255,255,255", painted);
  await tab.evaluate("window.dispatchEvent(new Event('afterprint'))");
  const left = await tab.evaluate("document.getElementById('printed').childElementCount");
  check("printed: nothing stays in the page", left === 0, left);
  check("printed: no complaints", tab.complaints.length === 0, tab.complaints);
  await tab.close();
}
