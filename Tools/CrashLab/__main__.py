#!/usr/bin/env python3
"""Kills, starves and damages daybook in every way that we know, and judges what is left.

    python3 Tools/CrashLab                     the short form, four minutes of processor time
    python3 Tools/CrashLab --long              all of it: hours
    python3 Tools/CrashLab --controls          faults that it must find, and nothing else
    python3 Tools/CrashLab --technique cuts --seed 7 --rounds 500

Exit code 0 if everything was kept or told; 1 if anything was lost, doubled, silently wrong or ended
by a signal, if the laboratory failed or had nothing to do, or if a control was not found; 64 for
usage; 75 if nothing could be run here.
README.md beside this file says more.
"""

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import backups
import calls
import commands
import controls
import cuts
import damage
import hands
import kills
import limits
import openings
import reader
import tracing
from auditor import OUTCOMES
from lab import Lab, Tally, label
from program import TIMEOUT_SECONDS

EXIT_FOUND, EXIT_USAGE, EXIT_NOTHING_RAN = 1, 64, 75
# Of each technique, no more failed rounds are printed than this.
PRINTED_FAILURES_MAX = 12
PRINTED_DETAIL_MAX = 400
EVERYTHING = 1 << 30


class Technique:
    """What is run, how often by default, whether it needs to trace, and which commands it tries."""

    def __init__(self, run, what, short, long, traces=False, tries=None):
        self.run = run
        self.what = what
        self.short = short
        self.long = long
        self.traces = traces
        # The names of the commands; None if it has no choice of commands.
        self.tries = tries

    def obstacle(self, options, cannot_trace):
        """Why it cannot be played; None if it can."""
        if self.traces and cannot_trace:
            return cannot_trace
        if self.tries and options.command and not set(self.tries) & set(options.command):
            return "tries none of these commands"
        return None


TECHNIQUES = {
    "kills": Technique(kills.run, "several writers, killed at random", 4, 350),
    "calls": Technique(
        calls.kills, "a kill at each system call", 75, EVERYTHING, True, commands.BY_NAME),
    "openings": Technique(
        openings.run, "a kill while another one waits to open", EVERYTHING, EVERYTHING, True),
    "cuts": Technique(
        cuts.run, "power cuts: images of what was synced", 140, 100_000, True, cuts.RECORDED),
    "errors": Technique(
        calls.errors, "an error from each system call", 60, EVERYTHING, True, commands.BY_NAME),
    "limits": Technique(
        limits.run, "small files and disks, few descriptors", 50, EVERYTHING, False,
        commands.BY_NAME),
    "backups": Technique(backups.run, "a backup each second under load, each restored", 2, 200),
    "hands": Technique(hands.run, "many writers, readers, rebuilds and backups at once", 1, 20),
    "damage": Technique(damage.run, "bits, sectors and pages that change", 80, 5_000),
}


def part(text):
    """What `--part` names: (K, N)."""
    found = re.fullmatch(r"([1-9][0-9]*)/([1-9][0-9]*)", text)
    if found is None or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"expected K/N, such as 2/5: {text}")
    return int(found[1]), int(found[2])


