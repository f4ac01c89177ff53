// Opens the pages of a real daybook-serve in a headless Chromium and does what support does.
//
//   node Tools/page/service.mjs FOLDER CHROMIUM [PICTURES]
//
// FOLDER has daybook and daybook-serve. With PICTURES, pictures of every page are left there. Ends
// with 1 where something is not as it should be.
//
// Control: with DAYBOOK_CONTROL=contrast, width, label, script or request a fault is put into every
// page that is read, and the end has to be 1.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, pause } from "./browser.mjs";
import { look } from "./looks.mjs";
import { check, report } from "./report.mjs";

const [products, chromium, pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "daybook-service-page-"));
const ledger = join(folder, "books.ledger");
if (pictures) mkdirSync(pictures, { recursive: true });
const daybook = (...words) => execFileSync(
  join(products, "daybook"), [...words, "--ledger", ledger], { stdio: ["ignore", "pipe", "pipe"] },
).toString();

const evil = "<script>document.title='taken'</script>\"'><img src=x onerror=alert(1)>\u202e";
const account = "5ad4f4f0-7f38-4347-a521-1354b64bb8b9";
const long = "W".repeat(500);

function hostileEvents() {
  const lines = [evil, long].flatMap((text, index) => [{
    id: `session-${index}`, type: "session.started", occurredAt: "2026-02-01T12:00:00Z",
    account: text, device: text, session: text, data: { appVersion: text },
  }, {
    id: `purchase-${index}`, type: "transaction.purchased", occurredAt: "2026-02-01T12:00:01Z",
    account: text, device: text, session: text, product: text, transaction: text, app: text,
  }, {
    id: `finish-${index}`, type: "transaction.finished", occurredAt: "2026-02-01T12:00:02Z",
    account: text, device: text, session: text, product: text, transaction: text, app: text,
  }, {
    id: `note-${index}`, type: "note.added", occurredAt: "2026-02-01T12:00:03Z", account: text,
    source: "operator", data: { operator: text, text: text.repeat(100) },
  }]);
  return lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
}

function fill() {
  daybook("init");
  const samples = new URL("../samples/incidents/", import.meta.url).pathname;
  const files = readdirSync(samples).filter((name) => name.endsWith(".jsonl")).sort();
  const hostile = join(folder, "hostile.jsonl");
  writeFileSync(hostile, hostileEvents());
  for (const file of [...files.map((name) => join(samples, name)), hostile]) {
    daybook("append", file);
  }
}

// Lets a webhook be told of what a hostile customer buys. Nobody listens there.
async function tell() {
  daybook("webhook", "create", "shop", "--url", "http://127.0.0.1:9/hooks", "--type", "*");
  const isReached = async (holds) => {
    for (let tries = 0; tries < 600 && !holds(); tries += 1) await pause(100);
  };
  const list = () => JSON.parse(daybook("webhook", "list", "--format", "json"))[0];
  await isReached(() => list().since !== null);
  const file = join(folder, "told.jsonl");
  writeFileSync(file, hostileEvents().replaceAll('"id":"', '"id":"told-'));
  daybook("append", file);
  await isReached(() => list().waiting > 4);
}

