// What was written to the watched files and is not synced yet.
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *end) {
  size_t path_count = strlen(path), end_count = strlen(end);
  return path_count >= end_count && strcmp(path + path_count - end_count, end) == 0;
}

disk_file *disk_file_of(int descriptor, const char *path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  for (size_t index = disk.file_count; index-- > 0;) {
    disk_file *file = disk.files[index];
    if (file->inode == status.st_ino && file->device == status.st_dev) return file;
  }
  disk_file *file = calloc(1, sizeof *file);
  file->device = status.st_dev;
  file->inode = status.st_ino;
  // What is met for the first time stood there when the disk was watched, or is new.
  file->size = status.st_size;
  file->has_keys = ends_with(path, "/keys");
  file->has_pages = ends_with(path, "/log/data.mdb");
  snprintf(file->path, sizeof file->path, "%s", path);
  file->descriptor = system_open(path, O_RDWR | O_CLOEXEC, 0);
  if (disk.file_count == disk.file_capacity) {
    disk.file_capacity = disk.file_capacity * 2 + 64;
    disk.files = realloc(disk.files, disk.file_capacity * sizeof *disk.files);
  }
  disk.files[disk.file_count++] = file;
  return file;
}

void disk_forget_file(disk_file *file) {
  for (size_t index = 0; index < file->count; index++) free(file->writes[index].old);
  free(file->writes);
  system_close(file->descriptor);
  free(file);
}

void disk_note_write(disk_file *file, off_t offset, size_t count) {
  if (file->count == file->capacity) {
    file->capacity = file->capacity * 2 + 16;
    file->writes = realloc(file->writes, file->capacity * sizeof *file->writes);
  }
  disk_write *write = &file->writes[file->count++];
  *write = (disk_write){.offset = offset, .count = count, .order = ++disk.order};
  write->old = calloc(1, count ? count : 1);
  (void)!pread(file->descriptor, write->old, count, offset);
}

// What was given up and has been written again is as it is now, whatever a power cut undoes.
static void replace_given_up(disk_file *file, const disk_write *later) {
  for (size_t index = 0; index < file->count; index++) {
    disk_write *write = &file->writes[index];
    if (!write->is_given_up || write->order > later->order) continue;
    off_t start = write->offset > later->offset ? write->offset : later->offset;
    off_t stop = write->offset + (off_t)write->count;
    off_t later_stop = later->offset + (off_t)later->count;
    if (later_stop < stop) stop = later_stop;
    if (start >= stop) continue;
    (void)!pread(
      file->descriptor, write->old + (start - write->offset), (size_t)(stop - start), start);
  }
}

void disk_note_sync(disk_file *file, off_t offset, size_t count) {
  off_t end = offset + (off_t)count;
  bool has_given_up = false;
  for (size_t index = 0; index < file->count; index++) {
    has_given_up = has_given_up || file->writes[index].is_given_up;
  }
  size_t kept = 0;
  for (size_t index = 0; index < file->count; index++) {
    disk_write write = file->writes[index];
    bool is_inside = count == 0
      || (write.offset >= offset && write.offset + (off_t)write.count <= end);
    if (write.is_given_up || !is_inside) {
      file->writes[kept++] = write;
      continue;
    }
    if (has_given_up) replace_given_up(file, &write);
    free(write.old);
  }
  file->count = kept;
  struct stat status;
  if (count > 0) {
    if (end > file->size) file->size = end;
  } else if (fstat(file->descriptor, &status) == 0) {
    file->size = status.st_size;
  }
}

void disk_give_up(disk_file *file) {
  for (size_t index = 0; index < file->count; index++) file->writes[index].is_given_up = true;
}
