// What C on LMDB does with the same work: the other half of every ratio.
//
//   baseline append    LOG WORK BATCH COMMITS   COMMITS durable commits of BATCH events each
//   baseline sustained LOG WORK BATCH           every event of LOG, with a line at each power of ten
//   baseline scan      LOG                      every record read in place, its checksum computed
//   baseline lookup    WORK ROWS LOOKUPS        random gets from a table of ROWS rows of 200 bytes
//   baseline size      LOG                      the bytes of used pages, a line for each table
//   baseline self                               known answers of the hashes
//
// LOG is the folder of a log's environment that the Swift side has written: this program reads its
// rows from there and writes the same bytes, with the same checksums and hashes, into a new
// environment in the folder WORK. Each measurement is one line of JSON.
#include <string.h>
#include <sys/stat.h>

#include "store.h"
#include "xxh64.h"

static void say(const char *measure, uint64_t batch, uint64_t events, double seconds, uint64_t bytes) {
  printf(
      "{\"measure\":\"%s\",\"batch\":%llu,\"events\":%llu,\"seconds\":%.6f,\"rate\":%.1f,"
      "\"bytes\":%llu}\n",
      measure, (unsigned long long)batch, (unsigned long long)events, seconds,
      (double)events / seconds, (unsigned long long)bytes);
  fflush(stdout);
}

static void append(const char *log_folder, const char *work, uint64_t batch, uint64_t commits) {
  Source source = source_open(log_folder);
  if (batch * commits > source.record_count) commits = source.record_count / batch;
  Log log = log_create(work);
  double begun = seconds_now();
  for (uint64_t i = 0; i < commits; i++) log_append(&log, &source, batch);
  say("append", batch, batch * commits, seconds_now() - begun, log_used_bytes(&log));
  log_close(&log);
  source_close(&source);
}

// The rate of the events since the mark before: what a long run falls to, not its mean.
static void sustained(const char *log_folder, const char *work, uint64_t batch) {
  Source source = source_open(log_folder);
  Log log = log_create(work);
  uint64_t mark = 100000, marked = 0;
  double begun = seconds_now();
  while (log.leaves < source.record_count) {
    uint64_t left = source.record_count - log.leaves;
    log_append(&log, &source, left < batch ? left : batch);
    if (log.leaves < mark && log.leaves < source.record_count) continue;
    double now = seconds_now();
    printf("{\"measure\":\"sustained\",\"batch\":%llu,\"upTo\":%llu,\"events\":%llu,"
           "\"seconds\":%.6f,\"rate\":%.1f,\"bytes\":%llu}\n",
           (unsigned long long)batch, (unsigned long long)log.leaves,
           (unsigned long long)(log.leaves - marked), now - begun,
           (double)(log.leaves - marked) / (now - begun),
           (unsigned long long)log_used_bytes(&log));
    fflush(stdout);
    marked = log.leaves;
    mark *= 10;
    begun = seconds_now();
  }
  log_close(&log);
  source_close(&source);
}

static void scan(const char *log_folder) {
  Source source = source_open(log_folder);
  uint64_t bytes = 0, faults = 0;
  MDB_val key, value;
  double begun = seconds_now();
  while (mdb_cursor_get(source.records, &key, &value, MDB_NEXT) == 0) {
    const uint8_t *record = value.mv_data;
    size_t body = value.mv_size - 8;
    faults += xxh64(record, body) != xxh_load64(record + body);
    bytes += value.mv_size;
  }
  double seconds = seconds_now() - begun;
  if (faults != 0) fprintf(stderr, "baseline: %llu damaged records\n", (unsigned long long)faults);
  say("scan", 1, source.record_count, seconds, bytes);
  source_close(&source);
}

static void size(const char *folder) {
  MDB_env *environment;
  MDB_txn *transaction;
  MDB_dbi names;
  MDB_cursor *cursor;
  MDB_val key, value;
  check(mdb_env_create(&environment));
  check(mdb_env_set_maxdbs(environment, 64));
  check(mdb_env_open(environment, folder, MDB_RDONLY | MDB_NOTLS, 0600));
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
  check(mdb_dbi_open(transaction, NULL, 0, &names));
  check(mdb_cursor_open(transaction, names, &cursor));
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
    char name[64] = {0};
    MDB_dbi table;
    MDB_stat stat;
    memcpy(name, key.mv_data, key.mv_size < sizeof name - 1 ? key.mv_size : sizeof name - 1);
    check(mdb_dbi_open(transaction, name, 0, &table));
    check(mdb_stat(transaction, table, &stat));
    printf(
        "{\"measure\":\"size\",\"table\":\"%s\",\"events\":%zu,\"bytes\":%zu}\n", name,
        stat.ms_entries,
        stat.ms_psize * (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages));
  }
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
}

