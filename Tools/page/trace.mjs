// A trace of about as many events as asked for: customers who buy maps, on apps that pause, are
// killed, and sometimes finish too early. The same number gives the same bytes.

// Steele, Lea and Flood's SplitMix64, cut to what is needed here.
function* numbers(seed) {
  let state = BigInt(seed);
  for (;;) {
    state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
    let bits = state;
    bits = ((bits ^ (bits >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
    bits = ((bits ^ (bits >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
    yield Number((bits ^ (bits >> 31n)) >> 33n);
  }
}

export function trace(count, hostile = "") {
  const random = numbers(count);
  const below = (bound) => random.next().value % bound;
  const events = [];
  let now = Date.UTC(2024, 2, 4, 9);
  const add = (type, more = {}, data) => {
    now += 40 + below(900);
    events.push({
      id: `event-${events.length + 1}`, type, occurredAt: new Date(now).toISOString(), ...more,
      ...(data ? { data } : {}),
    });
  };
  const maps = ["alps", "coast", "moors", "fens"];
  add("catalog.set", { source: "operator" }, {
    products: maps.map((product) => ({
      product, kind: "nonConsumable", title: product + hostile, entitlements: ["maps"],
      delivery: "store",
    })),
  });
  for (let customer = 1; events.length < count; customer += 1) {
    const who = { account: `customer-${customer}${hostile}`, device: `phone-${customer}` };
    const session = () => ({ ...who, session: `launch-${events.length}` });
    let app = session();
    add("session.started", app, { appVersion: "3.9", systemVersion: "17.3" });
    for (let purchase = 0; purchase < 3 && events.length < count; purchase += 1) {
      const product = maps[below(4)];
      const it = { product, transaction: `${customer}00${purchase}` };
      add("payment.added", { ...app, product, payment: `pay-${it.transaction}` });
      add("transaction.purchasing", { ...app, product, payment: `pay-${it.transaction}` });
      add("transaction.purchased", { ...app, ...it, payment: `pay-${it.transaction}` },
        { downloads: [{ download: "map", contentVersion: "1.2" }] });
      const download = { ...it, download: "map" };
      add("download.requested", { ...app, ...download });
      add("download.waiting", { ...app, ...download }, { progress: 0, timeRemaining: -1 });
      const isTooEarly = below(7) === 0;
      for (let part = 1; part <= 12; part += 1) {
        add("download.progressed", { ...app, ...download }, { progress: part / 12 });
        if (part === 5 && below(4) === 0) {
          add("download.paused", { ...app, ...download }, { progress: part / 12 });
          now += 3600_000;
          add("download.resumeRequested", { ...app, ...download });
        }
        if (part === 7 && below(5) === 0) {
          // Killed: the next launch comes without an end.
          now += 7200_000;
          app = session();
          add("session.started", app, { appVersion: "3.9", systemVersion: "17.3" });
          add("transaction.purchased", { ...app, ...it });
        }
        if (part === 8 && isTooEarly) add("transaction.finished", { ...app, ...it });
        if (part === 8 && isTooEarly) break;
      }
      if (isTooEarly) continue;
      add("download.finished", { ...app, ...download });
      add("content.installStarted", { ...app, ...download });
      add("content.installed", { ...app, ...download }, { contentVersion: "1.2" });
      add("transaction.finished", { ...app, ...it });
    }
    add("session.ended", app);
    now += below(5) * 600_000;
  }
  return events.slice(0, count);
}

export const lines = (events) => events.map((event) => JSON.stringify(event) + "\n").join("");
