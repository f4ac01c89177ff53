// How often this process has allocated memory. The functions of the C library that allocate are
// defined again in this target, so an executable that links it counts its own calls and those of
// its shared libraries. Works with glibc alone.
#ifndef DAYBOOK_ALLOCATIONS_H
#define DAYBOOK_ALLOCATIONS_H

#include <stdint.h>

// Allocations and reallocations since the process began, of all threads.
uint64_t allocation_count(void);

#endif
