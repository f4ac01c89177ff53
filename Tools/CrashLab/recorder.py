"""Records what a command does to the disk: writes, syncs, names, and what it answers.

The record is strace's: with every byte that is written, and with the order of all threads' calls.
"""

import os
import re

CALLS = ("open,openat,creat,close,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,"
         "fallocate,fsync,fdatasync,sync,syncfs,sync_file_range,msync,rename,renameat,renameat2,"
         "link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,lseek,mmap,dup,dup2,"
         "dup3,copy_file_range,sendfile,ioctl,clone,clone3,fork,vfork")
# These would change files in a way that the record does not show.
UNSUPPORTED = {"link", "linkat", "copy_file_range", "sendfile", "fork", "vfork"}
SYNCS = "fsync,fdatasync,sync_file_range,msync,syncfs"
CLONES = ("FICLONE", "FICLONERANGE")
BYTES_MAX = 1 << 26

HEX = re.compile(r"(?:\\x[0-9a-f]{2})+")
LINE = re.compile(r"^(\d+) +(.*)$")
ENDED = re.compile(r"^([a-z0-9_]+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)(.*)$")
BUFFER = re.compile(r'iov_base="((?:\\x[0-9a-f]{2})*)"')
# A file that was removed is still named by its descriptor.
DESCRIPTOR = re.compile(r"^(\d+|AT_FDCWD)(?:<(.*)>(?:\(deleted\))?)?$")


class Unsupported(Exception):
    """The record has a call that is not understood."""


def refuse_what_is_not_seen(call):
    """Raises if the call may change files, now or later, in a way that the record does not show."""
    # The numbers of descriptors mean something else in another process.
    is_process = call.name in ("clone", "clone3") and "CLONE_THREAD" not in ",".join(call.words)
    clones = any(word.startswith(CLONES) for word in call.words)
    if call.name in UNSUPPORTED or is_process or clones:
        raise Unsupported(call.name)


def recording(trace, dropped=None):
    """The command that records into the file `trace`.

    With `dropped`, these calls are answered and not done: a disk that lies.
    """
    words = ["strace", "-f", "-y", "-xx", "-v", "-s", str(BYTES_MAX), "-o", trace,
             "-e", "trace=" + CALLS, "-e", "signal=none"]
    if dropped:
        words += ["-e", f"inject={dropped}:retval=0"]
    return words


def plain(text):
    """Text in which escaped bytes are bytes again."""
    return HEX.sub(lambda match: unhex(match.group()).decode("utf-8", "surrogateescape"), text)


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


class Call:
    """A call that ended well. `begun` and `ended` are places in the order of all lines."""

    def __init__(self, name, words, result, begun, ended, injected):
        self.name = name
        self.words = words
        self.result = result
        self.begun = begun
        self.ended = ended
        self.injected = injected

    def descriptor(self, index=0):
        """The number of a descriptor and the path of what it is open for."""
        match = DESCRIPTOR.match(self.words[index])
        if not match:
            raise Unsupported(f"{self.name}({self.words[index][:80]})")
        number = -1 if match.group(1) == "AT_FDCWD" else int(match.group(1))
        return number, plain(match.group(2) or "")

    def text(self, index):
        return plain(self.words[index].strip('"'))

    def path(self, index):
        """The path that a call names, as an absolute one."""
        at, name = "", index
        if self.name.endswith("at") or self.name in ("renameat2", "openat"):
            at = self.descriptor(index - 1)[1]
        return os.path.normpath(os.path.join(at, self.text(name)))

    def data(self):
        if self.name in ("writev", "pwritev", "pwritev2"):
            return b"".join(unhex(part) for part in BUFFER.findall(",".join(self.words)))
        return unhex(self.words[1].strip('"'))


def split(arguments):
    """The arguments of a call: commas inside brackets and angles divide nothing."""
    words, depth, start = [], 0, 0
    for match in re.finditer(r"[\[\]{}<>]|, ", arguments):
        sign = match.group()
        if sign in "[{<":
            depth += 1
        elif sign in "]}>":
            depth -= 1
        elif depth == 0:
            words.append(arguments[start:match.start()])
            start = match.end()
    return words + [arguments[start:]]


def read(trace):
    """The calls of a record that ended well, by the order in which they began."""
    begun = {}
    calls = []
    with open(trace, encoding="utf-8", errors="replace") as file:
        for place, line in enumerate(file):
            thread, text = LINE.match(line.rstrip("\n")).groups()
            start = place
            if text.endswith(" <unfinished ...>"):
                begun[thread] = (place, text[:-len(" <unfinished ...>")])
                continue
            if text.startswith("<... "):
                if thread not in begun:
                    continue
                start, head = begun.pop(thread)
                text = head + text.split("resumed>", 1)[1]
            match = ENDED.match(text)
            if not match:
                continue
            name, arguments, result, rest = match.groups()
            if result == "?" or result.startswith("-"):
                continue
            calls.append(Call(name, split(arguments), int(result, 0), start, place,
                              "INJECTED" in rest))
    return sorted(calls, key=lambda call: call.begun)