def parsed():
    parser = argparse.ArgumentParser(
        prog="crashlab", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", metavar="PATH", help="the program; default: the build's")
    parser.add_argument("--configuration", choices=["debug", "release"], default="debug",
                        help="of which build, without --program")
    parser.add_argument("--technique", action="append", choices=list(TECHNIQUES), default=[],
                        help="only this (repeatable)")
    parser.add_argument("--command", action="append", metavar="NAME", default=[],
                        choices=[*commands.BY_NAME, *cuts.NAMES],
                        help="only this command (repeatable): "
                             + ", ".join([*commands.BY_NAME, *cuts.NAMES]))
    parser.add_argument("--seed", type=int, default=1, help="decides all that is random")
    parser.add_argument("--rounds", type=int, help="how many rounds of each technique")
    parser.add_argument("--seconds", type=float, help="no longer than this for each technique")
    parser.add_argument("--long", action="store_true", help="as many rounds as make sense")
    parser.add_argument("--part", type=part, metavar="K/N",
                        help="of calls, errors, openings and limits, the K-th of N parts: one after "
                             "the other, they play everything once")
    parser.add_argument("--only", metavar="ROUND", help="one round of one --technique again")
    parser.add_argument("--controls", action="store_true", help="run the controls alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="rounds at once")
    parser.add_argument("--timeout", type=int, default=TIMEOUT_SECONDS, metavar="SECONDS",
                        help="a command that is silent for so long hangs; more if the machine is "
                             "busy (default: %(default)s)")
    parser.add_argument("--folder", help="where to work; default: in memory, if there is room")
    parser.add_argument("--preload", metavar="LIBRARY",
                        help="load this before the program (LD_PRELOAD)")
    parser.add_argument("--no-reader", action="store_true",
                        help="ask the program about everything, although the reader is built")
    parser.add_argument("--keep", metavar="FOLDER", help="keep what failed rounds left here")
    parser.add_argument("--verbose", action="store_true", help="print what each round saw")
    options = parser.parse_args()
    if options.only is not None and len(options.technique) != 1:
        parser.error("--only needs one --technique")
    if options.program is None:
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        options.program = f"{root}/.build/{options.configuration}/daybook"
    if not os.access(options.program, os.X_OK):
        print(f"crashlab: there is no program at {options.program}: "
              "run `swift build --product daybook`, or name one with --program", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    options.program = os.path.abspath(options.program)
    options.reader = None if options.no_reader else reader.beside(options.program)
    return options


def working_folder():
    """A new folder in memory if it is large enough: disks make it no better, only slower."""
    memory = "/dev/shm"
    room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30
    return tempfile.mkdtemp(prefix="crashlab-", dir=memory if room else None)


def play(lab, options, cannot_trace):
    """Plays the techniques that are asked for: a tally for each."""
    rounds = options.rounds
    for name, technique in TECHNIQUES.items():
        if options.technique and name not in options.technique:
            continue
        obstacle = technique.obstacle(options, cannot_trace)
        if obstacle:
            tally = Tally(name)
            tally.skipped = obstacle
        else:
            usual = technique.long if options.long else technique.short
            options.rounds = usual if rounds is None else rounds
            tally = technique.run(lab)
        report(tally, options)
        yield tally


def report(tally, options):
    """Prints what one technique found that must not be."""
    if tally.skipped:
        print(f"SKIPPED: {tally.technique}: {tally.skipped}", flush=True)
        return
    for item, verdict, kept in tally.failures[:PRINTED_FAILURES_MAX]:
        print(f"{tally.technique} {label(item)}: {verdict.outcome}: "
              f"{'; '.join(verdict.details)[:PRINTED_DETAIL_MAX]}")
        print(f"  again: {again(tally.technique, item, options)}")
        if kept:
            print(f"  kept: {kept}")
    if len(tally.failures) > PRINTED_FAILURES_MAX:
        print(f"  and {len(tally.failures) - PRINTED_FAILURES_MAX} more of {tally.technique}")
    if not tally.rounds:
        print(f"{tally.technique} has played no round, so it has tested nothing")
    print(f"{tally.technique}: {tally.rounds} rounds, {tally.seconds:.0f} s", flush=True)


def again(technique, item, options):
    """The command that plays a round again; or the whole technique, if it was no round that failed:
    a sanitizer's report, or what prepares the rounds."""
    words = ["python3", "Tools/CrashLab", "--program", options.program, "--technique", technique,
             "--seed", str(options.seed)]
    for name in options.command:
        words += ["--command", name]
    if options.preload:
        words += ["--preload", options.preload]
    if options.no_reader:
        words += ["--no-reader"]
    if options.long:
        words += ["--long"]
    if isinstance(item, str):
        words += ["--rounds", str(options.rounds)]
        if options.part:
            words += ["--part", "/".join(map(str, options.part))]
    else:
        words += ["--only", label(item)]
    return shlex.join(words)


def table(tallies, seed):
    """Technique by outcome."""
    head = ["technique", "rounds", *OUTCOMES, "seconds", "of what"]
    rows = [[tally.technique, tally.rounds, *(tally.counts[outcome] for outcome in OUTCOMES),
             f"{tally.seconds:.0f}", tally.note or tally.skipped]
            for tally in tallies]
    widths = [max(len(str(row[column])) for row in [head, *rows]) for column in range(len(head))]
    print(f"\nseed {seed}")
    for row in [head, *rows]:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


def run_controls(lab, cannot_trace):
    """Plays the controls, and returns whether each fault was found."""
    found = list(controls.run(lab, not cannot_trace))
    for name, is_found in found:
        print(("found   " if is_found else "MISSED  ") + name)
    if cannot_trace:
        print(f"SKIPPED: controls of system calls and power cuts: {cannot_trace}")
    print(f"{sum(is_found for _, is_found in found)} of {len(found)} controls")
    return all(is_found for _, is_found in found)


def main():
    options = parsed()
    mine = options.folder is None
    options.folder = options.folder or working_folder()
    cannot_trace = tracing.missing()
    lab = Lab(options)
    try:
        if options.controls:
            return 0 if run_controls(lab, cannot_trace) else EXIT_FOUND
        tallies = list(play(lab, options, cannot_trace))
        table(tallies, options.seed)
        if any(tally.failed for tally in tallies):
            return EXIT_FOUND
        return 0 if any(tally.rounds for tally in tallies) else EXIT_NOTHING_RAN
    finally:
        if mine:
            shutil.rmtree(options.folder, ignore_errors=True)


sys.exit(main())