static uint64_t mix(uint64_t word) {
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return word ^ word >> 31;
}

static void fill(MDB_env *environment, MDB_dbi table, uint64_t rows) {
  MDB_txn *transaction;
  uint8_t row[200];
  memset(row, 'r', sizeof row);
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  for (uint64_t i = 0; i < rows; i++) {
    uint64_t hash = mix(i + 1);
    MDB_val key = {sizeof hash, &hash}, value = {sizeof row, row};
    memcpy(row, &hash, sizeof hash);
    check(mdb_put(transaction, table, &key, &value, 0));
  }
  check(mdb_txn_commit(transaction));
}

// With one transaction for all, and with the newest snapshot for each: what a library that answers
// from the newest state has to do.
static void lookup(const char *work, uint64_t rows, uint64_t lookups) {
  Log log = log_create(work);
  fill(log.environment, log.records, rows);
  for (int renews = 0; renews < 2; renews++) {
    MDB_txn *transaction;
    uint64_t sum = 0;
    check(mdb_txn_begin(log.environment, NULL, MDB_RDONLY, &transaction));
    double begun = seconds_now();
    for (uint64_t i = 0; i < lookups; i++) {
      uint64_t hash = mix(mix(i) % rows + 1);
      MDB_val key = {sizeof hash, &hash}, value;
      if (renews) {
        mdb_txn_reset(transaction);
        check(mdb_txn_renew(transaction));
      }
      check(mdb_get(transaction, log.records, &key, &value));
      sum += ((const uint8_t *)value.mv_data)[199];
    }
    double seconds = seconds_now() - begun;
    if (sum != lookups * 'r') fprintf(stderr, "baseline: a look-up found another row\n");
    say(renews ? "lookup.renewed" : "lookup", 1, lookups, seconds, 0);
    mdb_txn_abort(transaction);
  }
  log_close(&log);
}

static void self(void) {
  // SHA-256 of "abc", and of 1 + 65 + 0 bytes so that more than one block is hashed.
  static const uint8_t abc[hash_bytes] = {
      0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  uint8_t hash[hash_bytes];
  sha256_prefixed('a', (const uint8_t *)"bc", 2, NULL, 0, hash);
  int good = memcmp(hash, abc, hash_bytes) == 0;
  uint8_t text[200];
  memset(text, 'x', sizeof text);
  for (size_t count = 0; count <= sizeof text; count += 8) {
    sha256_prefixed(0, text, count, text, sizeof text - count, hash);
    printf("%02x%02x", hash[0], hash[31]);
  }
  printf("\n{\"measure\":\"self\",\"sha256\":%s,\"xxh64\":%s}\n", good ? "true" : "false",
         xxh64((const uint8_t *)"", 0) == 0xEF46DB3751D8E999u ? "true" : "false");
}

static uint64_t number(const char *text) { return strtoull(text, NULL, 10); }

int main(int count, char **words) {
  const char *measure = count > 1 ? words[1] : "";
  if (strcmp(measure, "append") == 0 && count == 6) {
    append(words[2], words[3], number(words[4]), number(words[5]));
  } else if (strcmp(measure, "sustained") == 0 && count == 5) {
    sustained(words[2], words[3], number(words[4]));
  } else if (strcmp(measure, "scan") == 0 && count == 3) {
    scan(words[2]);
  } else if (strcmp(measure, "lookup") == 0 && count == 5) {
    lookup(words[2], number(words[3]), number(words[4]));
  } else if (strcmp(measure, "size") == 0 && count == 3) {
    size(words[2]);
  } else if (strcmp(measure, "self") == 0) {
    self();
  } else {
    fprintf(stderr, "baseline: expected append, sustained, scan, lookup, size or self; see main.c\n");
    return 64;
  }
  return 0;
}
