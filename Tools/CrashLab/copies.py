"""Backups and restores while a fault strikes: plain, encrypted and in increments."""

import json
import os
import shutil

import history
from auditor import LOST, SIGNAL, SILENT, TOLD, Expected, Verdict
from operations import COUNT, OPERATOR, Operation

# Made by age-keygen for these tests.
RECIPIENT = "age1kry7ahu2cvpc3f8y0tthzjmuryc060kud4eqp9rv6t8jfltaa9fsg5v8tn"
IDENTITY = "AGE-SECRET-KEY-13Y3A6NTUZ0MFV2RXAGEAM7AG968KHQ7FAKAFTZ4KPAVSZZY4YSPQPLLTRC"
PASSPHRASE = "a trial of backups"
# Events that the first of two backups has.
FIRST_COUNT = 24


class Backup(Operation):
    """Copies the log."""

    name = "backup"
    images = 40

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
    images = 40

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


class Chain(Operation):
    """A full backup, an increment, and the keys of both in one file that each replaces.

    `protection` is how a backup is encrypted, and `opened` how it is decrypted.
    """

    images = 40

    def protection(self, folder):
        return ["--encrypt-to", RECIPIENT]

    def opened(self, folder):
        return ["--identity", folder + "/identity"]

    def prepare(self, lab, folder):
        for name, text in (("identity", IDENTITY), ("passphrase", PASSPHRASE)):
            with open(f"{folder}/{name}", "w", encoding="utf-8",
                      opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text + "\n")
        self.make_ledger(lab, folder, history.events(0, FIRST_COUNT))
        made = lab.must(self.backup(folder, "full") + ["--format", "json"])
        with open(folder + "/position", "w", encoding="utf-8") as file:
            file.write(str(json.loads(made.out)["position"]))
        path = folder + "/rest.jsonl"
        lab.write(path, history.events(0, COUNT - FIRST_COUNT, FIRST_COUNT))
        lab.must(["append", "--ledger", self.ledger(folder), path])

    def backup(self, folder, name):
        return ["backup", f"{folder}/{name}", "--keys", folder + "/keys.copy", *OPERATOR,
                *self.protection(folder), "--ledger", self.ledger(folder)]

    def increment(self, folder):
        with open(folder + "/position", encoding="utf-8") as file:
            return self.backup(folder, "increment") + ["--since", file.read()]

    def restoring(self, folder, names, into, keys="keys.copy"):
        return ["restore", *(f"{folder}/{name}" for name in names), "--keys",
                f"{folder}/{keys}", *self.opened(folder), "--ledger", f"{folder}/{into}"]

    def restored(self, lab, folder, verdict, random, names, expected, keys="keys.copy"):
        """Restores backups that have their names, and judges what comes out."""
        into = "restored-" + names[-1]
        answer = lab.program.run(self.restoring(folder, names, into, keys))
        if answer.crashed:
            verdict.add(SIGNAL, f"restore: {answer.crashed}")
        elif answer.code != 0:
            verdict.add(LOST, f"{' and '.join(names)} cannot be restored: {answer.said()}")
        else:
            verdict.join(self.audit(lab, folder, expected, random, f"{folder}/{into}"))

    def first(self):
        return Expected([history.events(0, FIRST_COUNT)]).everything()


class EncryptedBackup(Chain):
    """Adds an encrypted increment to an encrypted backup, and replaces the copy of the keys."""

    name = "encrypted backup"

    def words(self, folder):
        return self.increment(folder)

    def glance(self, lab, folder, ran, random):
        verdict = Verdict()
        if os.path.exists(folder + "/increment"):
            self.judge_increment(lab, folder, ran, verdict, random)
        elif ran.code == 0:
            verdict.add(LOST, "the increment was answered and is not there")
        else:
            # The copy of the keys is the old one or the new one. Either opens the older backup.
            self.restored(lab, folder, verdict, random, ["full"], self.first())
        return verdict

    def judge(self, lab, folder, ran, random):
        verdict = self.audit(lab, folder, self.whole(), random)
        verdict.join(self.glance(lab, folder, ran, random))
        if not os.path.exists(folder + "/increment"):
            self.again(lab, folder, verdict)
            if not verdict.failed:
                self.restored(lab, folder, verdict, random, ["full", "increment"], self.whole())
        return verdict

    def judge_increment(self, lab, folder, ran, verdict, random):
        """The increment has its name. Its keys may not be there yet, unless it was answered."""
        if ran.code != 0:
            # What the ledger itself has. It is no older than the increment.
            plain = lab.program.run(
                ["restore", folder + "/full", folder + "/increment", "--keys",
                 self.ledger(folder) + "/keys", *self.opened(folder),
                 "--ledger", folder + "/restored"])
            if plain.code != 0:
                verdict.add(SIGNAL if plain.crashed else LOST,
                            f"an increment has its name and cannot be restored: {plain.said()}")
                return
            verdict.join(self.audit(lab, folder, self.whole(), random, folder + "/restored"))
            self.restored(lab, folder, verdict, random, ["full"], self.first())
        else:
            self.restored(lab, folder, verdict, random, ["full", "increment"], self.whole())


class PassphraseBackup(EncryptedBackup):
    """The same with a passphrase."""

    name = "passphrase backup"

    def protection(self, folder):
        return ["--passphrase-file", folder + "/passphrase"]

    opened = protection


class EncryptedRestore(Chain, Restore):
    """Makes a ledger from an encrypted backup and its increment."""

    name = "encrypted restore"

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        lab.must(self.increment(folder))

    def words(self, folder):
        return self.restoring(folder, ["full", "increment"], "restored.ledger")
