"""Crashes daybook in every way we know, and judges what is left. See README.md beside this."""

import argparse
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import calls
import cuts
import tracing
from auditor import OUTCOMES
from lab import Lab, Tally

TECHNIQUES = {
    "calls": (calls.kills, 120, True),
    "cuts": (cuts.run, 300, True),
    "errors": (calls.errors, 150, True),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=".build/debug/daybook")
    parser.add_argument("--technique", action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--folder", default="/dev/shm/crashlab-%d" % os.getpid())
    parser.add_argument("--verbose", action="store_true")
    o = parser.parse_args()
    lab = Lab(o)
    for name, (run, rounds, _) in TECHNIQUES.items():
        if o.technique and name not in o.technique:
            continue
        t = run(lab)
        print(name, t.counts, t.note, "%.1f s" % t.seconds)
        for item, v, kept in t.failures[:40]:
            print("   ", item, v.outcome, "; ".join(v.details)[:500])
    shutil.rmtree(o.folder)


main()
