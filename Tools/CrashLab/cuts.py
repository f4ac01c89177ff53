"""Power cuts: images of every moment of a command, with any part of what was not synced."""

import itertools
import os
import shutil

import commands
import disk
import history
import images
import operations
import recorder
from program import Ran

# What of the unsynced steps reaches the disk. Each image draws one of them.
CHOICES = ["none", "all", "each", "but one", "torn", "one", "prefix", "torn"]
# How often the moment is any at all, and not one at which something was not synced.
ANY_MOMENT_CHANCE = 0.25
STREAM_BATCHES = 5
STREAM_BATCH_EVENTS = 5
# Of the images of one command, this part is also run through to a second end.
FULLY_JUDGED_PART = 0.15
# Many moments have the same images. After so many draws without a new one, there are no more.
TRIES_MAX = 400


class AppendStream(operations.Append):
    """Appends many batches, each after the one before it was answered."""

    def __init__(self, sizes=(STREAM_BATCH_EVENTS,) * STREAM_BATCHES):
        self.sizes = sizes

    def batches(self):
        return [history.events(1, size, sum(self.sizes[:index]))
                for index, size in enumerate(self.sizes)]


class FirstAppend(AppendStream):
    """Appends to a ledger that is empty, so that key file and root are made."""

    name = "first append"

    def prepare(self, lab, folder):
        lab.must(["init", self.ledger(folder)])

    def expected(self, acknowledged):
        return operations.Expected([sum(self.batches(), [])], acknowledged)


# Reading an archive takes a second process, which writes nothing, and which cannot be recorded. A
# passphrase makes no other steps than a recipient, and takes a second.
NOT_RECORDED = {"archive install", "passphrase backup"}
# Commands that only power cuts are tried on.
NAMES = [FirstAppend.name]
RECORDED = {*NAMES, *commands.BY_NAME} - NOT_RECORDED


def recorded(lab, generation):
    """The commands that are recorded. Later generations append other numbers of events."""
    sizes = (STREAM_BATCH_EVENTS,) * STREAM_BATCHES
    if generation > 0:
        random = lab.random("cuts", "sizes", generation)
        sizes = tuple(random.randint(1, 2 * STREAM_BATCH_EVENTS)
                      for _ in range(random.randint(1, 2 * STREAM_BATCHES)))
    others = RECORDED - {AppendStream.name, FirstAppend.name}
    return lab.wanted([AppendStream(sizes), FirstAppend(sizes)] + [
        operation for operation in commands.ALL if operation.name in others])


class Recording:
    """A command's steps on the disk, and its answers."""

    def __init__(self, lab, operation, dropped=None):
        self.operation = operation
        base = lab.folder_named("base-" + operation.name.replace(" ", "-"))
        operation.prepare(lab, base)
        folder = lab.copy(base)
        trace = folder + ".trace"
        ran = operation.perform(lab, folder, recorder.recording(trace, dropped))
        if ran.code != 0:
            raise SystemExit(f"crashlab: {operation.name} fails when recorded: {ran.said()}")
        self.disk = disk.Disk(folder, base).replay(recorder.read(trace))
        os.remove(trace)
        for path in (base, folder):
            shutil.rmtree(path)
        last = max([step.ended for step in self.disk.steps] + [at for at, _ in self.disk.answers])
        # A moment after each step and each answer, and one after the process has ended.
        self.moments = sorted({step.begun for step in self.disk.steps}
                              | {step.ended for step in self.disk.steps}
                              | {step.lasts for step in self.disk.steps} - {disk.NEVER}
                              | {at for at, _ in self.disk.answers}) + [last + 1]
        # The more was not synced at a moment, the more disks it may leave.
        self.weights = list(itertools.accumulate(
            sum(step.begun <= moment < step.lasts for step in self.disk.steps)
            for moment in self.moments))

    def ran(self, moment):
        """What somebody had heard of the command when the power went."""
        text = b"".join(data for at, data in self.disk.answers if at <= moment)
        code = 0 if moment == self.moments[-1] else None
        return Ran([self.operation.name], code, text.decode("utf-8", "replace"), "")

    def moment(self, random):
        """A moment at which the power goes."""
        if random.random() < ANY_MOMENT_CHANCE or self.weights[-1] == 0:
            return random.choice(self.moments)
        return random.choices(self.moments, cum_weights=self.weights)[0]

    def chosen(self, moment, choice, random):
        """What a power cut at this moment may leave: the steps, those of them that last, and the
        size of the sectors into which the others are torn, if they are."""
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
            kept = set(open_)
            sector = random.choice(images.SECTORS) if open_ else None
        if choice == "torn" and random.random() < 0.5:
            # Names as a file system with a journal keeps them: in their order.
            names = [step for step in open_ if step.kind in ("name", "gone")]
            kept -= set(names[random.randrange(len(names) + 1):])
        return [step for step in before if step in lasting or step in kept], lasting, sector


