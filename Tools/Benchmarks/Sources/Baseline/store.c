#include "store.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "xxh64.h"

enum { stored_level_min = 4, map_bytes_shift = 38 };

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static MDB_env *open_environment(const char *folder, unsigned flags) {
  MDB_env *environment;
  check(mdb_env_create(&environment));
  check(mdb_env_set_mapsize(environment, (size_t)1 << map_bytes_shift));
  check(mdb_env_set_maxdbs(environment, 8));
  check(mdb_env_open(environment, folder, flags | MDB_NOTLS, 0600));
  return environment;
}

Log log_create(const char *folder) {
  Log log = {0};
  mkdir(folder, 0700);
  log.environment = open_environment(folder, 0);
  MDB_txn *transaction;
  check(mdb_txn_begin(log.environment, NULL, 0, &transaction));
  check(mdb_dbi_open(transaction, "records", MDB_CREATE, &log.records));
  check(mdb_dbi_open(transaction, "names", MDB_CREATE, &log.names));
  check(mdb_dbi_open(transaction, "people", MDB_CREATE, &log.people));
  check(mdb_dbi_open(transaction, "personal", MDB_CREATE, &log.personal));
  check(mdb_dbi_open(transaction, "tree", MDB_CREATE, &log.tree));
  check(mdb_txn_commit(transaction));
  return log;
}

void log_close(Log *log) { mdb_env_close(log->environment); }

static MDB_cursor *open_table(Source *source, const char *name, uint64_t *count) {
  MDB_dbi table;
  MDB_stat stat;
  MDB_cursor *cursor;
  check(mdb_dbi_open(source->transaction, name, 0, &table));
  check(mdb_stat(source->transaction, table, &stat));
  check(mdb_cursor_open(source->transaction, table, &cursor));
  *count = stat.ms_entries;
  return cursor;
}

Source source_open(const char *folder) {
  Source source = {.environment = open_environment(folder, MDB_RDONLY)};
  check(mdb_txn_begin(source.environment, NULL, MDB_RDONLY, &source.transaction));
  source.records = open_table(&source, "records", &source.record_count);
  source.names = open_table(&source, "names", &source.name_count);
  source.people = open_table(&source, "people", &source.people_count);
  source.personal = open_table(&source, "personal", &source.personal_count);
  return source;
}

void source_close(Source *source) {
  mdb_txn_abort(source->transaction);
  mdb_env_close(source->environment);
}

static void put_node(Log *log, MDB_cursor *tree, const uint8_t node[hash_bytes]) {
  uint8_t place[8];
  for (int i = 0; i < 8; i++) place[i] = (uint8_t)(log->nodes >> (56 - 8 * i));
  MDB_val key = {sizeof place, place}, value = {hash_bytes, (void *)node};
  check(mdb_cursor_put(tree, &key, &value, MDB_APPEND));
  log->nodes++;
}

// RFC 6962: a leaf is hashed behind a zero, a node behind a one.
static void add_leaf(Log *log, MDB_cursor *tree, const uint8_t *record, size_t bytes) {
  uint8_t node[hash_bytes];
  sha256_prefixed(0, record, bytes, NULL, 0, node);
  int level = 0;
  for (uint64_t rest = log->leaves; rest & 1; rest >>= 1) {
    sha256_prefixed(1, log->edge[level], hash_bytes, node, hash_bytes, node);
    level++;
    if (level >= stored_level_min) put_node(log, tree, node);
  }
  memcpy(log->edge[level], node, hash_bytes);
  log->leaves++;
}

static void copy_row(MDB_cursor *from, MDB_cursor *to, uint64_t *written) {
  MDB_val key, value;
  check(mdb_cursor_get(from, &key, &value, MDB_NEXT));
  check(mdb_cursor_put(to, &key, &value, MDB_APPEND));
  ++*written;
}

// How many rows of a table are due once `leaves` of `all` records are written: the source does not
// say which record brought a name, so names come evenly.
static uint64_t due(uint64_t rows, uint64_t leaves, uint64_t all) {
  return (uint64_t)((double)rows * (double)leaves / (double)all);
}

void log_append(Log *log, Source *source, uint64_t count) {
  MDB_txn *transaction;
  MDB_cursor *records, *names, *people, *personal, *tree;
  check(mdb_txn_begin(log->environment, NULL, 0, &transaction));
  check(mdb_cursor_open(transaction, log->records, &records));
  check(mdb_cursor_open(transaction, log->names, &names));
  check(mdb_cursor_open(transaction, log->people, &people));
  check(mdb_cursor_open(transaction, log->personal, &personal));
  check(mdb_cursor_open(transaction, log->tree, &tree));
  for (uint64_t i = 0; i < count; i++) {
    MDB_val key, value;
    check(mdb_cursor_get(source->records, &key, &value, MDB_NEXT));
    const uint8_t *bytes = value.mv_data;
    size_t body = value.mv_size - 8;
    if (xxh64(bytes, body) != xxh_load64(bytes + body)) {
      fprintf(stderr, "baseline: a record's checksum does not fit\n");
      exit(1);
    }
    check(mdb_cursor_put(records, &key, &value, MDB_APPEND));
    add_leaf(log, tree, value.mv_data, value.mv_size);
  }
  uint64_t all = source->record_count;
  uint64_t names_due = due(source->name_count, log->leaves, all);
  uint64_t people_due = due(source->people_count, log->leaves, all);
  uint64_t personal_due = due(source->personal_count, log->leaves, all);
  while (log->names_written < names_due) copy_row(source->names, names, &log->names_written);
  while (log->people_written < people_due) copy_row(source->people, people, &log->people_written);
  while (log->personal_written < personal_due) {
    copy_row(source->personal, personal, &log->personal_written);
  }
  check(mdb_txn_commit(transaction));
}

uint64_t log_used_bytes(Log *log) {
  MDB_txn *transaction;
  MDB_dbi tables[] = {log->records, log->names, log->people, log->personal, log->tree};
  uint64_t bytes = 0;
  check(mdb_txn_begin(log->environment, NULL, MDB_RDONLY, &transaction));
  for (int i = 0; i < 5; i++) {
    MDB_stat stat;
    check(mdb_stat(transaction, tables[i], &stat));
    bytes += stat.ms_psize * (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages);
  }
  mdb_txn_abort(transaction);
  return bytes;
}
