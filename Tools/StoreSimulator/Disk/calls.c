// The calls of the C library by which a program reaches its disk, defined again.
#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

disk_state disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

// MARK: - The system's own

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  static long (*next)(long, ...);
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return next(number, a, b, c, d, e, f);
}

int system_open(const char *path, int flags, mode_t mode) {
  return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}
int system_close(int file) { return (int)system_call(SYS_close, file, 0, 0, 0, 0, 0); }
ssize_t system_pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return system_call(SYS_pwrite64, file, (long)bytes, (long)count, offset, 0, 0);
}
static ssize_t system_write(int file, const void *bytes, size_t count) {
  return system_call(SYS_write, file, (long)bytes, (long)count, 0, 0, 0);
}
static ssize_t system_writev(int file, const struct iovec *parts, int count) {
  return system_call(SYS_writev, file, (long)parts, count, 0, 0, 0);
}
int system_ftruncate(int file, off_t size) {
  return (int)system_call(SYS_ftruncate, file, size, 0, 0, 0, 0);
}
int system_unlinkat(int folder, const char *name, int flags) {
  return (int)system_call(SYS_unlinkat, folder, (long)name, flags, 0, 0, 0);
}
int system_renameat(int folder, const char *name, int other, const char *target) {
  return (int)system_call(SYS_renameat, folder, (long)name, other, (long)target, 0, 0);
}
int system_mkdirat(int folder, const char *name, mode_t mode) {
  return (int)system_call(SYS_mkdirat, folder, (long)name, mode, 0, 0, 0);
}

// MARK: - What is watched, and what goes wrong

uint64_t disk_mixed(uint64_t word) {
  word += 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return word ^ word >> 31;
}

bool disk_is_watched(const char *path) {
  if (!disk.is_watching || !path) return false;
  if (strncmp(path, disk.folder, disk.folder_count) != 0) return false;
  if (path[disk.folder_count] != '/' && path[disk.folder_count] != 0) return false;
  // LMDB's lock file is shared memory: it says nothing that has to last.
  size_t count = strlen(path);
  return count < 9 || strcmp(path + count - 9, "/lock.mdb") != 0;
}

typedef enum {
  CALL_WRITE, CALL_SYNC, CALL_TRUNCATE, CALL_CREATE, CALL_UNLINK, CALL_RMDIR, CALL_MKDIR, CALL_RENAME
} disk_call;

static const char *const call_names[] = {
  "write", "sync", "truncate", "create", "unlink", "rmdir", "mkdir", "rename"};

// A path as the trace has it: without the process and the random digits of a copy in the making.
static uint64_t digest(const char *path) {
  uint64_t word = 0xCBF29CE484222325u;
  if (!path) return word;
  for (const char *at = path + disk.folder_count; *at; at++) {
    if (*at == '.' && at[1] >= '0' && at[1] <= '9' && strstr(at, ".part")) {
      at = strstr(at, ".part");
    }
    word = (word ^ (unsigned char)*at) * 0x100000001B3u;
  }
  return word;
}

static void trace(disk_call call, const char *path, uint64_t offset, uint64_t count) {
  uint64_t words[] = {call, digest(path), offset, count};
  for (int index = 0; index < 4; index++) disk.trace = disk_mixed(disk.trace ^ words[index]);
  if (disk.tells) {
    fprintf(
      stderr, "%8llu %s %s %llu %llu\n", (unsigned long long)disk.calls, call_names[call],
      path ? path + disk.folder_count : "folder", (unsigned long long)offset,
      (unsigned long long)count);
  }
}

// Counts a call, and says what becomes of it.
static disk_fault counted(disk_call call, const char *path, uint64_t offset, uint64_t count) {
  if (disk.is_off) {
    errno = EIO;
    return DISK_CUT;
  }
  disk.calls++;
  trace(call, path, offset, count);
  if (disk.fault == DISK_WORKS || disk.calls != disk.fault_at) return DISK_WORKS;
  disk_fault fault = disk.fault;
  disk.fault = DISK_WORKS;
  disk.has_failed = true;
  if (fault == DISK_CUT) disk.is_off = true;
  errno = fault == DISK_CUT ? EIO : disk.error;
  return fault;
}

// Counts a change of a name. `happens` says whether it takes place: a change that was on its way when
// the power went may have reached the disk or not, although its caller is told of an error.
static bool succeeds(disk_call call, const char *path, uint64_t detail, bool *happens) {
  bool was_off = disk.is_off;
  disk_fault fault = counted(call, path, detail, 0);
  *happens = fault == DISK_WORKS || (fault == DISK_CUT && !was_off);
  return fault == DISK_WORKS;
}