class Cut:
    """The power goes at a moment of a recording. Its number decides all about it."""

    def __init__(self, lab, recording, number):
        self.recording = recording
        self.random = lab.random("cuts", recording.operation.name, number)
        # The first images are of the end, when all was answered and must last.
        is_end = number <= len(CHOICES)
        moment = recording.moments[-1] if is_end else recording.moment(self.random)
        self.ran = recording.ran(moment)
        self.steps, self.lasting, self.sector = recording.chosen(
            moment, CHOICES[(number - 1) % len(CHOICES)], self.random)
        # Which of the steps are left: the same ones make the same image, if none is torn.
        self.left = None if self.sector else frozenset(map(id, self.steps))

    def image(self):
        """What is on the disk. To be made once, since it draws further random numbers."""
        return images.Image(
            self.recording.disk, self.steps, self.lasting, self.sector, self.random)


def distinct(lab, recording, count):
    """Numbered cuts, with their images, that differ, or of which more was answered."""
    seen, left = set(), set()
    number = tries = 0
    while count > 0 and tries < TRIES_MAX:
        number += 1
        tries += 1
        cut = Cut(lab, recording, number)
        heard = cut.ran.out, cut.ran.code
        if cut.left is not None and (cut.left, heard) in left:
            continue
        left.add((cut.left, heard))
        image = cut.image()
        mark = image.mark(), heard
        if mark not in seen:
            seen.add(mark)
            tries = 0
            count -= 1
            yield number, (cut, image)


def in_turn(numbers):
    """One of each command at a time, so that a run that is limited in time has some of each."""
    while numbers:
        for name in list(numbers):
            number = next(numbers[name], None)
            if number is None:
                del numbers[name]
            else:
                yield name, number


class Cuts:
    """Images of all commands, recorded anew whenever a recording has no more."""

    def __init__(self, lab):
        self.lab = lab
        # Images that were made and are not judged yet, by what they are called.
        self.ready = {}
        self.generation = 0

    def items(self, count):
        """The names of images, so many."""
        if self.lab.options.only is not None:
            name, generation, number = self.lab.options.only.rsplit(":", 2)
            recording = next(Recording(self.lab, operation)
                             for operation in recorded(self.lab, int(generation))
                             if operation.name == name)
            item = name, int(generation), int(number)
            cut = Cut(self.lab, recording, item[2])
            self.ready[item] = cut, cut.image()
            yield item
            return
        while True:
            for item in itertools.islice(self.of_generation(), count):
                yield item
                count -= 1
            if count == 0:
                return
            self.generation += 1

    def of_generation(self):
        recordings = {operation.name: Recording(self.lab, operation)
                      for operation in recorded(self.lab, self.generation)}
        found = {name: distinct(self.lab, recording, recording.operation.images)
                 for name, recording in recordings.items()}
        for name, (number, cut) in in_turn(found):
            item = name, self.generation, number
            self.ready[item] = cut
            yield item

    def judge(self, item):
        cut, image = self.ready.pop(item)
        operation = cut.recording.operation
        folder = self.lab.folder_named("image")
        image.write(folder)
        part = FULLY_JUDGED_PART / 10 if self.lab.options.long else FULLY_JUDGED_PART
        judging = operation.judge if cut.random.random() < part else operation.glance
        verdict = judging(self.lab, folder, cut.ran, cut.random)
        if verdict.failed:
            os.mkdir(folder + "/as-found")
            image.write(folder + "/as-found")
        return verdict, folder


def run(lab):
    """Judges images of all commands."""
    cuts = Cuts(lab)

    def note():
        return (f"images of {len(recorded(lab, 0))} commands, each recorded "
                f"{cuts.generation + 1} times, torn at 512 and 4,096 bytes")

    return lab.play(
        "cuts", cuts.items(lab.options.rounds), cuts.judge, lab.options.seconds, note=note)
