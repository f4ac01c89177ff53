// What the simulator asks of its disk.
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(void) {
  for (size_t index = 0; index < disk.file_count; index++) disk_forget_file(disk.files[index]);
  disk.file_count = 0;
  for (size_t index = 0; index < disk.name_count; index++) disk_forget_name(&disk.names[index]);
  disk.name_count = 0;
  memset(disk.open, 0, sizeof disk.open);
}

void disk_watch(const char *folder, const char *stash) {
  pthread_mutex_lock(&disk.lock);
  forget();
  snprintf(disk.folder, sizeof disk.folder, "%s", folder);
  snprintf(disk.stash, sizeof disk.stash, "%s", stash);
  disk.folder_count = strlen(folder);
  disk.is_off = disk.has_failed = false;
  disk.fault = DISK_WORKS;
  disk.calls = disk.trace = disk.order = 0;
  disk.is_watching = true;
  pthread_mutex_unlock(&disk.lock);
}

void disk_release(void) {
  pthread_mutex_lock(&disk.lock);
  forget();
  disk.is_watching = disk.is_off = false;
  disk.fault = DISK_WORKS;
  pthread_mutex_unlock(&disk.lock);
}

void disk_seed(uint64_t seed) { disk.random = seed; }

void disk_lie_about(disk_lie lie) { disk.lie = lie; }

void disk_plan(disk_fault fault, int error, uint64_t after) {
  pthread_mutex_lock(&disk.lock);
  disk.fault = fault;
  disk.error = error;
  disk.fault_at = disk.calls + after;
  disk.has_failed = false;
  pthread_mutex_unlock(&disk.lock);
}

bool disk_has_failed(void) { return disk.has_failed; }

bool disk_is_off(void) { return disk.is_off; }

void disk_power_off(void) { disk.is_off = true; }

uint64_t disk_calls(void) { return disk.calls; }

uint64_t disk_trace(void) { return disk.trace; }

size_t disk_pending(void) {
  size_t count = disk.name_count;
  for (size_t index = 0; index < disk.file_count; index++) count += disk.files[index]->count;
  return count;
}

void disk_tell(bool tells) { disk.tells = tells; }
