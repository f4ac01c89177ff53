"""What is done to a ledger while a fault strikes, and what must hold afterwards."""

import os
import time

import history
from auditor import LOST, SIGNAL, Expected, Verdict

COUNT = 36
# After a twentieth of a second without appends, `append` folds what it has appended.
QUIET_SECONDS = 0.25
OPERATOR = ["--operator", "kim", "--reason", "a trial"]


class Operation:
    """A command on a folder that holds what it needs. Each round works on a copy of it."""

    name = ""
    # After so many images of a power cut, the command is recorded anew. Of a command that takes
    # others to judge it, there are fewer.
    images = 1_000

    def prepare(self, lab, folder):
        """Makes the folder in which rounds begin."""
        self.make_ledger(lab, folder, history.events(0, COUNT))

    def perform(self, lab, folder, before=(), limits=None):
        return lab.program.run(self.words(folder), before, limits)

    def words(self, folder):
        raise NotImplementedError

    def judge(self, lab, folder, ran, random):
        """Judges what the fault has left, and whether the command can be run again to its end."""
        raise NotImplementedError

    def glance(self, lab, folder, ran, random):
        """Judges what is left in fewer questions, and does not run the command again."""
        return self.judge(lab, folder, ran, random)

    @staticmethod
    def ledger(folder):
        return folder + "/a.ledger"

    def make_ledger(self, lab, folder, events):
        ledger = self.ledger(folder)
        lab.must(["init", ledger])
        path = folder + "/first.jsonl"
        lab.write(path, events)
        lab.must(["append", "--ledger", ledger, path])

    def whole(self, erased=(), erasure_is_done=False):
        """All of the first events, acknowledged."""
        return Expected([history.events(0, COUNT)], erased=erased,
                        erasure_is_done=erasure_is_done).everything()

    def again(self, lab, folder, verdict, accepted=(0,)):
        """Runs the command again, without a fault."""
        ran = lab.program.run(self.words(folder))
        if ran.crashed:
            verdict.add(SIGNAL, f"{self.name} again: {ran.crashed}")
        elif accepted and ran.code not in accepted:
            verdict.add(LOST, f"{self.name} cannot be run again: {ran.said()}")
        return ran

    def audit(self, lab, folder, expected, random, ledger=None):
        return lab.auditor.audit(
            ledger or self.ledger(folder), expected, product=random.choice(history.PRODUCTS),
            account=random.choice(accounts(expected)))


def accounts(expected):
    return sorted({event["account"] for event in expected.offered.values() if "account" in event})


class Append(Operation):
    """Appends two batches from a pipe, behind what is already there."""

    name = "append"

    def batches(self):
        return [history.events(1, 7), history.events(1, 5, 7)]

    def perform(self, lab, folder, before=(), limits=None):
        return lab.program.stream(self.ledger(folder), self.batches(), before, limits)

    def words(self, folder):
        return ["append", "--ledger", self.ledger(folder), folder + "/second.jsonl"]

    def expected(self, acknowledged):
        first = {event["id"]: None for event in history.events(0, COUNT)}
        return Expected([history.events(0, COUNT), sum(self.batches(), [])],
                        {**first, **acknowledged})

    def glance(self, lab, folder, ran, random):
        return lab.auditor.audit(self.ledger(folder), self.expected(ran.acknowledged()))

    def judge(self, lab, folder, ran, random):
        verdict = self.audit(lab, folder, self.expected(ran.acknowledged()), random)
        lab.write(folder + "/second.jsonl", sum(self.batches(), []))
        self.again(lab, folder, verdict)
        # Once more on purpose: nothing may be doubled.
        self.again(lab, folder, verdict)
        return verdict.join(
            self.audit(lab, folder, self.expected(ran.acknowledged()).everything(), random))


class Fold(Append):
    """Appends a batch, is quiet until it was folded, and appends another one."""

    name = "fold"

    def perform(self, lab, folder, before=(), limits=None):
        return lab.program.stream(self.ledger(folder), self.paced(), before, limits)

    def paced(self):
        for batch in self.batches():
            yield batch
            time.sleep(QUIET_SECONDS)


class Rebuild(Operation):
    """Makes the projections anew."""

    name = "rebuild"

    def words(self, folder):
        return ["rebuild", "--ledger", self.ledger(folder)]

    def glance(self, lab, folder, ran, random):
        return lab.auditor.audit(self.ledger(folder), self.whole())

    def judge(self, lab, folder, ran, random):
        verdict = self.audit(lab, folder, self.whole(), random)
        self.again(lab, folder, verdict)
        return verdict.join(self.audit(lab, folder, self.whole(), random))


class Erase(Operation):
    """Erases a customer."""

    name = "erase"
    account = "account-0-2"

    def words(self, folder):
        return ["erase", self.account, "--yes", *OPERATOR, "--ledger", self.ledger(folder)]

    def glance(self, lab, folder, ran, random):
        return lab.auditor.audit(
            self.ledger(folder), self.whole([self.account], ran.code == 0))

    def judge(self, lab, folder, ran, random):
        # An erasure that was answered is done; another may be, or may be completed now.
        verdict = self.audit(lab, folder, self.whole([self.account], ran.code == 0), random)
        # Of one that was completed, the second says that there is nothing left to erase.
        self.again(lab, folder, verdict, accepted=())
        return verdict.join(self.audit(lab, folder, self.whole([self.account], True), random))


class Init(Operation):
    """Makes an empty ledger."""

    name = "init"
    images = 40
    # There is a ledger already.
    exists = 73

    def prepare(self, lab, folder):
        pass

    def words(self, folder):
        return ["init", self.ledger(folder)]

    def judge(self, lab, folder, ran, random):
        verdict = Verdict()
        ledger = self.ledger(folder)
        if ran.code == 0 and not os.path.exists(ledger):
            verdict.add(LOST, "the ledger was answered and is not there")
        self.again(lab, folder, verdict, accepted=(0, self.exists))
        path = folder + "/first.jsonl"
        lab.write(path, history.events(0, COUNT))
        answer = lab.program.run(["append", "--ledger", ledger, path])
        if answer.crashed:
            verdict.add(SIGNAL, f"append: {answer.crashed}")
        elif answer.code != 0:
            verdict.add(LOST, f"neither init nor append gets on: {answer.said()}")
            return verdict
        return verdict.join(self.audit(lab, folder, self.whole(), random))
