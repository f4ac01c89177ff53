// SQLite through its C interface, as Tools/bench measures it.
//
//   sqlite all|events ROWS SCHEMA DATABASE BATCH EVENTS SECONDS
//
// Appends the first EVENTS of ROWS (fields between tabs), BATCH in each transaction, for SECONDS at
// most. `all` keeps every index and projection of SCHEMA; `events` the table of events alone, with
// its ids unique. Reading and cutting the rows is outside the measured time. Prints a line of JSON.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { columns = 15, piece_rows_max = 100000, statement_bytes_max = 2048 };
enum {
  column_type = 1, column_time = 2, column_account = 5, column_device = 6, column_sequence = 8,
  column_product = 10, column_transaction = 11, column_download = 13, column_data = 14
};

typedef struct {
  char *line;
  // Where each field begins; NULL where it is absent.
  const char *fields[columns];
} Row;

static sqlite3 *database;

static void check(int code, const char *what) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void execute(const char *text) { check(sqlite3_exec(database, text, 0, 0, 0), text); }

static sqlite3_stmt *prepared(const char *text) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0), text);
  return statement;
}

static void bind(sqlite3_stmt *statement, int place, const Row *row, int column) {
  const char *text = row->fields[column];
  if (text == NULL) {
    check(sqlite3_bind_null(statement, place), "bind");
  } else if (column == column_time || column == column_sequence) {
    check(sqlite3_bind_int64(statement, place, strtoll(text, NULL, 10)), "bind");
  } else {
    check(sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC), "bind");
  }
}

static void run(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), "step");
  check(sqlite3_reset(statement), "reset");
}

static sqlite3_stmt *insertion, *times[4], *holding, *progress, *installation;
static const char *const time_types[] = {
    "transaction.purchased", "purchase.fulfilled", "transaction.finished", "transaction.removed"};
static const char *const time_columns[] = {"purchased", "fulfilled", "finished", "removed"};

static void prepare(int has_projections) {
  insertion = prepared(
      "INSERT INTO events (id, type, occurred_at, source, app, account, device, session, sequence,"
      " payment, product, \"transaction\", original, download, data)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING");
  if (!has_projections) return;
  for (int i = 0; i < 4; i++) {
    char text[statement_bytes_max];
    snprintf(
        text, sizeof text,
        "INSERT INTO transactions (\"transaction\", account, product, %1$s) VALUES (?,?,?,?)"
        " ON CONFLICT DO UPDATE SET %1$s = max(coalesce(%1$s, 0), excluded.%1$s)",
        time_columns[i]);
    times[i] = prepared(text);
  }
  holding = prepared(
      "INSERT INTO holdings (account, product, \"transaction\", since) VALUES (?,?,?,?)"
      " ON CONFLICT DO UPDATE SET \"transaction\" = excluded.\"transaction\","
      " since = excluded.since WHERE excluded.since < since");
  progress = prepared(
      "INSERT INTO downloads (\"transaction\", download, state, data, changed) VALUES (?,?,?,?,?)"
      " ON CONFLICT DO UPDATE SET state = excluded.state, data = excluded.data,"
      " changed = excluded.changed WHERE excluded.changed >= changed");
  installation = prepared(
      "INSERT INTO installed (device, product, data, changed) VALUES (?,?,?,?)"
      " ON CONFLICT DO UPDATE SET data = excluded.data, changed = excluded.changed"
      " WHERE excluded.changed >= changed");
}

static void project(const Row *row) {
  const char *type = row->fields[column_type];
  for (int i = 0; i < 4; i++) {
    if (strcmp(type, time_types[i]) != 0) continue;
    bind(times[i], 1, row, column_transaction);
    bind(times[i], 2, row, column_account);
    bind(times[i], 3, row, column_product);
    bind(times[i], 4, row, column_time);
    run(times[i]);
  }
  if (strcmp(type, "transaction.purchased") == 0 && row->fields[column_account] != NULL) {
    bind(holding, 1, row, column_account);
    bind(holding, 2, row, column_product);
    bind(holding, 3, row, column_transaction);
    bind(holding, 4, row, column_time);
    run(holding);
  } else if (strncmp(type, "download.", 9) == 0) {
    bind(progress, 1, row, column_transaction);
    bind(progress, 2, row, column_download);
    bind(progress, 3, row, column_type);
    bind(progress, 4, row, column_data);
    bind(progress, 5, row, column_time);
    run(progress);
  } else if (strcmp(type, "content.installed") == 0) {
    bind(installation, 1, row, column_device);
    bind(installation, 2, row, column_product);
    bind(installation, 3, row, column_data);
    bind(installation, 4, row, column_time);
    run(installation);
  }
}

