// A disk that forgets what was not synced, under the files of one folder.
//
// The calls by which a program reaches its disk (open, pwrite, fdatasync, rename, …) are defined
// again in this target. The executable that links it therefore sends every such call of its own and
// of its shared libraries, LMDB and Foundation among them, through `calls.c`. Files in the watched
// folder are recorded; all others are not looked at. The folder has to be on a tmpfs or another file
// system whose mappings show what was written at once.
//
// What the disk keeps is what POSIX promises and no more. Bytes and lengths last once their file was
// synced, or were written through O_DSYNC. Names last once their folder was synced.
#ifndef DAYBOOK_SIMULATED_DISK_H
#define DAYBOOK_SIMULATED_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  DISK_WORKS = 0,
  // The power goes: this call and all that follow fail with EIO, until `disk_power_on`.
  DISK_CUT = 1,
  // The call fails once with an error, and does nothing. After a sync that failed, what it was to
  // write counts as written for the system and is not on the disk.
  DISK_FAIL = 2,
  // A write is cut short in its middle.
  DISK_SHORT = 3,
} disk_fault;

// What is left of the writes that were not synced.
typedef enum {
  DISK_LEAVES_NOTHING = 0,
  DISK_LEAVES_ALL = 1,
  // Each write by the toss of a coin.
  DISK_LEAVES_WRITES = 2,
  // Each sector of each write by the toss of a coin: later writes may be there without earlier ones.
  DISK_LEAVES_SECTORS_512 = 3,
  DISK_LEAVES_SECTORS_4096 = 4,
  // The first few, in their order.
  DISK_LEAVES_FIRST = 5,
  // All but one.
  DISK_LEAVES_ALL_BUT_ONE = 6,
  // One alone.
  DISK_LEAVES_ONE = 7,
  DISK_LEAVINGS = 8,
} disk_leavings;

// What is wrong with the disk on purpose, to prove that somebody notices.
typedef enum {
  DISK_HONEST = 0,
  // Answers every sync and does nothing.
  DISK_DROPS_SYNCS = 1,
  // Answers every fourth overwriting of a key in a file `keys`, on the average, and does nothing.
  DISK_KEEPS_KEYS = 2,
  // Answers every 64th call, if it writes a page of the log, and does nothing.
  DISK_DROPS_PAGES = 3,
} disk_lie;

// Begins to watch the files under `folder`, an absolute path, and forgets what was watched before.
// What stands there then is on the disk. `stash` is a folder on the same file system, which is not
// watched; the disk keeps removed files there until their removal is durable.
void disk_watch(const char *folder, const char *stash);

// Forgets everything and watches nothing.
void disk_release(void);

// The randomness that `getrandom` gives from now on. Zero gives the system's again.
void disk_seed(uint64_t seed);

void disk_lie_about(disk_lie lie);

// Lets the call with the number `after`, counted from 1 from now on, go wrong. Only calls that
// change a watched file or name, or sync it, are counted.
void disk_plan(disk_fault fault, int error, uint64_t after);

// Whether a planned fault has happened since `disk_plan`.
bool disk_has_failed(void);

// Whether the power is off.
bool disk_is_off(void);

// Turns the power off between two calls.
void disk_power_off(void);

// Makes of the files what a power cut leaves of them, and turns the power on again. No watched file
// may be open or mapped. Returns how many sectors and names were lost.
uint64_t disk_power_on(disk_leavings leavings, uint64_t seed);

// How many calls were counted.
uint64_t disk_calls(void);

// A digest of all calls so far: what was called, with which path, offset and length.
uint64_t disk_trace(void);

// Prints every counted call on standard error.
void disk_tell(bool tells);

// How many writes and names are not synced.
size_t disk_pending(void);

#endif
