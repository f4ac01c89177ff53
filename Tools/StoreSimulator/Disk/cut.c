// What a power cut leaves.
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  disk_leavings leavings;
  uint64_t seed;
  // Of modes that speak of the order of writes: the number of the chosen one.
  uint64_t chosen;
} choice;

static bool coin(uint64_t seed, uint64_t a, uint64_t b) {
  return disk_mixed(seed ^ disk_mixed(a * 0x9E3779B97F4A7C15u ^ disk_mixed(b))) & 1;
}

// Whether the disk has a sector of a write.
static bool has(const choice *choice, uint64_t order, uint64_t sector) {
  switch (choice->leavings) {
    case DISK_LEAVES_NOTHING: return false;
    case DISK_LEAVES_ALL: return true;
    case DISK_LEAVES_WRITES: return coin(choice->seed, order, 0);
    case DISK_LEAVES_SECTORS_512: return coin(choice->seed, order, sector + 1);
    case DISK_LEAVES_SECTORS_4096: return coin(choice->seed, order, sector / 8 + 1);
    case DISK_LEAVES_FIRST: return order <= choice->chosen;
    case DISK_LEAVES_ALL_BUT_ONE: return order != choice->chosen;
    case DISK_LEAVES_ONE: return order == choice->chosen;
    default: return false;
  }
}

// Takes back what the disk does not have, from the last write to the first. A sector that the disk
// has of a write is as that write left it, whatever was lost before.
static uint64_t take_back(disk_file *file, const choice *choice) {
  if (file->count == 0) return 0;
  off_t length = file->size, end = file->size;
  for (size_t index = 0; index < file->count; index++) {
    off_t stop = file->writes[index].offset + (off_t)file->writes[index].count;
    if (stop > end) end = stop;
  }
  size_t sectors = (size_t)end / disk_sector_bytes + 1;
  unsigned char *is_settled = calloc(1, sectors);
  uint64_t lost = 0;
  for (size_t index = file->count; index-- > 0;) {
    disk_write *write = &file->writes[index];
    off_t at = write->offset, stop = write->offset + (off_t)write->count;
    while (at < stop) {
      uint64_t sector = (uint64_t)at / disk_sector_bytes;
      off_t next = ((off_t)sector + 1) * disk_sector_bytes;
      if (next > stop) next = stop;
      if (!is_settled[sector]) {
        if (has(choice, write->order, sector)) {
          is_settled[sector] = 1;
          if (next > length) length = next;
        } else {
          lost++;
          const unsigned char *old = write->old + (at - write->offset);
          system_pwrite(file->descriptor, old, (size_t)(next - at), at);
        }
      }
      at = next;
    }
  }
  free(is_settled);
  // A length that was not synced reaches to the last sector that the disk has.
  struct stat status;
  if (fstat(file->descriptor, &status) == 0 && status.st_size != length) {
    system_ftruncate(file->descriptor, length);
  }
  return lost;
}

// Undoes a change of a name. What it stood for before comes back from the stash.
static void undo(const disk_name *name) {
  char stashed[PATH_MAX];
  snprintf(stashed, sizeof stashed, "%.3000s/%llu", disk.stash, (unsigned long long)name->stashed);
  switch (name->change) {
    case NAME_MADE: system_unlinkat(name->descriptor, name->name, 0); break;
    case FOLDER_MADE: system_unlinkat(name->descriptor, name->name, AT_REMOVEDIR); break;
    case FOLDER_REMOVED: system_mkdirat(name->descriptor, name->name, 0700); break;
    case NAME_REMOVED:
      if (name->stashed) linkat(AT_FDCWD, stashed, name->descriptor, name->name, 0);
      break;
    case NAME_MOVED:
      system_renameat(name->descriptor, name->target, name->descriptor, name->name);
      if (name->stashed) linkat(AT_FDCWD, stashed, name->descriptor, name->target, 0);
      break;
  }
}

// Each folder keeps its first few changes, as file systems with a journal do.
static uint64_t take_back_names(const choice *choice) {
  uint64_t lost = 0;
  for (size_t index = disk.name_count; index-- > 0;) {
    disk_name *name = &disk.names[index];
    // The folder's first change stands for the folder: its number differs from run to run.
    uint64_t count = 0, earlier = 0, first = name->order;
    for (size_t other = 0; other < disk.name_count; other++) {
      if (disk.names[other].folder != name->folder) continue;
      count++;
      if (disk.names[other].order < first) first = disk.names[other].order;
      if (disk.names[other].order < name->order) earlier++;
    }
    uint64_t kept = disk_mixed(choice->seed ^ disk_mixed(first)) % (count + 1);
    if (choice->leavings == DISK_LEAVES_NOTHING) kept = 0;
    if (choice->leavings == DISK_LEAVES_ALL) kept = count;
    if (earlier < kept) continue;
    undo(name);
    lost++;
  }
  for (size_t index = 0; index < disk.name_count; index++) disk_forget_name(&disk.names[index]);
  disk.name_count = 0;
  return lost;
}

static uint64_t chosen_write(uint64_t seed) {
  uint64_t count = 0;
  for (size_t index = 0; index < disk.file_count; index++) count += disk.files[index]->count;
  if (count == 0) return 0;
  uint64_t place = disk_mixed(seed) % count;
  for (size_t index = 0; index < disk.file_count; index++) {
    if (place < disk.files[index]->count) return disk.files[index]->writes[place].order;
    place -= disk.files[index]->count;
  }
  return 0;
}

uint64_t disk_power_on(disk_leavings leavings, uint64_t seed) {
  pthread_mutex_lock(&disk.lock);
  choice choice = {leavings, seed, chosen_write(seed)};
  uint64_t lost = 0;
  for (size_t index = 0; index < disk.file_count; index++) {
    lost += take_back(disk.files[index], &choice);
    disk_forget_file(disk.files[index]);
  }
  disk.file_count = 0;
  for (int index = 0; index < disk_descriptors_max; index++) disk.open[index] = NULL;
  lost += take_back_names(&choice);
  disk.is_off = false;
  disk.fault = DISK_WORKS;
  pthread_mutex_unlock(&disk.lock);
  return lost;
}
