// libarchive's public interface, and nothing of Daybook's.
#include <archive.h>
#include <archive_entry.h>
