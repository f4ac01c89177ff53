// A call of the GNU C library whose header Swift's own module of it does not have. Declared as
// malloc_trim(3) does; nothing of Daybook's, but that it does nothing with other libraries.
#ifndef DAYBOOK_CHEAP_SHIM_H
#define DAYBOOK_CHEAP_SHIM_H

#include <stdlib.h>

#if defined(__GLIBC__)
int malloc_trim(size_t pad);
#endif

static inline void daybook_heap_trim(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

#endif