static void append(const Row *rows, size_t count, int has_projections) {
  execute("BEGIN IMMEDIATE");
  for (size_t i = 0; i < count; i++) {
    for (int column = 0; column < columns; column++) bind(insertion, column + 1, &rows[i], column);
    run(insertion);
    // An event that was there already has changed nothing.
    if (has_projections && sqlite3_changes(database) > 0) project(&rows[i]);
  }
  execute("COMMIT");
}

// Reads up to `count` rows, and returns how many there were.
static size_t read_rows(FILE *file, Row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t room = 0;
    rows[i].line = NULL;
    ssize_t length = getline(&rows[i].line, &room, file);
    if (length <= 0) {
      free(rows[i].line);
      return i;
    }
    rows[i].line[length - 1] = 0;
    char *rest = rows[i].line;
    for (int column = 0; column < columns; column++) {
      const char *field = strsep(&rest, "\t");
      if (field == NULL) {
        fprintf(stderr, "sqlite: a row with fewer than %d fields\n", columns);
        exit(1);
      }
      rows[i].fields[column] = strcmp(field, "\\N") == 0 ? NULL : field;
    }
  }
  return count;
}

static void open_database(const char *path, const char *schema_path, int has_projections) {
  check(sqlite3_open(path, &database), "open");
  execute("PRAGMA journal_mode=WAL");
  execute("PRAGMA synchronous=FULL");
  execute("PRAGMA cache_size=-262144");
  FILE *file = fopen(schema_path, "r");
  static char schema[65536];
  if (file == NULL || fread(schema, 1, sizeof schema - 1, file) == 0) {
    fprintf(stderr, "sqlite: %s cannot be read\n", schema_path);
    exit(1);
  }
  fclose(file);
  // The first statement is the table of events.
  char *end = strstr(schema, "STRICT;");
  if (!has_projections && end != NULL) end[strlen("STRICT;")] = 0;
  execute(schema);
}

int main(int count, char **words) {
  if (count != 8) {
    fprintf(stderr, "usage: sqlite all|events ROWS SCHEMA DATABASE BATCH EVENTS SECONDS\n");
    return 64;
  }
  int has_projections = strcmp(words[1], "all") == 0;
  FILE *file = fopen(words[2], "r");
  if (file == NULL) {
    perror(words[2]);
    return 1;
  }
  size_t batch = strtoull(words[5], NULL, 10), events = strtoull(words[6], NULL, 10);
  double limit = strtod(words[7], NULL), time = 0;
  open_database(words[4], words[3], has_projections);
  prepare(has_projections);
  Row *rows = malloc(piece_rows_max * sizeof *rows);
  size_t done = 0;
  while (done < events && time < limit) {
    size_t wanted = events - done < piece_rows_max ? events - done : piece_rows_max;
    size_t read = read_rows(file, rows, wanted);
    if (read == 0) break;
    double begun = seconds_now();
    for (size_t start = 0; start < read && time + seconds_now() - begun < limit; start += batch) {
      size_t size = read - start < batch ? read - start : batch;
      append(rows + start, size, has_projections);
      done += size;
    }
    time += seconds_now() - begun;
    for (size_t i = 0; i < read; i++) free(rows[i].line);
  }
  sqlite3_stmt *count_rows = prepared("SELECT count(*) FROM events");
  check(sqlite3_step(count_rows), "count");
  printf(
      "{\"events\":%zu,\"seconds\":%.6f,\"stored\":%lld,\"version\":\"%s\"}\n", done, time,
      (long long)sqlite3_column_int64(count_rows, 0), sqlite3_libversion());
  return 0;
}
