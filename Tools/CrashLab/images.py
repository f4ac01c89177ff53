"""What a power cut leaves of a recorded disk: what was synced, and any part of what was not.

Of what was not synced, each write and each name is there or not by itself, and of a write any of
its sectors.
"""

import os

from disk import digest

SECTORS = (512, 4096)


def pieces(step, kept, sector, random):
    """The parts of a write that reached the disk: all of it, or any of its sectors."""
    if sector is None or step in kept:
        yield step.offset, step.data
        return
    start = step.offset
    end = step.offset + len(step.data)
    while start < end:
        stop = min((start // sector + 1) * sector, end)
        if random.random() < 0.5:
            yield start, step.data[start - step.offset:stop - step.offset]
        start = stop


class Image:
    """What a power cut leaves: the steps that last, and some of the others."""

    def __init__(self, disk, steps, whole=(), sector=None, random=None):
        """`steps` are what is left; those not in `whole` are torn into sectors, if there are."""
        self.files = {}
        self.folders = {}
        self.tree = disk.tree
        for step in steps:
            if step.kind == "write":
                content = self.bytes_of(step.node)
                for offset, data in pieces(step, whole, sector, random):
                    if len(content) < offset:
                        content.extend(bytes(offset - len(content)))
                    content[offset:offset + len(data)] = data
            elif step.kind == "length":
                content = self.bytes_of(step.node)
                content.extend(bytes(max(0, step.length - len(content))))
                del content[step.length:]
            elif step.kind == "gone":
                self.names_of(step.node).pop(step.name, None)
            else:
                if getattr(step, "left", None):
                    folder, name = step.left
                    names = self.names_of(folder)
                    if names.get(name) is step.child:
                        del names[name]
                self.names_of(step.node)[step.name] = step.child

    def bytes_of(self, node):
        if node not in self.files:
            self.files[node] = bytearray(node.content)
        return self.files[node]

    def names_of(self, node):
        if node not in self.folders:
            self.folders[node] = dict(node.names)
        return self.folders[node]

    def items(self, node=None, path=""):
        """Each path with its node and its bytes."""
        for name, child in sorted(self.names_of(node or self.tree).items()):
            yield f"{path}/{name}", child, self.files.get(child, child.content)
            if child.is_folder:
                yield from self.items(child, f"{path}/{name}")

    def mark(self):
        """A digest of the whole image: equal images have equal ones."""
        marks = []
        for path, node, content in self.items():
            kind = "folder" if node.is_folder else node.target or "file"
            # A file that no step changed need not be read each time.
            is_new = node in self.files
            marks.append((path, kind, digest(content) if is_new else node.mark()))
        return tuple(marks)

    def write(self, folder):
        for path, node, content in self.items():
            if node.is_folder:
                os.mkdir(folder + path, 0o700)
            elif node.target is not None:
                os.symlink(node.target, folder + path)
            else:
                with open(folder + path, "wb", opener=private) as file:
                    hole = len(content.rstrip(b"\0"))
                    file.write(memoryview(content)[:hole])
                    file.truncate(len(content))


def private(path, flags):
    return os.open(path, flags, 0o600)
