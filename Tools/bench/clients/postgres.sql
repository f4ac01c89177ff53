-- What PostgreSQL keeps: as sqlite.sql, the projections by a trigger for each statement.
CREATE TABLE events (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
  type text NOT NULL, occurred_at bigint NOT NULL, source text, app text, account text,
  device text, session text, sequence bigint, payment text, product text, transaction text,
  original text, download text, data jsonb);
CREATE INDEX events_account ON events (account) WHERE account IS NOT NULL;
CREATE INDEX events_device ON events (device) WHERE device IS NOT NULL;
CREATE INDEX events_payment ON events (payment) WHERE payment IS NOT NULL;
CREATE INDEX events_transaction ON events (transaction) WHERE transaction IS NOT NULL;
CREATE INDEX events_original ON events (original) WHERE original IS NOT NULL;

CREATE TABLE transactions (
  transaction text PRIMARY KEY, account text, product text, purchased bigint, fulfilled bigint,
  finished bigint, removed bigint);
CREATE TABLE holdings (
  account text, product text, transaction text, since bigint, PRIMARY KEY (account, product));
CREATE TABLE downloads (
  transaction text, download text, state text, data jsonb, changed bigint,
  PRIMARY KEY (transaction, download));
CREATE TABLE installed (
  device text, product text, data jsonb, changed bigint, PRIMARY KEY (device, product));

CREATE FUNCTION project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transactions AS kept
  SELECT transaction, max(account), max(product),
    max(occurred_at) FILTER (WHERE type = 'transaction.purchased'),
    max(occurred_at) FILTER (WHERE type = 'purchase.fulfilled'),
    max(occurred_at) FILTER (WHERE type = 'transaction.finished'),
    max(occurred_at) FILTER (WHERE type = 'transaction.removed')
  FROM added
  WHERE type IN (
    'transaction.purchased', 'purchase.fulfilled', 'transaction.finished', 'transaction.removed')
  GROUP BY transaction
  ON CONFLICT (transaction) DO UPDATE SET
    purchased = greatest(kept.purchased, excluded.purchased),
    fulfilled = greatest(kept.fulfilled, excluded.fulfilled),
    finished = greatest(kept.finished, excluded.finished),
    removed = greatest(kept.removed, excluded.removed);
  INSERT INTO holdings AS kept
  SELECT DISTINCT ON (account, product) account, product, transaction, occurred_at
  FROM added
  WHERE type = 'transaction.purchased' AND account IS NOT NULL
  ORDER BY account, product, occurred_at
  ON CONFLICT (account, product) DO UPDATE SET
    transaction = excluded.transaction, since = excluded.since
    WHERE excluded.since < kept.since;
  INSERT INTO downloads AS kept
  SELECT DISTINCT ON (transaction, download) transaction, download, type, data, occurred_at
  FROM added
  WHERE type LIKE 'download.%'
  ORDER BY transaction, download, occurred_at DESC, sequence DESC
  ON CONFLICT (transaction, download) DO UPDATE SET
    state = excluded.state, data = excluded.data, changed = excluded.changed
    WHERE excluded.changed >= kept.changed;
  INSERT INTO installed AS kept
  SELECT DISTINCT ON (device, product) device, product, data, occurred_at
  FROM added
  WHERE type = 'content.installed'
  ORDER BY device, product, occurred_at DESC
  ON CONFLICT (device, product) DO UPDATE SET data = excluded.data, changed = excluded.changed
    WHERE excluded.changed >= kept.changed;
  RETURN NULL;
END $$;
CREATE TRIGGER project AFTER INSERT ON events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION project();
