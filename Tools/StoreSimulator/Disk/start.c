// What has to hold before the program begins, so that one seed gives one history.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Sets and dictionaries have the same order in each run only if the process began with this
// variable, so it is set, and the program begins again.
__attribute__((constructor)) static void begin_again(int count, char **arguments) {
  (void)count;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (getenv("SWIFT_DETERMINISTIC_HASHING")) return;
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
  execv("/proc/self/exe", arguments);
  perror("StoreSimulator: cannot begin again");
  _exit(71);
}
