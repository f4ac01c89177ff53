"""A disk that remembers what was written and what was synced.

What POSIX promises is all that counts here. A file's bytes and length last once the file was synced
after they were written. A name lasts once its folder was synced; syncing the file does not help.
A symbolic link has its target as soon as it has its name. What was not synced may be there or not:
images.py makes the disks that a power cut may leave.
"""

import hashlib
import os

import recorder

NEVER = 1 << 62


class Node:
    """A file (bytes), a folder (names) or a symbolic link (where it leads)."""

    def __init__(self, is_folder=False, content=b"", target=None):
        self.is_folder = is_folder
        self.content = content
        self.target = target
        self.names = {}
        self.digest = None

    def mark(self):
        """A digest of the bytes."""
        if self.digest is None:
            self.digest = digest(self.content)
        return self.digest


def digest(content):
    return hashlib.blake2b(content, digest_size=16).digest()


class Step:
    """A change of a node, and when it lasts."""

    def __init__(self, kind, node, begun, ended, **what):
        self.kind = kind
        self.node = node
        self.begun = begun
        self.ended = ended
        self.lasts = NEVER
        self.__dict__.update(what)


class Disk:
    """The steps of a record, over a folder as it was before."""

    def __init__(self, root, base):
        self.root = root
        self.tree = load(base)
        # Where each path leads, as the command saw it.
        self.nodes = {}
        self.index(self.tree, root)
        self.open = {}
        self.steps = []
        self.answers = []

    def index(self, node, path):
        self.nodes[path] = node
        for name, child in node.names.items():
            self.index(child, path + "/" + name)

    def replay(self, calls):
        for call in calls:
            recorder.refuse_what_is_not_seen(call)
            handler = getattr(self, "on_" + call.name, None)
            if handler:
                handler(call)
        return self

    def inside(self, path):
        return path.startswith(self.root + "/")

    def folder(self, path):
        return self.nodes[os.path.dirname(path)]

    def add(self, kind, node, call, **what):
        self.steps.append(Step(kind, node, call.begun, call.ended, **what))
        return self.steps[-1]

    # Descriptors

    def on_openat(self, call):
        path, flags = call.path(1), call.words[2]
        if not self.inside(path) and path != self.root:
            # Whatever had the number before is closed.
            self.open.pop(call.result, None)
            return
        if path not in self.nodes:
            node = Node()
            self.nodes[path] = node
            self.add("name", self.folder(path), call, name=os.path.basename(path), child=node)
        node = self.nodes[path]
        if "O_TRUNC" in flags:
            self.add("length", node, call, length=0)
        self.open[call.result] = [node, 0, "SYNC" in flags.replace("O_ASYNC", ""),
                                  "O_APPEND" in flags]

    def on_close(self, call):
        self.open.pop(call.descriptor()[0], None)

    def on_dup(self, call):
        number = call.descriptor()[0]
        if number in self.open:
            self.open[call.result] = self.open[number]

    on_dup2 = on_dup3 = on_dup

    def on_lseek(self, call):
        number = call.descriptor()[0]
        if number in self.open:
            self.open[number][1] = call.result

    def on_mmap(self, call):
        number = call.descriptor(4)[0] if call.words[4] != "-1" else -1
        shared = "MAP_SHARED" in call.words[3] and "PROT_WRITE" in call.words[2]
        if shared and number in self.open and not call.words[4].endswith("lock.mdb>"):
            path = recorder.plain(call.words[4])
            if not path.endswith("lock.mdb>"):
                raise recorder.Unsupported(f"{path} is written through memory")

    # Bytes

    def write(self, call, offset=None):
        number = call.descriptor()[0]
        if number == 1:
            self.answers.append((call.ended, call.data()[:call.result]))
            return
        if number not in self.open:
            return
        node, at, is_synced, _ = self.open[number]
        step = self.add("write", node, call, offset=at if offset is None else offset,
                        data=call.data()[:call.result])
        if offset is None:
            self.open[number][1] = at + call.result
        if is_synced:
            step.lasts = call.ended

    def on_write(self, call):
        self.write(call)

    on_writev = on_write

    def on_pwrite64(self, call):
        self.write(call, int(call.words[3]))

    on_pwritev = on_pwritev2 = on_pwrite64

    def on_ftruncate(self, call):
        number = call.descriptor()[0]
        if number in self.open:
            self.add("length", self.open[number][0], call, length=int(call.words[1]))

    # Syncs

    def on_fsync(self, call):
        number = call.descriptor()[0]
        if number in self.open and not call.injected:
            self.settle(call, self.open[number][0])

    on_fdatasync = on_fsync

    def on_sync(self, call):
        if not call.injected:
            self.settle(call, None)

    on_syncfs = on_sync

    def settle(self, call, node):
        for step in self.steps:
            if node in (None, step.node) and step.ended < call.begun:
                step.lasts = min(step.lasts, call.ended)

    # Names

    def on_mkdir(self, call, index=0):
        path = call.path(index)
        if self.inside(path):
            node = Node(is_folder=True)
            self.nodes[path] = node
            self.add("name", self.folder(path), call, name=os.path.basename(path), child=node)

    def on_mkdirat(self, call):
        self.on_mkdir(call, 1)

    def on_symlink(self, call, index=1):
        path = call.path(index)
        if self.inside(path):
            node = Node(target=call.text(0))
            self.nodes[path] = node
            self.add("name", self.folder(path), call, name=os.path.basename(path), child=node)

    def on_symlinkat(self, call):
        self.on_symlink(call, 2)

    def on_unlink(self, call, index=0):
        path = call.path(index)
        if self.inside(path):
            del self.nodes[path]
            self.add("gone", self.folder(path), call, name=os.path.basename(path))

    on_rmdir = on_unlink

    def on_unlinkat(self, call):
        self.on_unlink(call, 1)

    def on_rename(self, call, source=0, target=1):
        old, new = call.path(source), call.path(target)
        if not self.inside(new):
            return
        if "RENAME_EXCHANGE" in call.words[-1]:
            raise recorder.Unsupported("renameat2 with RENAME_EXCHANGE")
        node = self.nodes[old]
        for path in [path for path in self.nodes if path == old or path.startswith(old + "/")]:
            self.nodes[new + path[len(old):]] = self.nodes.pop(path)
        self.add("name", self.folder(new), call, name=os.path.basename(new), child=node,
                 left=(self.folder(old), os.path.basename(old)))

    def on_renameat(self, call):
        self.on_rename(call, 1, 3)

    on_renameat2 = on_renameat


def load(path):
    """The nodes of a folder that is on a real disk."""
    node = Node(is_folder=True)
    for entry in os.scandir(path):
        if entry.is_symlink():
            node.names[entry.name] = Node(target=os.readlink(entry.path))
        elif entry.is_dir(follow_symlinks=False):
            node.names[entry.name] = load(entry.path)
        else:
            with open(entry.path, "rb") as file:
                node.names[entry.name] = Node(content=file.read())
    return node
