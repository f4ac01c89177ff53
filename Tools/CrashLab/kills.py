"""Kills at random: several writers append at once, and are killed again and again."""

import threading

import history
from auditor import LOST, SIGNAL, Expected, Verdict
from together import together

WRITERS = 3
CYCLES = 10
EVENTS_PER_WRITER = 150
BATCH_EVENTS_MAX = 6
# After an answer, a writer lives on for up to this long.
DELAY_SECONDS_MAX = 0.03
# Without any answer, for up to this long: loading the program alone takes half of it.
START_SECONDS_MAX = 0.15
# The other command, for up to this long.
COMPANY_SECONDS_MAX = 0.3
# Commands that work on the ledger beside the writers, and are killed like them.
COMPANY = [
    ["rebuild"], ["verify"], ["events"], ["stats"], ["rebuild", "--check"],
    ["backup", "{folder}/copy-{cycle}", "--operator", "kim"],
]
# What they may exit with unless they are killed themselves. Whoever is killed beside them, the
# ledger is whole, and none of them has a reason to refuse.
COMPANY_CODES = {0}


class Writer:
    """Somebody who appends events in order, and begins again where the last answer was."""

    def __init__(self, number, random):
        self.number = number
        self.random = random
        self.events = history.events(number, EVENTS_PER_WRITER)
        self.acknowledged = {}
        self.verdict = Verdict()
        self.kills = 0

    def batches(self):
        """What is not answered yet, in batches. What was offered before is offered again."""
        left = [event for event in self.events if event["id"] not in self.acknowledged]
        while left:
            size = self.random.randint(1, BATCH_EVENTS_MAX)
            yield left[:size]
            left = left[size:]

    def hear(self, ran):
        for name, position in ran.acknowledged().items():
            if self.acknowledged.setdefault(name, position) != position:
                self.verdict.add(LOST, f"{name} was acknowledged at two positions")
        if was_killed(ran):
            self.kills += 1
        elif ran.crashed:
            self.verdict.add(SIGNAL, f"append: {ran.crashed}")
        elif ran.code != 0:
            self.verdict.add(LOST, f"append: {ran.said()}")

    def append_until_killed(self, program, ledger):
        answers = self.random.randint(0, EVENTS_PER_WRITER // CYCLES)
        delay = self.random.random() * DELAY_SECONDS_MAX
        timers = []

        def kill_later(count, process):
            if count >= answers and not timers:
                timers.append(threading.Timer(delay, process.kill))
                timers[0].start()

        def watch(process):
            if answers == 0:
                timers.append(threading.Timer(
                    self.random.random() * START_SECONDS_MAX, process.kill))
                timers[0].start()

        self.hear(program.stream(ledger, self.batches(), on_answer=kill_later, on_start=watch))
        for timer in timers:
            timer.cancel()

    def append_rest(self, program, ledger):
        self.hear(program.stream(ledger, self.batches()))


def was_killed(ran):
    """Whether it was killed on purpose, and not because it hung."""
    return ran.signal == "SIGKILL" and not ran.hung


def run(lab):
    """Plays rounds of kills, each on a ledger of its own."""
    total = {"writers": 0, "others": 0}

    def one(number):
        random = lab.random("kills", number)
        folder = lab.folder_named("kills")
        ledger = folder + "/a.ledger"
        lab.must(["init", ledger])
        writers = [Writer(index, lab.random("kills", number, index)) for index in range(WRITERS)]
        verdict = Verdict()
        for cycle in range(CYCLES):
            words = [word.format(folder=folder, cycle=cycle) for word in random.choice(COMPANY)]
            moment = random.random() * COMPANY_SECONDS_MAX

            def company():
                process = lab.program.start(words + ["--ledger", ledger])
                timer = threading.Timer(moment, process.kill)
                timer.start()
                ran = lab.program.finish(process, words)
                timer.cancel()
                if was_killed(ran):
                    total["others"] += 1
                elif ran.crashed:
                    verdict.add(SIGNAL, f"{' '.join(words)}: {ran.crashed}")
                elif ran.code not in COMPANY_CODES:
                    verdict.add(LOST, f"{' '.join(words)} beside writers: {ran.said()}")

            together([company] + [
                lambda writer=writer: writer.append_until_killed(lab.program, ledger)
                for writer in writers])
            if cycle < CYCLES - 1:
                verdict.join(lab.auditor.audit(ledger, expected(writers)))
        together([lambda writer=writer: writer.append_rest(lab.program, ledger)
                  for writer in writers])
        verdict.join(lab.auditor.audit(
            ledger, expected(writers).everything(), product=random.choice(history.PRODUCTS)))
        verdict.join(lab.auditor.compare_with_rebuilt(
            ledger, folder, [f"account-{random.randrange(WRITERS)}-{random.randrange(8)}"]))
        for writer in writers:
            verdict.join(writer.verdict)
            total["writers"] += writer.kills
        return verdict, folder

    def note():
        return (f"{total['writers']} kills, of {WRITERS} writers at once, and "
                f"{total['others']} of other commands beside them")

    return lab.play("kills", lab.numbers(), one, lab.options.seconds, note=note)


def expected(writers):
    acknowledged = {}
    for writer in writers:
        acknowledged.update(writer.acknowledged)
    return Expected([writer.events for writer in writers], acknowledged)
