-- What SQLite keeps: the events once by their ids, the indexes by which Daybook finds a customer's
-- events, and projections that are current when a batch is committed.
CREATE TABLE events (
  position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
  occurred_at INTEGER NOT NULL, source TEXT, app TEXT, account TEXT, device TEXT, session TEXT,
  sequence INTEGER, payment TEXT, product TEXT, "transaction" TEXT, original TEXT, download TEXT,
  data TEXT) STRICT;
CREATE INDEX events_account ON events (account) WHERE account IS NOT NULL;
CREATE INDEX events_device ON events (device) WHERE device IS NOT NULL;
CREATE INDEX events_payment ON events (payment) WHERE payment IS NOT NULL;
CREATE INDEX events_transaction ON events ("transaction") WHERE "transaction" IS NOT NULL;
CREATE INDEX events_original ON events (original) WHERE original IS NOT NULL;

CREATE TABLE transactions (
  "transaction" TEXT PRIMARY KEY, account TEXT, product TEXT, purchased INTEGER,
  fulfilled INTEGER, finished INTEGER, removed INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE holdings (
  account TEXT, product TEXT, "transaction" TEXT, since INTEGER, PRIMARY KEY (account, product))
  STRICT, WITHOUT ROWID;
CREATE TABLE downloads (
  "transaction" TEXT, download TEXT, state TEXT, data TEXT, changed INTEGER,
  PRIMARY KEY ("transaction", download)) STRICT, WITHOUT ROWID;
CREATE TABLE installed (
  device TEXT, product TEXT, data TEXT, changed INTEGER, PRIMARY KEY (device, product))
  STRICT, WITHOUT ROWID;
