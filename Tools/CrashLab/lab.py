"""Where rounds are played: the folder, the program, the table and what is kept."""

import glob
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import zlib

import auditor
import program
import reader
from auditor import FAILURES, OUTCOMES, SIGNAL, Verdict
from together import together

# Of one technique, no more folders of failed rounds are kept than this.
KEPT_FOLDERS_MAX = 5
# A long run says how far it is.
PROGRESS_SECONDS = 60


def label(item):
    """The name of a round, by which it can be played again; or what failed that is no round."""
    return ":".join(map(str, item)) if isinstance(item, tuple) else str(item)


def laboratory_failed(error):
    """The verdict on a round that was not played to its end, which is no good one."""
    verdict = Verdict()
    verdict.add(SIGNAL, f"the laboratory failed: {type(error).__name__}: {error}")
    return verdict


class Tally:
    """The outcomes of one technique."""

    def __init__(self, technique, note=str):
        self.technique = technique
        self.counts = dict.fromkeys(OUTCOMES, 0)
        self.failures = []
        self.begun = self.told = time.monotonic()
        self.seconds = 0.0
        self.skipped = None
        self.describe = note
        self.note = ""

    @property
    def rounds(self):
        return sum(self.counts.values())

    @property
    def failed(self):
        """Whether something was found, or nothing was tested although nothing was in the way."""
        found = any(self.counts[outcome] for outcome in FAILURES)
        return found or (self.skipped is None and self.rounds == 0)


class Lab:
    """Plays rounds in a folder of its own."""

    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        os.makedirs(self.folder, exist_ok=True)
        self.program = program.Program(
            options.program, self.folder, options.preload, options.timeout)
        asked = self.program
        if options.reader:
            asked = reader.ReadingProgram(self.program, options.reader)
        self.auditor = auditor.Auditor(asked)
        # A damaged page ends a process that reads it through mapped memory. The program says where
        # the damage is; a program of somebody else's, such as the reader, does not.
        self.auditor_of_damage = auditor.Auditor(self.program)
        # The items of a technique are made under it, and making them takes places.
        self.lock = threading.RLock()
        self.number = 0

    def random(self, *words):
        """Random numbers that only the seed and these words decide."""
        return random.Random("/".join(str(word) for word in (self.options.seed, *words)))

    def wanted(self, operations):
        """Those of the operations that are asked for."""
        names = self.options.command
        return [operation for operation in operations if not names or operation.name in names]

    def must(self, words):
        """Runs a command that prepares a round."""
        ran = self.program.run(words)
        if ran.code != 0:
            raise SystemExit(f"crashlab: {' '.join(words)}: {ran.said()}")
        return ran

    @staticmethod
    def write(path, events):
        with open(path, "wb") as file:
            file.write(program.as_lines(events))

    def folder_named(self, name):
        """A new folder."""
        with self.lock:
            self.number += 1
            path = f"{self.folder}/{name}-{self.number}"
        os.makedirs(path)
        return path

    def copy(self, base):
        """A copy of a folder; holes stay holes."""
        path = self.folder_named("round")
        subprocess.run(["cp", "-r", "--sparse=always", base + "/.", path], check=True)
        return path

    def chosen(self, points):
        """As many of the points as rounds are wanted, spread by the seed; or the one asked for."""
        points = list(points)
        if self.options.only is not None:
            # Even if the list has it no more: threads make their calls in another order each time.
            return [tuple(int(word) if word.isdigit() else word
                          for word in self.options.only.split(":"))]
        points = self.of_part(points)
        self.random("order").shuffle(points)
        return points if self.options.rounds is None else points[:self.options.rounds]

    def of_part(self, points):
        """Those of the points that are in the part that is asked for; all if none is.

        A point is in one part, in whichever session it is counted, because its name decides.
        """
        if self.options.part is None:
            return points
        part, parts = self.options.part
        return [point for point in points if zlib.crc32(label(point).encode()) % parts == part - 1]

    def numbers(self):
        """The numbers of the rounds, where rounds have no other name."""
        if self.options.only is not None:
            if not self.options.only.isdigit():
                raise SystemExit(f"crashlab: --only {self.options.only}: these rounds have numbers")
            return [int(self.options.only)]
        return range(self.options.rounds)

    def play(self, technique, rounds, run, seconds=None, jobs=None, note=str):
        """Runs `run(round)` for each of `rounds`, several at once, and counts the outcomes.

        `run` returns a Verdict and the folder of the round, which is removed unless it failed.
        `note` says what was done so far.
        """
        tally = Tally(technique, note)
        limit = float("inf") if seconds is None else tally.begun + seconds
        rounds = iter(rounds)

        def work():
            while time.monotonic() < limit:
                with self.lock:
                    try:
                        item = next(rounds, self)
                    # Rounds may be made here, from commands that are recorded. What failed has no
                    # further rounds, which must not look as if it had come to its end.
                    except (Exception, SystemExit) as error:
                        self.count(tally, "preparation", laboratory_failed(error), None)
                        return
                if item is self:
                    return
                verdict, folder = self.attempt(run, item)
                with self.lock:
                    self.count(tally, item, verdict, folder)
                if folder:
                    shutil.rmtree(folder, ignore_errors=True)

        together([work] * (jobs or self.options.jobs))
        tally.seconds = time.monotonic() - tally.begun
        tally.note = note()
        self.count_reports(tally)
        return tally

    def count_reports(self, tally):
        """Counts what a sanitizer has reported since it was last asked, each process for a round.

        Most of these processes have failed a round by their exit code already.
        """
        for path in sorted(glob.glob(f"{self.folder}/{program.REPORTS}.*")):
            with open(path, encoding="utf-8", errors="replace") as file:
                report = file.read()
            verdict = Verdict()
            verdict.add(SIGNAL, next((line for line in report.splitlines() if "WARNING" in line
                                      or "ERROR" in line or "SUMMARY" in line), report[:200]))
            folder = self.folder_named("report")
            shutil.move(path, folder)
            self.count(tally, "sanitizer", verdict, folder)
            shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def attempt(run, item):
        try:
            return run(item)
        # A fault of the laboratory must not pass for a good round.
        except (Exception, SystemExit) as error:
            return laboratory_failed(error), None

    def fail(self, tally, why):
        """Counts that a technique has not tested what it is for."""
        verdict = Verdict()
        verdict.add(SIGNAL, f"the laboratory failed: {why}")
        self.count(tally, "technique", verdict, None)

    def count(self, tally, item, verdict, folder):
        tally.counts[verdict.outcome] += 1
        if time.monotonic() - tally.told > PROGRESS_SECONDS:
            tally.told = time.monotonic()
            counts = ", ".join(f"{count} {what}" for what, count in tally.counts.items() if count)
            print(f"{time.strftime('%H:%M')} {tally.technique}: {counts}; {tally.describe()}",
                  file=sys.stderr, flush=True)
        if verdict.details and (self.options.verbose or verdict.failed):
            print(f"  {tally.technique} {label(item)}: {'; '.join(verdict.details)[:400]}",
                  file=sys.stderr)
        if not verdict.failed:
            return
        kept = None
        if folder and len(tally.failures) < KEPT_FOLDERS_MAX and self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            number = len(tally.failures)
            kept = f"{self.options.keep}/{tally.technique}-{self.options.seed}-{number}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.move(folder, kept)
        tally.failures.append((item, verdict, kept))
