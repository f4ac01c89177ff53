"""What the packages hold, and what they do in a clean Debian. Called by Tools/package/check."""
import pathlib
import signal
import sys

import contents
import installing

# Whoever ends it ends what it started: `with` goes on from here.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("package: ended by SIGTERM"))
output = pathlib.Path(sys.argv[2]).resolve()
stage = {"files": contents.run, "install": installing.run}[sys.argv[1]]
failures = stage(output)
for failure in failures:
    print(f"FAILED: {failure}")
if failures:
    sys.exit(f"package: {sys.argv[1]}: {len(failures)} failed")
print(f"package: {sys.argv[1]}: passed")
