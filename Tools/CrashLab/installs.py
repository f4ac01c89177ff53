"""Installs of hosted content while a fault strikes.

The folder of content must have the old version or the new one, each of them whole, and never a part
of one. That is judged by the bytes of the files alone, and without the program: what a package has
is known here, because it is made here.
"""

import json
import os
import plistlib
import zipfile

from auditor import DOUBLED, LOST, SIGNAL, SILENT
from operations import Operation

PRODUCT = "com.example.maps"
OWNER = ["--account", "keeper", "--device", "phone-1"]
OLD, NEW = "1.0", "1.1"
# One file is larger than a page, so that it can be there in part.
TILE_BYTES = [40, 9_000, 700]
ENDS = ("content.installed", "content.installFailed")


def package(version):
    """The files of a version: {path: bytes}."""
    info = plistlib.dumps({"ContentVersion": version, "IAPProductIdentifier": PRODUCT})
    files = {"ContentInfo.plist": info}
    for number, size in enumerate(TILE_BYTES):
        line = f"{PRODUCT} {version}, tile {number}\n".encode()
        inner = "Contents" if number == 0 else "Contents/tiles"
        files[f"{inner}/tile-{number}.txt"] = (line * (size // len(line) + 1))[:size]
    return files


def found(folder):
    """The files below a folder: {path: bytes}. What is no file is there with None."""
    files = {}
    for parent, folders, names in os.walk(folder):
        for name in names + [name for name in folders if os.path.islink(f"{parent}/{name}")]:
            path = f"{parent}/{name}"
            is_file = os.path.isfile(path) and not os.path.islink(path)
            with open(path, "rb") if is_file else open(os.devnull, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read() if is_file else None
    return files


def judge_content(folder, verdict, is_done=False):
    """The versions that are there are whole, and one of them is current.

    With `is_done`, the new version is there and current.
    """
    product = f"{folder}/content/{PRODUCT}"
    versions = [name for name in os.listdir(product) if name != "current"]
    for version in versions:
        if version not in (OLD, NEW):
            verdict.add(SILENT, f"{version} is among the versions")
        elif found(f"{product}/{version}") != package(version):
            verdict.add(LOST if version == OLD or is_done else SILENT,
                        f"version {version} of the content is there and not whole")
    current = os.readlink(product + "/current") if os.path.islink(product + "/current") else None
    if OLD not in versions:
        verdict.add(LOST, "the old version of the content is not there")
    if current not in versions:
        verdict.add(LOST, f"{current} is the current content and is not there")
    if is_done and current != NEW:
        verdict.add(LOST, f"the new version was answered and {current} is the current content")


def judge_records(recorded, before, verdict, is_done):
    """What was recorded of installs: nothing of before is lost, and no install is doubled.

    With `is_done`, each install has one end, and the new version was installed once.
    """
    if recorded[:len(before)] != before:
        verdict.add(LOST, "what was recorded before the install has changed")
    counts, ends = {}, {}
    for item in recorded:
        kind = item["type"]
        if not kind.startswith("content."):
            continue
        attempt = item["id"].removesuffix(kind)
        ends.setdefault(attempt, []).extend([kind] if kind in ENDS else [])
        if item["data"].get("contentVersion") == NEW:
            counts[kind] = counts.get(kind, 0) + 1
    for attempt, kinds in ends.items():
        if len(kinds) > 1 or (is_done and not kinds):
            verdict.add(DOUBLED if kinds else LOST, f"the install {attempt} has the ends {kinds}")
    for kind in ("content.installed", "content.activated"):
        if counts.get(kind, 0) > 1:
            verdict.add(DOUBLED, f"{kind} is recorded {counts[kind]} times")
        elif is_done and kind not in counts:
            verdict.add(LOST, f"the install was answered and {kind} is not recorded")


class Install(Operation):
    """Installs a new version of content beside the old one, from a folder."""

    name = "install"

    def package(self, folder):
        return f"{folder}/{NEW}"

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        for version in (OLD, NEW):
            for path, content in package(version).items():
                path = f"{folder}/{version}/{path}"
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(content)
        lab.must(self.installing(folder, f"{folder}/{OLD}"))
        events = lab.must(["events", "--ledger", self.ledger(folder)])
        with open(folder + "/before.jsonl", "w", encoding="utf-8") as file:
            file.write(events.out)

    def installing(self, folder, path):
        return ["content", "install", path, "--into", folder + "/content", *OWNER,
                "--ledger", self.ledger(folder)]

    def words(self, folder):
        return self.installing(folder, self.package(folder))

    def glance(self, lab, folder, ran, random):
        verdict = lab.auditor.audit(self.ledger(folder), self.whole())
        return self.judge_state(folder, verdict, ran.code == 0)

    def judge(self, lab, folder, ran, random):
        verdict = self.judge_state(
            folder, self.audit(lab, folder, self.whole(), random), ran.code == 0)
        # Once more on purpose: the second one has nothing to report.
        for _ in range(2):
            self.again(lab, folder, verdict)
        verdict.join(self.judge_state(
            folder, self.audit(lab, folder, self.whole(), random), True))
        if os.listdir(folder + "/content/.daybook/attempts"):
            verdict.add(SILENT, "an install that was answered has left its work area")
        audit = lab.program.run(["content", "audit", folder + "/content",
                                 "--ledger", self.ledger(folder)])
        if audit.code != 0:
            verdict.add(SIGNAL if audit.crashed else SILENT, f"content audit: {audit.said()}")
        return verdict

    @staticmethod
    def judge_state(folder, verdict, is_done):
        """Adds to what the audit of the ledger has found."""
        judge_content(folder, verdict, is_done)
        with open(folder + "/before.jsonl", encoding="utf-8") as file:
            before = [json.loads(line) for line in file]
        if verdict.recorded is not None:
            judge_records(verdict.recorded, before, verdict, is_done)
        return verdict


class ArchiveInstall(Install):
    """The same from a zip, which another process reads."""

    name = "archive install"

    def package(self, folder):
        return folder + "/maps.zip"

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        with zipfile.ZipFile(self.package(folder), "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in package(NEW).items():
                archive.writestr(path, content)