static disk_file *watched(int descriptor) {
  if (descriptor < 0 || descriptor >= disk_descriptors_max) return NULL;
  return disk.open[descriptor];
}

// MARK: - Writing

static ssize_t written(
  int descriptor, disk_file *file, off_t offset, const void *bytes, size_t count
) {
  bool was_off = disk.is_off;
  disk_fault fault = counted(CALL_WRITE, file->path, (uint64_t)offset, count);
  if (fault == DISK_FAIL) {
    // What was to be synced at once is written for the system, and may be on the disk or not.
    if (disk.is_direct[descriptor] && disk.error == EIO) {
      disk_note_write(file, offset, count);
      system_pwrite(descriptor, bytes, count, offset);
      file->writes[file->count - 1].is_given_up = true;
      errno = EIO;
    }
    return -1;
  }
  if (fault == DISK_CUT) {
    // The write was on its way when the power went: any part of it may be there.
    if (!was_off) {
      disk_note_write(file, offset, count);
      system_pwrite(descriptor, bytes, count, offset);
    }
    errno = EIO;
    return -1;
  }
  if (fault == DISK_SHORT && count > 1) count /= 2;
  if (disk.lie == DISK_KEEPS_KEYS && file->has_keys && count == 32 && disk.calls % 4 == 0) {
    return (ssize_t)count;
  }
  if (disk.lie == DISK_DROPS_PAGES && file->has_pages && offset >= 8192 && disk.calls % 64 == 0) {
    return (ssize_t)count;
  }
  disk_note_write(file, offset, count);
  ssize_t done = system_pwrite(descriptor, bytes, count, offset);
  if (done < 0) return done;
  if (disk.is_direct[descriptor] && disk.lie != DISK_DROPS_SYNCS) {
    disk_note_sync(file, offset, (size_t)done);
  }
  return done;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (!watched(descriptor)) return system_pwrite(descriptor, bytes, count, offset);
  pthread_mutex_lock(&disk.lock);
  ssize_t done = written(descriptor, disk.open[descriptor], offset, bytes, count);
  pthread_mutex_unlock(&disk.lock);
  return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!watched(descriptor)) return system_write(descriptor, bytes, count);
  pthread_mutex_lock(&disk.lock);
  off_t offset = lseek(descriptor, 0, SEEK_CUR);
  ssize_t done = written(descriptor, disk.open[descriptor], offset, bytes, count);
  if (done > 0) lseek(descriptor, offset + done, SEEK_SET);
  pthread_mutex_unlock(&disk.lock);
  return done;
}

// LMDB writes neighbouring pages in one call. It is one write here, too.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!watched(descriptor)) return system_writev(descriptor, parts, count);
  size_t total = 0;
  for (int index = 0; index < count; index++) total += parts[index].iov_len;
  unsigned char *bytes = malloc(total ? total : 1), *at = bytes;
  for (int index = 0; index < count; index++) {
    memcpy(at, parts[index].iov_base, parts[index].iov_len);
    at += parts[index].iov_len;
  }
  ssize_t done = write(descriptor, bytes, total);
  int error = errno;
  free(bytes);
  errno = error;
  return done;
}

int ftruncate(int descriptor, off_t size) {
  if (!watched(descriptor)) return system_ftruncate(descriptor, size);
  pthread_mutex_lock(&disk.lock);
  disk_file *file = disk.open[descriptor];
  int result = -1;
  if (counted(CALL_TRUNCATE, file->path, 0, (uint64_t)size) == DISK_WORKS) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && status.st_size > size) {
      disk_note_write(file, size, (size_t)(status.st_size - size));
    }
    result = system_ftruncate(descriptor, size);
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

// MARK: - Syncing

