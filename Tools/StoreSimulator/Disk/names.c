// Names that were made, removed or moved in the watched folder, and are not synced yet.
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stash_path(uint64_t number, char *path) {
  snprintf(path, PATH_MAX, "%.3000s/%llu", disk.stash, (unsigned long long)number);
}

uint64_t disk_stash_name(const char *path) {
  char stashed[PATH_MAX];
  stash_path(disk.stashed + 1, stashed);
  int before = errno;
  bool is_kept = linkat(AT_FDCWD, path, AT_FDCWD, stashed, 0) == 0;
  errno = before;
  return is_kept ? ++disk.stashed : 0;
}

void disk_note_name(
  disk_change change, const char *path, const char *target, uint64_t stashed
) {
  char folder[PATH_MAX], name[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  snprintf(name, sizeof name, "%s", path);
  int descriptor = system_open(dirname(folder), O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return;
  if (disk.name_count == disk.name_capacity) {
    disk.name_capacity = disk.name_capacity * 2 + 64;
    disk.names = realloc(disk.names, disk.name_capacity * sizeof *disk.names);
  }
  disk_name *note = &disk.names[disk.name_count++];
  *note = (disk_name){
    .change = change, .device = status.st_dev, .folder = status.st_ino, .descriptor = descriptor,
    .stashed = stashed, .order = ++disk.order};
  snprintf(note->name, sizeof note->name, "%.255s", basename(name));
  if (target) {
    snprintf(name, sizeof name, "%s", target);
    snprintf(note->target, sizeof note->target, "%.255s", basename(name));
  }
}

void disk_forget_name(disk_name *name) {
  if (name->stashed) {
    char stashed[PATH_MAX];
    stash_path(name->stashed, stashed);
    system_unlinkat(AT_FDCWD, stashed, 0);
  }
  system_close(name->descriptor);
}

void disk_note_folder_sync(const struct stat *folder) {
  size_t kept = 0;
  for (size_t index = 0; index < disk.name_count; index++) {
    disk_name *name = &disk.names[index];
    if (name->folder == folder->st_ino && name->device == folder->st_dev) {
      disk_forget_name(name);
    } else {
      disk.names[kept++] = *name;
    }
  }
  disk.name_count = kept;
}
