"""Reads the file of a log by itself: pages of LMDB 0.9, and the head and the id of each record.

Written from LMDB's and Schemas/record.md's descriptions of their formats, without any code of
either. Every offset is checked before it is followed.
"""

import struct
import uuid

PAGE = 4096
HEADER = 16
MAGIC = 0xBEEFC0DE
NO_PAGE = 0xFFFFFFFFFFFFFFFF
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
# Of a leaf's node: its value fills pages of its own; its value is the root of a named table.
BIG_VALUE, TABLE = 1, 2
DEPTH_MAX = 32

PACKED_ID, SEQUENCE, DATA_NAMES = 2, 1, 16
RECORD_VERSION = 3
RECORD_HEAD = 30


class Damaged(Exception):
    """The file is not what its format allows."""


class LogFile:
    """The pages of an environment, as of its newest commit."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        metas = [self.meta(0), self.meta(1)]
        self.transaction, self.free, self.main = max(metas, key=lambda meta: meta[0])
        # What each page that is in use is for: {number: kind}.
        self.kinds = {0: "meta", 1: "meta"}

    def page(self, number):
        page = self.bytes[number * PAGE:(number + 1) * PAGE]
        if len(page) < PAGE:
            raise Damaged(f"page {number} is missing")
        return page

    def meta(self, number):
        page = self.page(number)
        magic, version = struct.unpack_from("<II", page, HEADER)
        if magic != MAGIC or version != 1:
            raise Damaged(f"meta page {number} is none")
        free = struct.unpack_from("<Q", page, HEADER + 24 + 40)[0]
        main = struct.unpack_from("<Q", page, HEADER + 24 + 48 + 40)[0]
        return struct.unpack_from("<Q", page, HEADER + 24 + 96 + 8)[0], free, main

    def tables(self):
        """The root of each table: {name: page}."""
        return {key: struct.unpack_from("<Q", value, 40)[0]
                for key, value, flags in self.rows(self.main, "tables") if flags & TABLE}

    def rows(self, root, purpose, depth=0):
        """Each key with its value and flags, in order."""
        if root == NO_PAGE:
            return
        if depth > DEPTH_MAX:
            raise Damaged("a tree is too deep")
        page = self.page(root)
        if struct.unpack_from("<Q", page)[0] != root:
            raise Damaged(f"page {root} says that it is another")
        flags, lower = struct.unpack_from("<HH", page, 10)
        count = (lower - HEADER) // 2
        if not 0 <= count <= (PAGE - HEADER) // 2:
            raise Damaged(f"page {root} has {count} nodes")
        self.kinds[root] = purpose + (" branch" if flags & BRANCH else " leaf")
        for slot in range(count):
            offset = struct.unpack_from("<H", page, HEADER + 2 * slot)[0]
            if not lower <= offset <= PAGE - 8:
                raise Damaged(f"page {root} has a node at {offset}")
            low, high, node, key_size = struct.unpack_from("<HHHH", page, offset)
            if flags & BRANCH:
                yield from self.rows(low | high << 16 | node << 32, purpose, depth + 1)
                continue
            key = page[offset + 8:offset + 8 + key_size]
            size = low | high << 16
            start = offset + 8 + key_size
            if node & BIG_VALUE:
                yield key, self.overflow(page, start, size, purpose), node
            elif start + size > PAGE:
                raise Damaged(f"page {root} has a value beyond its end")
            else:
                yield key, page[start:start + size], node

    def overflow(self, page, start, size, purpose):
        number = struct.unpack_from("<Q", page, start)[0]
        for index in range((HEADER + size + PAGE - 1) // PAGE):
            self.kinds[number + index] = purpose + " value"
        value = self.bytes[number * PAGE + HEADER:number * PAGE + HEADER + size]
        if len(value) < size:
            raise Damaged(f"the value on page {number} is missing")
        return value

    def walk(self):
        """Visits every page that is in use, so that `kinds` is complete."""
        for _ in self.rows(self.free, "free list"):
            pass
        for name, root in self.tables().items():
            for _ in self.rows(root, name.decode("utf-8", "replace")):
                pass
        for number in range(len(self.bytes) // PAGE):
            self.kinds.setdefault(number, "unused")
        return self.kinds


def varint(record, offset):
    value = shift = 0
    while True:
        byte = record[offset]
        value |= (byte & 0x7F) << shift
        shift += 7
        offset += 1
        if byte < 0x80:
            return value, offset


def identifier(record):
    """The id in a record."""
    flags, names = record[3], struct.unpack_from("<H", record, 4)[0]
    offset = RECORD_HEAD + 4 * bin(names).count("1")
    if flags & DATA_NAMES:
        count, offset = varint(record, offset)
        offset += 4 * count
    if flags & SEQUENCE:
        _, offset = varint(record, offset)
    if flags & PACKED_ID:
        return str(uuid.UUID(bytes=record[offset:offset + 16]))
    return record[offset + 1:offset + 1 + record[offset]].decode()


def events(path):
    """The position and the id of each event in the log's file, in order."""
    found = []
    try:
        log = LogFile(path)
        root = log.tables().get(b"records", NO_PAGE)
        for key, record, _ in log.rows(root, "records"):
            position = struct.unpack(">Q", key)[0]
            if record[0] != RECORD_VERSION:
                raise Damaged(f"the record at {position} has version {record[0]}")
            if struct.unpack_from("<I", record, 6)[0] != position & 0xFFFFFFFF:
                raise Damaged(f"the record at {position} is of another position")
            found.append((position, identifier(record)))
    except (struct.error, IndexError, ValueError) as error:
        raise Damaged(str(error)) from error
    except OSError as error:
        raise Damaged(error.strerror) from error
    return found
