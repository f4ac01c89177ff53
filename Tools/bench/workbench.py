"""The machine: where things are built and measured, and what must be installed for it."""

import os
import platform
import shutil
import subprocess
import sys
import time

INSTALL_SECONDS_MAX = 600
SYNCS = 200


class Missing(Exception):
    """Something that a peer needs and that is not here: the peer is left out."""


class Workbench:
    """The folders of this run, and the programs in them."""

    def __init__(self, root, may_install, builds):
        self.root = root
        # Whether Daybook's programs have to be built first.
        self.builds = builds
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.cache = f"{root}/.build/bench"
        self.may_install = may_install
        os.makedirs(self.cache, exist_ok=True)

    def version(self):
        """Which Daybook this is."""
        return said(["git", "-C", self.root, "describe", "--always", "--dirty"])

    def client(self, name):
        return f"{self.here}/clients/{name}"

    @property
    def python(self):
        return f"{self.cache}/venv/bin/python"

    def program(self, names, package):
        """The first of these programs that is here, after an attempt to install it."""
        for attempt in range(2):
            for name in names:
                path = shutil.which(name)
                if path:
                    return path
            if attempt == 0:
                self.install(package)
        raise Missing(f"{names[0]} is not here after {package} was installed")

    def install(self, package):
        """Installs a package of the distribution, if that is possible."""
        command = f"apt-get install {package}"
        if not self.may_install or os.geteuid() != 0 or not shutil.which("apt-get"):
            raise Missing(f"needs {package}: {command}")
        tell(f"installing {package}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = installed(
            ["apt-get", "install", "-y", "-q", package], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Missing(f"{command} failed: {last_line(done.stderr)}")

    def package(self, *requirements):
        """Installs packages of Python into a virtual environment of this tool's own."""
        mark = f"{self.cache}/venv/{'+'.join(requirements)}.installed"
        if os.path.exists(mark):
            return
        if not self.may_install:
            raise Missing(f"needs {' '.join(requirements)}, and nothing may be installed")
        if not os.path.exists(self.python):
            made = subprocess.run([sys.executable, "-m", "venv", f"{self.cache}/venv"], text=True,
                                  capture_output=True, check=False)
            if made.returncode != 0:
                shutil.rmtree(f"{self.cache}/venv", ignore_errors=True)
                raise Missing("needs venv: apt-get install python3-venv")
        tell(f"installing {' '.join(requirements)}")
        done = installed(
            [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             *requirements], text=True, capture_output=True)
        if done.returncode != 0:
            raise Missing(f"pip install {' '.join(requirements)} failed: "
                          f"{last_line(done.stderr)}")
        with open(mark, "w", encoding="utf-8"):
            pass


def installed(words, **options):
    """Runs a command that installs something; one that hangs leaves its peer out."""
    try:
        return subprocess.run(words, timeout=INSTALL_SECONDS_MAX, check=False, **options)
    except subprocess.TimeoutExpired:
        raise Missing(f"{words[0]} did not end within {INSTALL_SECONDS_MAX} s") from None


def tell(text):
    """Says what is going on; the results go elsewhere."""
    print(text, file=sys.stderr, flush=True)


def said(words):
    """What a command prints; nothing where there is no such command, or it fails."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def last_line(text):
    return (text or "").strip().split("\n")[-1][:200]


def file_system(folder):
    """The kind of file system that a folder is on."""
    best, kind = "", "unknown"
    try:
        with open("/proc/mounts", encoding="utf-8") as file:
            for line in file:
                _, point, found, *_ = line.split(" ")
                inside = (os.path.realpath(folder) + "/").startswith(point.rstrip("/") + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, found
    except OSError:
        return platform.system()
    return kind


def syncs_a_second(folder):
    """How often this disk makes four KiB durable: the limit of whoever commits one by one."""
    path = f"{folder}/sync"
    sync = getattr(os, "fdatasync", os.fsync)
    with open(path, "wb", buffering=0) as file:
        begun = time.perf_counter()
        for _ in range(SYNCS):
            file.write(bytes(4096))
            sync(file.fileno())
        spent = time.perf_counter() - begun
    os.remove(path)
    return SYNCS / spent


def machine(folder):
    """One line about the machine."""
    model = platform.processor() or platform.machine()
    memory = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file
                          if line.startswith("model name")), model)
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        memory = f", {pages / (1 << 30):.0f} GiB of memory"
    except (OSError, ValueError):
        pass
    return (f"{os.cpu_count()} cores of {model}{memory}, {platform.system()} "
            f"{platform.release()}, {file_system(folder)}, "
            f"Python {platform.python_version()}, "
            f"{syncs_a_second(folder):.0f} fdatasync a second of 4 KiB")
