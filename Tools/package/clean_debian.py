"""A minimal Debian in a folder, in which systemd runs."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

tools = pathlib.Path(__file__).resolve().parent
# How long systemd may take to start, in seconds.
patience = 60


def skip(reason):
    print(f"package: SKIPPED: install: {reason}", file=sys.stderr)
    sys.exit(75)


def codename():
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)["VERSION_CODENAME"].strip('"')


class CleanDebian:
    """Used with `with`: what was started and made is gone afterwards."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.root = self.folder / "root"
        self.group = None
        self.starter = None

    def __enter__(self):
        made = subprocess.run(
            ["mmdebstrap", "--mode=root", "--variant=minbase", "--include=curl", codename(),
             str(self.root)], capture_output=True, text=True)
        if made.returncode:
            skip(f"mmdebstrap made no Debian, is there a network? {made.stderr[-300:]}")
        (self.root / "etc/hostname").write_text("clean\n")
        self.group = self.own_group()
        return self

    def __exit__(self, *_):
        if self.starter is not None:
            # The namespace of processes ends with the first one, which unshare kills.
            self.starter.kill()
            self.starter.wait()
        if self.group is not None:
            self.remove(self.group)
        shutil.rmtree(self.root, ignore_errors=True)

    def own_group(self):
        """A control group below that of this process, so that systemd touches no other."""
        mounts = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
        mount = next((line[4] for line in mounts if line[line.index("-") + 1] == "cgroup2"), None)
        own = next(line for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()
                   if line.startswith("0::"))[3:].strip()
        if mount is None:
            skip("there are no control groups of version 2")
        group = pathlib.Path(mount + own) / f"daybook-check-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            skip(f"no control group can be made: {error}")
        return group

    @staticmethod
    def remove(group):
        end = time.monotonic() + patience
        for folder in sorted(group.rglob("*/"), key=lambda one: -len(one.parts)) + [group]:
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:
                    # Processes that were killed leave their group a moment later.
                    if time.monotonic() > end:
                        return
                    time.sleep(0.05)

    def install(self, *files):
        """Before systemd runs, with the network, as apt does it."""
        for file in files:
            shutil.copy2(file, self.root / file.name)
        names = " ".join(f"/{file.name}" for file in files)
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
             f"mount -t proc proc {self.root}/proc && exec chroot {self.root} sh -c '"
             "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && "
             f"apt-get install -y -qq --no-install-recommends {names}'"],
            capture_output=True, text=True)

    def boot(self):
        self.starter = subprocess.Popen(
            ["sh", "-c", 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"', "sh", str(self.group),
             "unshare", "--pid", "--mount", "--uts", "--ipc", "--cgroup", "--net", "--fork",
             "--kill-child", str(tools / "boot"), str(self.root)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if self.starter.poll() is not None:
                skip(f"systemd does not start here: {self.starter.stdout.read().decode()[-300:]}")
            state = self.run("systemctl is-system-running").stdout.strip()
            if state in ["running", "degraded"]:
                return
            time.sleep(0.1)
        skip("systemd does not come up here")

    def first_process(self):
        children = pathlib.Path(
            f"/proc/{self.starter.pid}/task/{self.starter.pid}/children").read_text().split()
        return children[0] if children else None

    def run(self, command):
        """A command of the shell, as root in the running system."""
        process = self.first_process()
        if process is None:
            return subprocess.CompletedProcess(command, 1, "", "nothing runs")
        return subprocess.run(
            ["nsenter", "-t", process, "-m", "-p", "-n", "-u", "-i", "-C", "env", "-i",
             "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
             "DEBIAN_FRONTEND=noninteractive", "bash", "-c", command],
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
