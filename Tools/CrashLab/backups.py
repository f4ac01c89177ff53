"""A backup each second while others append; each is restored and judged."""

import json
import threading
import time

import history
from auditor import LOST, SIGNAL, Expected, Verdict
from copies import IDENTITY, RECIPIENT
from together import together

WRITERS = 2
BACKUPS = 4
SECONDS_BETWEEN = 1.0
EVENTS_PER_WRITER = 5_000
BATCH_EVENTS = 3
# Between two batches, so that the writers have events left until the last backup.
PAUSE_SECONDS = 0.02
# How often a backup is a full one, and how often it is encrypted.
FULL_CHANCE = 0.3
ENCRYPTED_CHANCE = 0.5


class Writer:
    """Somebody who appends from a pipe until it is enough."""

    def __init__(self, number, program, ledger):
        self.events = history.events(number, EVENTS_PER_WRITER)
        self.program = program
        self.ledger = ledger
        self.enough = threading.Event()
        self.answered = 0
        self.ran = None

    def batches(self):
        for first in range(0, len(self.events), BATCH_EVENTS):
            if self.enough.wait(PAUSE_SECONDS):
                return
            yield self.events[first:first + BATCH_EVENTS]

    def count(self, answered, _):
        self.answered = answered

    def run(self):
        self.ran = self.program.stream(self.ledger, self.batches(), on_answer=self.count)


def acknowledged(writers):
    """What was acknowledged by now, and so has to be in every later backup."""
    return {event["id"]: None
            for writer in writers for event in writer.events[:writer.answered]}


class Chain:
    """A full backup and its increments."""

    def __init__(self, lab, folder, random):
        self.lab = lab
        self.folder = folder
        self.random = random
        self.ledger = folder + "/a.ledger"
        self.keys = folder + "/keys.copy"
        self.identity = folder + "/identity"
        self.copies = []
        self.position = None
        self.counts = {"full": 0, "increment": 0, "encrypted": 0}
        with open(self.identity, "w", encoding="utf-8") as file:
            file.write(IDENTITY + "\n")

    def run(self, words, verdict):
        ran = self.lab.program.run(words)
        if ran.crashed:
            verdict.add(SIGNAL, f"{words[0]}: {ran.crashed}")
        elif ran.code != 0:
            verdict.add(LOST, f"{words[0]}: {ran.said()}")
        else:
            return ran.out
        return None

    def extend(self, index, verdict):
        copy = f"{self.folder}/copy-{index}"
        words = ["backup", copy, "--keys", self.keys, "--format", "json", "--operator", "kim",
                 "--ledger", self.ledger]
        is_full = self.position is None or self.random.random() < FULL_CHANCE
        if not is_full:
            words += ["--since", str(self.position)]
        if self.random.random() < ENCRYPTED_CHANCE:
            words += ["--encrypt-to", RECIPIENT]
            self.counts["encrypted"] += 1
        self.counts["full" if is_full else "increment"] += 1
        out = self.run(words, verdict)
        if out is None:
            return False
        self.position = json.loads(out)["position"]
        self.copies = [copy] if is_full else self.copies + [copy]
        return True

    def restore(self, index, verdict):
        restored = f"{self.folder}/restored-{index}"
        out = self.run(["restore", *self.copies, "--keys", self.keys,
                        "--identity", self.identity, "--ledger", restored], verdict)
        return restored if out is not None else None


def run(lab):
    """Plays rounds of backups under load, each on a ledger of its own."""
    total = {"full": 0, "increment": 0, "encrypted": 0}

    def one(number):
        verdict = Verdict()
        folder = lab.folder_named("backups")
        chain = Chain(lab, folder, lab.random("backups", number))
        lab.must(["init", chain.ledger])
        writers = [Writer(index, lab.program, chain.ledger) for index in range(WRITERS)]

        def back_up():
            try:
                for index in range(BACKUPS):
                    time.sleep(SECONDS_BETWEEN)
                    known = acknowledged(writers)
                    if not chain.extend(index, verdict):
                        break
                    restored = chain.restore(index, verdict)
                    if restored is None:
                        break
                    verdict.join(lab.auditor.audit(
                        restored, Expected([writer.events for writer in writers], known)))
            finally:
                for writer in writers:
                    writer.enough.set()

        together([writer.run for writer in writers], back_up)
        for writer in writers:
            if writer.ran.code != 0:
                verdict.add(SIGNAL if writer.ran.crashed else LOST,
                            f"append: {writer.ran.said()}")
        for kind, count in chain.counts.items():
            total[kind] += count
        return verdict, folder

    tally = lab.play("backups", lab.numbers(), one, lab.options.seconds)
    tally.note = (f"{total['full']} full and {total['increment']} increments, "
                  f"{total['encrypted']} encrypted, beside {WRITERS} writers")
    return tally