static int synced(int descriptor, long call) {
  struct stat status;
  disk_file *file = watched(descriptor);
  if (!disk.is_watching || fstat(descriptor, &status) != 0) {
    return (int)system_call(call, descriptor, 0, 0, 0, 0, 0);
  }
  // A folder, or a file that was opened before it was watched: by what it is.
  if (!file && !S_ISDIR(status.st_mode)) return 0;
  pthread_mutex_lock(&disk.lock);
  int result = -1;
  switch (counted(CALL_SYNC, file ? file->path : NULL, 0, 0)) {
    case DISK_CUT: break;
    case DISK_FAIL:
    case DISK_SHORT:
      if (file) disk_give_up(file);
      break;
    case DISK_WORKS:
      result = 0;
      if (disk.lie == DISK_DROPS_SYNCS) break;
      if (file) {
        disk_note_sync(file, 0, 0);
      } else {
        disk_note_folder_sync(&status);
      }
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// MARK: - Names

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!disk_is_watched(path)) return system_open(path, flags, mode);
  pthread_mutex_lock(&disk.lock);
  bool is_new = (flags & O_CREAT) && access(path, F_OK) != 0;
  int descriptor = -1;
  if (!is_new || counted(CALL_CREATE, path, 0, 0) == DISK_WORKS) {
    descriptor = system_open(path, flags & ~O_TRUNC, mode);
  }
  if (descriptor >= 0 && descriptor < disk_descriptors_max) {
    int error = errno;
    disk.open[descriptor] = NULL;
    if (!(flags & O_DIRECTORY)) {
      disk.open[descriptor] = disk_file_of(descriptor, path);
      disk.is_direct[descriptor] = (flags & O_DSYNC) == O_DSYNC;
    }
    if (is_new) disk_note_name(NAME_MADE, path, NULL, 0);
    errno = error;
  }
  pthread_mutex_unlock(&disk.lock);
  if (descriptor >= 0 && flags & O_TRUNC) ftruncate(descriptor, 0);
  return descriptor;
}

int close(int descriptor) {
  if (watched(descriptor)) {
    pthread_mutex_lock(&disk.lock);
    disk.open[descriptor] = NULL;
    pthread_mutex_unlock(&disk.lock);
  }
  return system_close(descriptor);
}

// Ends a change of a name: notes it, and tells the caller of an error if the power went meanwhile.
static int changed(
  bool is_told, int result, disk_change change, const char *path, const char *target,
  uint64_t stashed
) {
  if (result == 0) disk_note_name(change, path, target, stashed);
  if (is_told) return result;
  errno = EIO;
  return -1;
}

int unlink(const char *path) {
  if (!disk_is_watched(path)) return system_unlinkat(AT_FDCWD, path, 0);
  pthread_mutex_lock(&disk.lock);
  int result = -1;
  bool happens, is_told = succeeds(CALL_UNLINK, path, 0, &happens);
  if (happens) {
    uint64_t stashed = disk_stash_name(path);
    result = system_unlinkat(AT_FDCWD, path, 0);
    result = changed(is_told, result, NAME_REMOVED, path, NULL, stashed);
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

int rmdir(const char *path) {
  if (!disk_is_watched(path)) return system_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
  pthread_mutex_lock(&disk.lock);
  int result = -1;
  bool happens, is_told = succeeds(CALL_RMDIR, path, 0, &happens);
  if (happens) {
    result = system_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
    result = changed(is_told, result, FOLDER_REMOVED, path, NULL, 0);
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!disk_is_watched(path)) return system_mkdirat(AT_FDCWD, path, mode);
  pthread_mutex_lock(&disk.lock);
  int result = -1;
  bool happens = false;
  if (access(path, F_OK) == 0) {
    errno = EEXIST;
  } else {
    bool is_told = succeeds(CALL_MKDIR, path, 0, &happens);
    if (happens) {
      result = system_mkdirat(AT_FDCWD, path, mode);
      result = changed(is_told, result, FOLDER_MADE, path, NULL, 0);
    }
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

int rename(const char *path, const char *target) {
  if (!disk_is_watched(path)) return system_renameat(AT_FDCWD, path, AT_FDCWD, target);
  pthread_mutex_lock(&disk.lock);
  int result = -1;
  bool happens, is_told = succeeds(CALL_RENAME, path, digest(target), &happens);
  if (happens) {
    uint64_t stashed = disk_stash_name(target);
    result = system_renameat(AT_FDCWD, path, AT_FDCWD, target);
    result = changed(is_told, result, NAME_MOVED, path, target, stashed);
  }
  pthread_mutex_unlock(&disk.lock);
  return result;
}

// MARK: - Randomness

// Gives bytes from the seed, and returns whether there is one.
static bool seeded(unsigned char *bytes, size_t count) {
  if (disk.random == 0) return false;
  pthread_mutex_lock(&disk.lock);
  for (size_t index = 0; index < count; index += 8) {
    uint64_t word = disk_mixed(disk.random++);
    memcpy(bytes + index, &word, count - index < 8 ? count - index : 8);
  }
  pthread_mutex_unlock(&disk.lock);
  return true;
}

// Swift's generator and BoringSSL's both ask the system by its number.
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
  long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_getrandom && seeded((unsigned char *)a, (size_t)b)) return b;
  return system_call(number, a, b, c, d, e, f);
}

// The store asks for the secrets of key slots by this name.
int getentropy(void *bytes, size_t count) {
  if (seeded(bytes, count)) return 0;
  return system_call(SYS_getrandom, (long)bytes, (long)count, 0, 0, 0, 0) == (long)count ? 0 : -1;
}
