// Calls of the GNU C library that its headers hide unless _GNU_SOURCE is defined, which Swift's own
// module of it does not do. Declared as syncfs(2) and rename(2) do; nothing of Daybook's.
#ifndef DAYBOOK_CFOLDER_SHIM_H
#define DAYBOOK_CFOLDER_SHIM_H

#if defined(__linux__)
#include <sys/resource.h>

// prlimit(2); the resource is an enumeration there.
int prlimit(int process, int resource, const struct rlimit *limit, struct rlimit *old);

int syncfs(int descriptor);
int renameat2(
    int old_folder, const char *old_path, int new_folder, const char *new_path,
    unsigned int flags);

int sync_file_range(int descriptor, long long offset, long long count, unsigned int flags);

// linux/fs.h
enum { DAYBOOK_SYNC_FILE_RANGE_WRITE = 2 };
enum { DAYBOOK_RENAME_NOREPLACE = 1 };
#endif

#endif
