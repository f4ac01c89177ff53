"""Power cuts: images of every moment of a command, with any part of what was not synced."""

import hashlib
import os

import disk
import history
import operations
import recorder
from program import Ran

# What of the unsynced steps reaches the disk. Each image draws one of them.
CHOICES = ["none", "all", "each", "but one", "one", "prefix", "torn"]
STREAM_BATCHES = 5
STREAM_BATCH_EVENTS = 5
# Of the images of one command, this part is also run through to a second end.
FULLY_JUDGED_PART = 0.15
# Many moments have the same images. After so many draws without a new one, there are no more.
TRIES_MAX = 400


class AppendStream(operations.Append):
    """Appends many batches, each after the one before it was answered."""

    def batches(self):
        size = STREAM_BATCH_EVENTS
        return [history.events(1, size, batch * size) for batch in range(STREAM_BATCHES)]


class FirstAppend(AppendStream):
    """Appends to a ledger that is empty, so that key file and root are made."""

    name = "first append"

    def prepare(self, lab, folder):
        lab.must(["init", self.ledger(folder)])

    def expected(self, acknowledged):
        return operations.Expected([sum(self.batches(), [])], acknowledged)


RECORDED = [AppendStream(), FirstAppend()] + operations.ALL[1:]


class Recording:
    """A command's steps on the disk, and its answers."""

    def __init__(self, lab, operation, drops_syncs=False):
        self.operation = operation
        base = lab.place("base-" + operation.name.replace(" ", "-"))
        operation.prepare(lab, base)
        folder = lab.copy(base)
        trace = folder + ".trace"
        ran = operation.perform(lab, folder, recorder.recording(trace, drops_syncs))
        if ran.code != 0:
            raise SystemExit(f"crashlab: {operation.name} fails when recorded: {ran.said()}")
        self.disk = disk.Disk(folder, base).replay(recorder.read(trace))
        self.folder = folder
        last = max([step.ended for step in self.disk.steps] + [at for at, _ in self.disk.answers])
        # A moment after each step and each answer, and one after the process has ended.
        self.moments = sorted({step.begun for step in self.disk.steps}
                              | {step.ended for step in self.disk.steps}
                              | {step.lasts for step in self.disk.steps} - {disk.NEVER}
                              | {at for at, _ in self.disk.answers}) + [last + 1]

    def ran(self, moment):
        """What somebody had heard of the command when the power went."""
        text = b"".join(data for at, data in self.disk.answers if at <= moment)
        code = 0 if moment == self.moments[-1] else None
        return Ran([self.operation.name], code, text.decode("utf-8", "replace"), "")

    def image(self, moment, choice, random):
        """The disk as a power cut at this moment may leave it."""
        before = [step for step in self.disk.steps if step.begun <= moment]
        lasting = {step for step in before if step.lasts <= moment}
        open_ = [step for step in before if step not in lasting]
        kept, sector = set(), None
        if choice == "all":
            kept = set(open_)
        elif choice == "each":
            kept = {step for step in open_ if random.random() < 0.5}
        elif choice == "but one" and open_:
            kept = set(open_) - {random.choice(open_)}
        elif choice == "one" and open_:
            kept = {random.choice(open_)}
        elif choice == "prefix":
            kept = set(open_[:random.randrange(len(open_) + 1)])
        elif choice == "torn":
            kept, sector = set(open_), random.choice(disk.SECTORS)
        if choice == "torn" and random.random() < 0.5:
            # Names as a file system with a journal keeps them: in their order.
            names = [step for step in open_ if step.kind in ("name", "gone")]
            kept -= set(names[random.randrange(len(names) + 1):])
        steps = [step for step in before if step in lasting or step in kept]
        return disk.Image(self.disk, steps, lasting, sector, random)


def drawn(lab, recording, number):
    """The moment of an image, and the random numbers that decide what it has.

    The first images are of the end, when all was answered and must last.
    """
    random = lab.random("cuts", recording.operation.name, number)
    if number <= len(CHOICES):
        return recording.moments[-1], random
    return random.choice(recording.moments), random


def distinct(lab, recording, count):
    """The numbers of images that differ, or of which more was answered: at most `count`."""
    seen = set()
    number = tries = 0
    while len(seen) < count and tries < TRIES_MAX:
        number += 1
        tries += 1
        image, ran, _ = made(lab, recording, number)
        mark = hashlib.sha256(ran.out.encode() + bytes([ran.code == 0]))
        for path, content in image.items():
            mark.update(path.encode() + b"\0")
            mark.update(hashlib.sha256(content or b"").digest())
        if mark.digest() not in seen:
            seen.add(mark.digest())
            tries = 0
            yield number


def in_turn(numbers):
    """One of each command at a time, so that a run that is limited in time has some of each."""
    while numbers:
        for name in list(numbers):
            number = next(numbers[name], None)
            if number is None:
                del numbers[name]
            else:
                yield name, number


def made(lab, recording, number):
    """The image of a number, what was heard of the command, and further random numbers."""
    moment, random = drawn(lab, recording, number)
    image = recording.image(moment, CHOICES[(number - 1) % len(CHOICES)], random)
    return image, recording.ran(moment), random


def run(lab):
    """Judges images of all commands."""
    return judge(lab, "cuts", [Recording(lab, operation) for operation in RECORDED])


def judge(lab, technique, recordings):
    recordings = {recording.operation.name: recording for recording in recordings}
    if lab.options.only is not None:
        name, number = lab.options.only.rsplit(":", 1)
        rounds = [(name, int(number))]
    else:
        share = -(-lab.options.rounds // len(recordings))
        rounds = in_turn({name: distinct(lab, recording, share)
                          for name, recording in recordings.items()})

    def one(item):
        name, number = item
        recording = recordings[name]
        folder = lab.place("image")
        image, ran, random = made(lab, recording, number)
        image.write(folder)
        judging = recording.operation.glance
        if random.random() < FULLY_JUDGED_PART:
            judging = recording.operation.judge
        verdict = judging(lab, folder, ran, random)
        if verdict.failed:
            os.mkdir(folder + "/as-found")
            made(lab, recording, number)[0].write(folder + "/as-found")
        return verdict, folder

    tally = lab.play(technique, rounds, one, lab.options.seconds)
    tally.note = f"images of {len(recordings)} commands, torn at 512 and 4,096 bytes"
    return tally
