"""Limits: files that may not grow, few descriptors, little memory, a full and a read-only disk."""

import resource
import shutil
import subprocess

import commands
from auditor import SIGNAL, TOLD

MIB = 1 << 20
# Beyond the terabyte of addresses that the log and the projections each reserve.
RESERVED_BYTES = 2 << 40
TMPFS_KIB = [8, 40, 100, 160, 200, 260, 320, 400, 520, 700]


def missing_mounts():
    """Why no file system can be mounted here; None if one can."""
    words = ["unshare", "--mount", "--map-root-user", "sh", "-c",
             "mount -t tmpfs -o size=64k none /mnt"]
    if shutil.which("unshare") is None:
        return "needs unshare (apt-get install util-linux)"
    ended = subprocess.run(words, capture_output=True, check=False)
    return None if ended.returncode == 0 else "may not mount: " + ended.stderr.decode()[:100]


def cases(operations, random):
    """Each limit with its values."""
    found = [("file size", size) for size in
             [0, 1, 512, 4096, 8192, 12288, 20480, 32768, 40960, 65536, 90112, 131072, 131104,
              163840, 200704, 262144] + [random.randrange(1, 300_000) for _ in range(8)]]
    found += [("descriptors", count) for count in range(3, 33)]
    found += [("memory", size) for size in
              [8 * MIB, 64 * MIB, 256 * MIB, 1 << 30, 1 << 40, RESERVED_BYTES,
               RESERVED_BYTES + 64 * MIB, RESERVED_BYTES + 256 * MIB]]
    found += [("processes", 0)]
    if missing_mounts() is None:
        found += [("small disk", size) for size in TMPFS_KIB]
        found += [("read-only disk", 0)]
    return [(operation.name, limit, value) for operation in operations
            for limit, value in found]


def resources(limit, value):
    return {
        "file size": {resource.RLIMIT_FSIZE: value},
        "descriptors": {resource.RLIMIT_NOFILE: value},
        "memory": {resource.RLIMIT_AS: value},
        "processes": {resource.RLIMIT_NPROC: value},
    }.get(limit)


def mounted(limit, value, folder):
    """The command that runs another in a world in which the folder is such a disk.

    What the command has left on a small disk is copied out of it at the end.
    """
    if limit == "read-only disk":
        script = f'mount --bind "{folder}" "{folder}" && ' \
                 f'mount -o remount,bind,ro "{folder}" || exit 99; "$@"'
    else:
        # What is there already fits; `value` is what is left beside it.
        script = f'size=$(du -sk --apparent-size "{folder}" | cut -f 1); ' \
                 f'mkdir "{folder}.real" && mount --bind "{folder}" "{folder}.real" && ' \
                 f'mount -t tmpfs -o size=$((size + {value}))k none "{folder}" && ' \
                 f'cp -r "{folder}.real/." "{folder}" || exit 99; "$@"; code=$?; ' \
                 f'rm -rf "{folder}.real/"*; cp -r "{folder}/." "{folder}.real"; exit $code'
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]


def run(lab):
    operations = lab.wanted(commands.ALL)
    bases = {}
    for operation in operations:
        bases[operation.name] = lab.folder_named("base-" + operation.name)
        operation.prepare(lab, bases[operation.name])
    points = cases(operations, lab.random("limits"))

    def one(point):
        name, limit, value = point
        operation = commands.BY_NAME[name]
        folder = lab.copy(bases[name])
        is_mounted = limit.endswith("disk")
        ran = operation.perform(
            lab, folder, mounted(limit, value, folder) if is_mounted else (),
            None if is_mounted else resources(limit, value))
        shutil.rmtree(folder + ".real", ignore_errors=True)
        verdict = operation.judge(lab, folder, ran, lab.random("limits", *point))
        starved = limit in ("memory", "processes", "descriptors")
        if ran.hung:
            verdict.add(SIGNAL, f"{name}: {ran.hung}")
        elif ran.crashed and not starved:
            verdict.add(SIGNAL, f"{name}: {ran.crashed}")
        elif ran.crashed or ran.code != 0:
            # Without memory, threads or descriptors for them, the runtime ends the process.
            verdict.add(TOLD, f"{name}: {ran.crashed or ran.said()}")
        return verdict, folder

    tally = lab.play("limits", lab.chosen(points), one, lab.options.seconds)
    why = missing_mounts()
    tally.note = f"{len(points)} limits" + (f"; no disks of their own: {why}" if why else "")
    return tally
