"""What is done to a ledger while a fault strikes, and what must hold afterwards."""

import os
import shutil

import history
from auditor import LOST, SIGNAL, SILENT, TOLD, Expected, Verdict

COUNT = 36
OPERATOR = ["--operator", "kim", "--reason", "a trial"]


class Operation:
    """A command on a folder that holds what it needs. Each round works on a copy of it."""

    name = ""

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


class Rebuild(Operation):
    """Makes the projections anew."""

    name = "rebuild"

    def words(self, folder):
        return ["rebuild", "--ledger", self.ledger(folder)]

    def glance(self, lab, folder, ran, random):
        return lab.auditor.audit(self.ledger(folder), self.whole(),
                                 product=random.choice(history.PRODUCTS))

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


class Backup(Operation):
    """Copies the log."""

    name = "backup"

    def words(self, folder):
        return ["backup", folder + "/copy", *OPERATOR, "--ledger", self.ledger(folder)]

    def judge(self, lab, folder, ran, random):
        verdict = self.audit(lab, folder, self.whole(), random)
        copy = folder + "/copy"
        if not os.path.exists(copy):
            if ran.code == 0:
                verdict.add(LOST, "the backup was answered and is not there")
            self.again(lab, folder, verdict)
        restored = folder + "/restored.ledger"
        answer = lab.program.run(["restore", copy, "--keys", self.ledger(folder) + "/keys",
                                  "--ledger", restored])
        if answer.crashed:
            verdict.add(SIGNAL, f"restore: {answer.crashed}")
        elif answer.code != 0:
            verdict.add(LOST, f"a backup has its name and cannot be restored: {answer.said()}")
        else:
            verdict.join(self.audit(lab, folder, self.whole(), random, restored))
        return verdict


class Restore(Operation):
    """Makes a ledger from a backup."""

    name = "restore"

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        lab.must(["backup", folder + "/copy", *OPERATOR, "--ledger", self.ledger(folder)])
        shutil.copy(self.ledger(folder) + "/keys", folder + "/kept-keys")

    def words(self, folder):
        return ["restore", folder + "/copy", "--keys", folder + "/kept-keys",
                "--ledger", folder + "/restored.ledger"]

    def judge(self, lab, folder, ran, random):
        verdict = Verdict()
        restored = folder + "/restored.ledger"
        if os.path.exists(restored):
            found = self.audit(lab, folder, self.whole(), random, restored)
            if ran.code == 0 or not found.failed:
                return found
            # What is there is not whole. It must say so, and make room when it is removed.
            refused = lab.program.run(["verify", "--ledger", restored])
            if refused.code == 0:
                verdict.add(SILENT, "half a restored ledger passes verify")
            verdict.add(TOLD, f"half a ledger was left: {'; '.join(found.details)[:200]}")
            shutil.rmtree(restored)
        elif ran.code == 0:
            verdict.add(LOST, "the restored ledger was answered and is not there")
        self.again(lab, folder, verdict)
        return verdict.join(self.audit(lab, folder, self.whole(), random, restored))


class Init(Operation):
    """Makes an empty ledger."""

    name = "init"
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


ALL = [Append(), Rebuild(), Erase(), Backup(), Restore(), Init()]
