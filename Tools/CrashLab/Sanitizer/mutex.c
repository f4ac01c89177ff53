// Tells the thread sanitizer about Swift's Mutex, to be loaded before the program (LD_PRELOAD).
//
// A Mutex that nobody else wants is taken and released by atomics in the program itself, which the
// sanitizer sees. Otherwise functions of the standard library do it, which is not built with the
// sanitizer, and everything that the Mutex guards would be reported as a race. Here these functions
// do the same, and say so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void Lock(uint32_t thread, CONTEXT void *mutex);
typedef SWIFT void Unlock(CONTEXT void *mutex);

SWIFT void lock_slow(uint32_t thread, CONTEXT void *mutex) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(CONTEXT void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, CONTEXT void *mutex) {
  ((Lock *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(CONTEXT void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock *)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
