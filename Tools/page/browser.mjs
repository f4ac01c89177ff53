// A headless Chromium, driven over a pipe by the DevTools protocol; nothing but Node is needed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
  static async start(program) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "daybook-page-"));
    browser.process = spawn(program, [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--hide-scrollbars=false", "--remote-debugging-pipe",
      `--user-data-dir=${browser.profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.waiting = new Map();
    browser.listeners = [];
    browser.number = 0;
    let rest = Buffer.alloc(0);
    browser.process.stdio[4].on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        browser.receive(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
    return browser;
  }

  receive(message) {
    const answer = this.waiting.get(message.id);
    if (!answer) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) answer.reject(new Error(message.error.message));
    else answer.resolve(message.result);
  }

  send(method, params = {}, sessionId) {
    this.number += 1;
    const id = this.number;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // A tab that notes what it logs, what it throws, and what it asks the network for.
  //
  // With `scripts: false` the page's own scripts do not run. `before` is a script that runs before
  // those of the page.
  async open(url, {
    width = 1280, height = 800, scale = 1, dark = false, touch = false, scripts = true, before = "",
  } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send(
      "Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId, targetId);
    this.listeners.push((message) => tab.note(message));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab.send(domain + ".enable");
    await tab.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: scale, mobile: touch,
    });
    await tab.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    if (!scripts) await tab.send("Emulation.setScriptExecutionDisabled", { value: true });
    if (before) await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: before });
    tab.runsScripts = scripts;
    await tab.go(url);
    return tab;
  }

  stop() {
    this.process.kill("SIGKILL");
    // The browser may still be writing into its profile.
    for (let tries = 0; tries < 40; tries += 1) {
      try {
        rmSync(this.profile, { recursive: true, force: true });
        return;
      } catch {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      }
    }
  }
}

export class Tab {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, complaints: [], requests: [], loads: 0 });
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  note({ method, params, sessionId }) {
    if (sessionId !== this.session) return;
    if (method === "Page.loadEventFired") this.loads += 1;
    if (method === "Runtime.exceptionThrown") {
      const { exceptionDetails } = params;
      this.complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    if (method === "Runtime.consoleAPICalled") {
      this.complaints.push(params.args.map((one) => one.value ?? one.description).join(" "));
    }
    if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
  }

  go(url) { return this.load("Page.navigate", { url }); }

  reload() { return this.load("Page.reload"); }

  async load(method, params) {
    const before = this.loads;
    const { loaderId } = await this.send(method, params);
    // Where only the fragment changes, nothing is loaded.
    const isLoading = method === "Page.reload" || loaderId !== undefined;
    for (let tries = 0; isLoading && this.loads === before && tries < 600; tries += 1) {
      await pause(20);
    }
    await this.settle();
  }

  // Two frames: what was asked to be painted is there.
  settle() {
    if (!this.runsScripts) return pause(200);
    return this.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  async press(key) {
    const text = key.length === 1 ? key : undefined;
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
    await this.settle();
  }

  // A key that does something by itself, such as Tab or End, by its number.
  async key(key, code) {
    const params = { key, code: key, windowsVirtualKeyCode: code };
    await this.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...params });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
    await this.settle();
  }

  async type(text) {
    await this.send("Input.insertText", { text });
    await this.settle();
  }

  // Enter sends a form, follows a link, and opens what is closed.
  async enter() {
    const params = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...params });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
    await pause(50);
  }

  // Waits until something is so; whoever asks looks afterwards.
  async until(expression) {
    for (let tries = 0; tries < 1_000; tries += 1) {
      try {
        if (await this.evaluate(`document.readyState === "complete" && !!(${expression})`)) return;
      } catch (error) {
        // Between two documents there is none.
        if (tries === 999) throw error;
      }
      await pause(20);
    }
  }

  async picture(whole = false) {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png", captureBeyondViewport: whole,
    });
    return Buffer.from(data, "base64");
  }

  // The pages of a printed document, as far as its format tells without being read.
  async printedPages() {
    const { data } = await this.send("Page.printToPDF", { printBackground: true });
    const document = Buffer.from(data, "base64");
    return { document, count: document.toString("latin1").split("/Type /Page\n").length - 1 };
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.target }); }
}

export const pause = (milliseconds) =>
  new Promise((done) => { setTimeout(done, milliseconds); });