// The program with its address, once it listens.
async function serve(...words) {
  const child = spawn(
    join(products, "daybook-serve"),
    ["--ledger", ledger, "--port", "0", "--log-level", "critical", ...words],
    { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => { said += chunk; });
  for (let tries = 0; tries < 3_000; tries += 1) {
    const found = /listening on .*, port ([0-9]+)/.exec(said);
    if (found) return { child, address: `http://127.0.0.1:${found[1]}` };
    if (child.exitCode !== null) break;
    await pause(20);
  }
  throw new Error(`daybook-serve does not listen: ${said}`);
}

const q = encodeURIComponent;
const customer = (name) => `/customer?account=${q(name)}`;
const places = [
  ["start", "/"], ["search", "/search?q=5ad4f4f0"], ["customer", customer(account)],
  ["hostile", customer(evil)], ["long", customer(long)],
  ["hostile-why", `/why?account=${q(evil)}&name=${q(evil)}`],
  ["hostile-compare", `/compare?account=${q(evil)}&from=0`],
  ["hostile-act", `/acts/grant?account=${q(evil)}&reason=${q(evil)}`],
  ["hostile-live", `/live?account=${q(evil)}`],
  ["why", `/why?account=${account}&name=offline`], ["event", "/events/7"],
  ["findings", "/findings"], ["live", "/live"],
  ["compare", `/compare?account=${account}&from=0`], ["acts", "/acts"],
  ["grant", `/acts/grant?account=${account}`], ["deliveries", "/deliveries?webhook=shop"],
  ["status", "/status"],
];
const looks = [
  { width: 1280 }, { width: 1280, dark: true }, { width: 360, height: 780, touch: true },
  { width: 360, height: 780, dark: true },
];

async function readPlaces(browser, address) {
  for (const [name, path] of places) {
    for (const one of looks) await look(browser, address, name, path, one, pictures);
  }
  for (const [name, path] of places) {
    const tab = await browser.open(address + path, { scripts: false });
    const source = await fetch(address + path).then((answer) => answer.text());
    check(`${name}: says the same without scripts`, source.includes("<h1"));
    check(`${name}: asks nobody else without scripts`,
      tab.requests.every((one) => one.startsWith(address) || one.startsWith("data:")));
    await tab.close();
  }
}

// What support does without a mouse: search, read, ask why, compare.
async function readKeys(browser, address) {
  const tab = await browser.open(`${address}/`);
  const focused = "document.activeElement.id || document.activeElement.className";
  check("the search has the focus", await tab.evaluate(focused) === "q");
  await tab.type(account);
  await tab.enter();
  await tab.until(`location.pathname === "/customer"`);
  const found = await tab.evaluate("location.pathname");
  check("an exact id leads to its customer", found === "/customer", found);
  await tab.key("Tab", 9);
  const skip = await tab.evaluate("document.activeElement.textContent");
  check("the first stop is the skip link", skip === "To the content", skip);
  const isSeen = await tab.evaluate(
    "document.activeElement.getBoundingClientRect().left >= 0");
  check("the skip link is seen when it has the focus", isSeen);
  await tab.press("/");
  check("/ goes to the search", await tab.evaluate(focused) === "search");
  await tab.evaluate("document.querySelector('tr details summary').focus()");
  await tab.enter();
  const raw = await tab.evaluate("document.querySelector('tr details[open] pre')?.textContent");
  check("the raw event is one key away", raw?.includes("\"position\":"), raw);
  await tab.evaluate("document.querySelector('a[href^=\"/why\"]').focus()");
  await tab.enter();
  await tab.until(`location.pathname === "/why"`);
  const verdict = await tab.evaluate("document.querySelector('h1').textContent");
  check("why? explains the entitlement", verdict.includes("is entitled to"), verdict);
  const focusRing = await tab.evaluate(`(() => {
    const link = document.querySelector("main a");
    link.focus();
    return getComputedStyle(link).outlineStyle;
  })()`);
  check("what has the focus is seen", focusRing === "solid" || focusRing === "auto", focusRing);
  await tab.close();
}

async function readCompare(browser, address) {
  const tab = await browser.open(`${address}/compare?account=${account}&from=0`);
  const sliders = await tab.evaluate("document.querySelectorAll('input[type=range]').length");
  check("there are sliders of both clocks for both moments", sliders === 4, sliders);
  const differs = () => tab.evaluate("document.querySelector('#difference').textContent");
  const before = await differs();
  await tab.evaluate("document.querySelectorAll('input[type=range]')[0].focus()");
  await tab.key("End", 35);
  await tab.until("document.querySelector('#difference').textContent.includes('Nothing')");
  const after = await differs();
  const isOther = before !== after && after.includes("Nothing");
  check("the slider shows another difference", isOther, after);
  const link = await tab.evaluate("location.search");
  check("the address names the moments", /from=[1-9]/.test(link), link);
  const said = await tab.evaluate(
    "document.querySelectorAll('input[type=range]')[0].getAttribute('aria-valuetext')");
  check("the slider says where it is", said?.includes("Event "), said);
  check("nothing is complained about", tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

async function readLive(browser, address) {
  const tab = await browser.open(`${address}/live?product=live-product`);
  await tab.until("document.getElementById('live-state').textContent.startsWith('Live')");
  const lines = join(folder, "live.jsonl");
  writeFileSync(lines, ["one", evil].map((text, index) => JSON.stringify({
    id: `live-${index}`, type: "transaction.purchased", occurredAt: "2026-02-01T12:00:00Z",
    account: text, product: "live-product", transaction: `live-${index}`,
  })).join("\n"));
  daybook("append", lines);
  await tab.until("document.querySelectorAll('#live-events tbody tr').length === 2");
  const rows = await tab.evaluate("document.querySelectorAll('#live-events tbody tr').length");
  check("new events appear", rows === 2, rows);
  check("a live text stays a text", await tab.evaluate(
    "document.title.startsWith('Live') && !document.querySelector('main img, main script')"));
  const said = await tab.evaluate("document.getElementById('live-state').textContent");
  check("new events are said", said.includes("2 new events"), said);
  await tab.evaluate("document.getElementById('live-pause').click()");
  writeFileSync(lines, JSON.stringify({
    id: "live-9", type: "note.added", occurredAt: "2026-02-01T12:00:00Z", account: "one",
    product: "live-product", source: "operator", data: { operator: "o", text: "t" },
  }));
  daybook("append", lines);
  await tab.until("document.getElementById('live-pause').textContent.includes('(1)')");
  check("a pause holds them back", await tab.evaluate(
    "document.querySelectorAll('#live-events tbody tr').length") === 2);
  await tab.evaluate("document.getElementById('live-pause').click()");
  check("and then they come", await tab.evaluate(
    "document.querySelectorAll('#live-events tbody tr').length") === 3);
  check("the stream complains about nothing", tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

// Signing in, an act with its effect before it is done, and signing out: without scripts.
async function readActs(browser, address, token) {
  const tab = await browser.open(`${address}${customer(account)}`, { scripts: false });
  // Page scripts do not run; the debugger's do.
  const submit = async (fields, form = "main form") => {
    const loads = tab.loads;
    await tab.evaluate(`(() => {
      const form = document.querySelector(${JSON.stringify(form)});
      for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
        form.elements[name].value = value;
      }
      form.querySelector("button").click();
    })()`);
    for (let tries = 0; tries < 500 && tab.loads === loads; tries += 1) await pause(20);
  };
  const text = () => tab.evaluate("document.body.innerText");
  await submit({ token: "wrong" });
  check("a wrong token is said", (await text()).includes("This token is not valid"));
  await submit({ token });
  check("the way leads to what was asked for",
    await tab.evaluate("location.pathname + location.search") === customer(account));
  const cookies = await tab.send("Network.getCookies", { urls: [address] });
  const [cookie] = cookies.cookies;
  check("the cookie is for this site's requests alone",
    cookie?.httpOnly && cookie.sameSite === "Strict", cookie);
  await tab.go(`${address}/acts/grant?account=${account}`);
  await submit({ entitlement: "gift", reason: "ticket 7" });
  const effect = await text();
  check("the effect is shown before", effect.includes("Gains: gift"), effect);
  await submit({}, "form[action='/acts/grant']");
  const done = await text();
  check("the act is done", done.includes("Done: recorded as event"), done);
  check("the customer has it", done.includes("gift"));
  await submit({}, "form.who");
  check("signing out leads to the beginning",
    await tab.evaluate("location.pathname") === "/sign-in");
  await tab.go(`${address}${customer(account)}`);
  check("who has signed out sees nothing", await tab.evaluate("location.pathname") === "/sign-in");
  await tab.close();
}

async function readReplay(browser, address) {
  const tab = await browser.open(`${address}/findings`);
  await tab.evaluate("document.querySelector('a.button').focus()");
  await tab.enter();
  await tab.until("document.querySelector('#detail .eyebrow')?.textContent.length > 0");
  const [step, position] = await tab.evaluate(
    "[document.querySelector('#detail .eyebrow').textContent, location.hash.split('=')[1]]");
  check("the replay is opened at the finding", step === `Event ${position}`, [step, position]);
  check("the replay complains about nothing", tab.complaints.length === 0, tab.complaints);
  await tab.close();
}

fill();
const open = await serve("--open");
const guarded = await serve();
const token = daybook("token", "create", "support", "--scope", "admin", "--operator", "Ada").trim();
await tell();
const browser = await Browser.start(chromium);
try {
  await readPlaces(browser, open.address);
  await readKeys(browser, open.address);
  await readCompare(browser, open.address);
  await readLive(browser, open.address);
  await readReplay(browser, open.address);
  await readActs(browser, guarded.address, token);
} finally {
  browser.stop();
  for (const { child } of [open, guarded]) child.kill("SIGTERM");
  await Promise.all([open, guarded].map(({ child }) => new Promise((done) => {
    if (child.exitCode !== null) done();
    else child.on("exit", done);
  })));
  rmSync(folder, { recursive: true, force: true });
}
console.log(`service pages: ${report.checks} checks, ${report.failures} failed`);
process.exit(report.failures === 0 ? 0 : 1);
