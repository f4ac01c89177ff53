// What the simulated disk knows. One lock guards all of it.
#ifndef DAYBOOK_SIMULATED_DISK_STATE_H
#define DAYBOOK_SIMULATED_DISK_STATE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "include/SimulatedDisk.h"

enum { disk_descriptors_max = 4096, disk_sector_bytes = 512 };

// A write that was not synced, with what it has replaced.
typedef struct {
  off_t offset;
  size_t count;
  // What stood there; zeros behind the end of the file.
  unsigned char *old;
  // Its number among all writes.
  uint64_t order;
  // Of a sync that failed: no later sync makes it durable.
  bool is_given_up;
} disk_write;

typedef struct {
  dev_t device;
  ino_t inode;
  // The length that is durable.
  off_t size;
  disk_write *writes;
  size_t count, capacity;
  // Whether it is the file of keys, which a lie may be about.
  bool has_keys, has_pages;
  // The path by which it was first opened.
  char path[PATH_MAX];
  // Open as long as the file is watched, because its name may go.
  int descriptor;
} disk_file;

typedef enum { NAME_MADE, NAME_REMOVED, NAME_MOVED, FOLDER_MADE, FOLDER_REMOVED } disk_change;

// A change of a name that was not synced. Folders are held open, because they may be renamed.
typedef struct {
  disk_change change;
  dev_t device;
  ino_t folder;
  int descriptor;
  char name[NAME_MAX + 1];
  // Of a move: the new name, in the same folder.
  char target[NAME_MAX + 1];
  // What the name stood for before, among the stashed files; 0 for nothing.
  uint64_t stashed;
  uint64_t order;
} disk_name;

typedef struct {
  pthread_mutex_t lock;
  bool is_watching, is_off, has_failed, tells;
  char folder[PATH_MAX], stash[PATH_MAX];
  size_t folder_count;
  disk_fault fault;
  int error;
  uint64_t fault_at, calls, trace, order, stashed, random;
  disk_lie lie;
  disk_file **files;
  size_t file_count, file_capacity;
  disk_name *names;
  size_t name_count, name_capacity;
  // By descriptor: the file, and whether it was opened with O_DSYNC.
  disk_file *open[disk_descriptors_max];
  bool is_direct[disk_descriptors_max];
} disk_state;

extern disk_state disk;

uint64_t disk_mixed(uint64_t word);
bool disk_is_watched(const char *path);

disk_file *disk_file_of(int descriptor, const char *path);
void disk_forget_file(disk_file *file);
void disk_note_write(disk_file *file, off_t offset, size_t count);
// Makes durable what was written in a range, or everything where `count` is 0.
void disk_note_sync(disk_file *file, off_t offset, size_t count);
void disk_give_up(disk_file *file);

// Notes a change in the folder of `path`. `stashed` is what `disk_stash_name` gave.
void disk_note_name(disk_change change, const char *path, const char *target, uint64_t stashed);
// Keeps the file at `path` under another name; 0 where there is none.
uint64_t disk_stash_name(const char *path);
void disk_note_folder_sync(const struct stat *folder);
void disk_forget_name(disk_name *name);

// The calls of the system itself.
int system_open(const char *path, int flags, mode_t mode);
int system_unlinkat(int folder, const char *name, int flags);
ssize_t system_pwrite(int file, const void *bytes, size_t count, off_t offset);
int system_ftruncate(int file, off_t size);
int system_renameat(int folder, const char *name, int other, const char *target);
int system_mkdirat(int folder, const char *name, mode_t mode);
int system_close(int file);

#endif
