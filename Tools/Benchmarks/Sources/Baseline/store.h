// LMDB as a C program would use it, and a log as Daybook lays it out.
#ifndef BASELINE_STORE_H
#define BASELINE_STORE_H

#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sha256.h"

// Ends the program with the reason; a benchmark has nobody to hand an error to.
#define check(call)                                                             \
  do {                                                                          \
    int check_code = (call);                                                    \
    if (check_code != 0) {                                                      \
      fprintf(stderr, "baseline: %s: %s\n", #call, mdb_strerror(check_code));   \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

typedef struct {
  MDB_env *environment;
  MDB_dbi records, names, people, personal, tree;
  // The nodes on the right edge of the tree, by level, and how many leaves it has.
  uint8_t edge[64][hash_bytes];
  uint64_t leaves, nodes;
  // Where the next row comes from: the log that the Swift side wrote.
  uint64_t names_written, people_written, personal_written;
} Log;

// A log that was written before, to read the same bytes from. Its cursors go forward only.
typedef struct {
  MDB_env *environment;
  MDB_txn *transaction;
  MDB_cursor *records, *names, *people, *personal;
  uint64_t record_count, name_count, people_count, personal_count;
} Source;

double seconds_now(void);

Log log_create(const char *folder);
void log_close(Log *log);

Source source_open(const char *folder);
void source_close(Source *source);

// Writes the next `count` events in one durable commit, and what belongs to them.
void log_append(Log *log, Source *source, uint64_t count);

// Bytes in used pages of all tables.
uint64_t log_used_bytes(Log *log);

#endif
