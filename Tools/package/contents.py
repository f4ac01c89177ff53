"""What is in the packages, judged without installing them."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

tree = pathlib.Path(__file__).resolve().parents[2]
# What `systemd-analyze security` may say of the unit at most: 0 is best, 10 is no protection at all.
exposure_max = 1.5
programs = {"daybook": ["daybook", "daybook-pull"], "daybook-serve": ["daybook-serve"]}


def output_of(*command, **options):
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True, **options
    ).stdout


def packages(folder):
    """The two packages of a folder by name. There has to be one of each."""
    found = {}
    for name in programs:
        files = sorted(folder.glob(f"{name}_*.deb"))
        if len(files) != 1:
            raise SystemExit(f"package: expected one {name}_….deb in {folder}, found {len(files)}")
        found[name] = files[0]
    return found


def fields(unpacked):
    """The fields of a control file."""
    text = (unpacked / "DEBIAN/control").read_text()
    return dict(re.findall(r"^([A-Za-z-]+): (.*(?:\n .*)*)", text, re.M))


def depended(unpacked):
    return set(re.findall(r"[a-z0-9][a-z0-9.+-]+(?= \(|,|$)", fields(unpacked)["Depends"]))


def expected_files(name):
    for program in programs[name]:
        yield f"usr/bin/{program}"
        yield f"usr/share/man/man1/{program}.1.gz"
        yield f"usr/share/bash-completion/completions/{program}"
        yield f"usr/share/zsh/vendor-completions/_{program}"
        yield f"usr/share/fish/vendor_completions.d/{program}.fish"
    for file in ["copyright", "changelog.gz", "changelog.Debian.gz", "NOTICE.gz"]:
        yield f"usr/share/doc/{name}/{file}"
    if name == "daybook":
        yield "usr/share/man/man1/daybook.backup.1.gz"
    else:
        yield "lib/systemd/system/daybook-serve.service"
        yield "usr/lib/sysusers.d/daybook-serve.conf"
        yield "usr/lib/tmpfiles.d/daybook-serve.conf"
        yield "etc/daybook/serve.json"
        yield "usr/share/doc/daybook-serve/operating.md.gz"
        yield "usr/share/doc/daybook-serve/examples/nginx.conf"
        yield "usr/share/doc/daybook-serve/examples/alerts.yml"


def judge_files(trees):
    for name, unpacked in trees.items():
        for file in expected_files(name):
            if not (unpacked / file).is_file():
                yield f"{name} lacks {file}"
        for page in (unpacked / "usr/share/man/man1").glob("*.gz"):
            if not re.search(rb"^\.Nd .", gzip.decompress(page.read_bytes()), re.M):
                yield f"{name}: {page.name} does not say what the command does"


def judge_dependencies(trees):
    """The package of each library that a program loads is depended on, and none is Swift's."""
    for name, unpacked in trees.items():
        for program in programs[name]:
            file = unpacked / "usr/bin" / program
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file))
            if not needed:
                yield f"{program} names no library: is it a program?"
            for library in needed:
                owner = subprocess.run(
                    ["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True).stdout
                owners = {line.split(":")[0] for line in owner.splitlines()}
                if not owners & depended(unpacked):
                    yield f"{name} does not depend on a package with {library}: {owners or 'none'}"


def judge_roots(trees):
    """Without trusted roots, no webhook is sent and nothing is pulled."""
    for name, unpacked in trees.items():
        if "ca-certificates" not in fields(unpacked).get("Recommends", ""):
            yield f"{name} does not recommend ca-certificates"


def judge_unit(trees):
    unpacked = trees["daybook-serve"]
    unit = unpacked / "lib/systemd/system/daybook-serve.service"
    said = output_of("systemd-analyze", "security", "--offline=true", unit)
    exposure = float(re.search(r"exposure level.*?: ([0-9.]+)", said)[1])
    if exposure > exposure_max:
        yield f"the unit's exposure is {exposure}, more than {exposure_max}"
    settings = json.loads((unpacked / "etc/daybook/serve.json").read_text())
    stop = int(re.search(r"^TimeoutStopSec=(\d+)$", unit.read_text(), re.M)[1])
    if stop <= settings["stopSeconds"]:
        yield f"systemd kills after {stop} s, and requests may take {settings['stopSeconds']} s"
    if not re.search(r"^LogRateLimitBurst=[1-9]\d{5,}$", unit.read_text(), re.M):
        yield "the journal drops lines of the record of who asked"
    if settings["host"] != "127.0.0.1":
        yield "the settings listen for other machines"
    if (unpacked / "DEBIAN/conffiles").read_text().split() != ["/etc/daybook/serve.json"]:
        yield "serve.json is not a conffile"


def judge_copyright(trees):
    """Whatever is checked out to be linked in is named."""
    for name, unpacked in trees.items():
        text = (unpacked / f"usr/share/doc/{name}/copyright").read_text()
        for checkout in sorted((tree / ".build/checkouts").iterdir()):
            if f"checkouts/{checkout.name}/*" not in text:
                yield f"{name}: copyright says nothing of {checkout.name}"


judges = [judge_files, judge_dependencies, judge_roots, judge_unit, judge_copyright]


def judge(trees):
    return [failure for judge in judges for failure in judge(trees)]


# Each control spoils one file, and has to be noticed.
def replaced(file, old, new):
    text = file.read_text()
    if old not in text:
        raise SystemExit(f"package: the control finds no “{old}” in {file.name}")
    file.write_text(text.replace(old, new))


controls = {
    "a missing manual page": lambda trees: (
        trees["daybook"] / "usr/share/man/man1/daybook-pull.1.gz").unlink(),
    "a missing dependency": lambda trees: replaced(
        trees["daybook"] / "DEBIAN/control", "liblmdb0", "liblzma5"),
    "a package without trusted roots": lambda trees: replaced(
        trees["daybook"] / "DEBIAN/control", "Recommends: ca-certificates", "Suggests: jq"),
    "a unit with fewer restrictions": lambda trees: replaced(
        trees["daybook-serve"] / "lib/systemd/system/daybook-serve.service",
        "SystemCallFilter=@system-service\n", ""),
    "a unit that is killed early": lambda trees: replaced(
        trees["daybook-serve"] / "lib/systemd/system/daybook-serve.service",
        "TimeoutStopSec=60", "TimeoutStopSec=20"),
    "a record with gaps": lambda trees: replaced(
        trees["daybook-serve"] / "lib/systemd/system/daybook-serve.service",
        "LogRateLimitBurst=1000000\n", ""),
    "a forgotten licence": lambda trees: replaced(
        trees["daybook"] / "usr/share/doc/daybook/copyright", "checkouts/GRDB.swift/*", "other/*"),
}


def run_controls(trees):
    usual = judge(trees)
    for name, spoil in controls.items():
        with tempfile.TemporaryDirectory(dir=next(iter(trees.values())).parent) as folder:
            spoiled = {}
            for package, unpacked in trees.items():
                # Programs are large and not spoiled, so they are linked.
                spoiled[package] = pathlib.Path(folder) / package
                shutil.copytree(unpacked, spoiled[package], symlinks=True, copy_function=(
                    lambda source, target: os.link(source, target) if "/usr/bin/" in source
                    else shutil.copy2(source, target)))
            spoil(spoiled)
            found = [failure for failure in judge(spoiled) if failure not in usual]
        print(f"control: {name}: {found[0] if found else 'NOT NOTICED'}")
        if not found:
            yield f"the control was not noticed: {name}"


def judge_again(files, trees):
    """The same programs give the same packages, byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, unpacked in trees.items():
            for program in programs[name]:
                shutil.copy2(unpacked / "usr/bin" / program, folder)
        for path in [".build/release", ".build/static/release"]:
            if (tree / path / "generate-manual").exists():
                shutil.copy2(tree / path / "generate-manual", folder)
                break
        output_of(tree / "Tools/package/build", "--programs", folder, "--fast", folder / "again")
        for name, again in packages(folder / "again").items():
            if again.read_bytes() != files[name].read_bytes():
                yield f"{again.name} differs when it is made once more of the same programs"


def judge_examples():
    """The rules of Prometheus are read by promtool, and do what they are tested for."""
    if not shutil.which("promtool"):
        print("package: promtool is missing, so alerts.yml is not checked")
        return
    for words in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]]:
        answer = subprocess.run(
            ["promtool", *words], cwd=tree / "Tools/package", capture_output=True, text=True)
        if answer.returncode:
            yield f"promtool {' '.join(words)}: {answer.stdout}{answer.stderr}"


def run(folder):
    files = packages(folder)
    lintian = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "warning", *map(str, files.values())],
        capture_output=True, text=True)
    failures = [f"lintian: {line}" for line in lintian.stdout.splitlines()]
    if lintian.returncode and not failures:
        failures.append(f"lintian: {lintian.stderr}")
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        trees = {}
        for name, file in files.items():
            trees[name] = pathlib.Path(unpacked) / name
            output_of("dpkg-deb", "-R", file, trees[name])
            owners = set(re.findall(r"^\S+ (\S+)", output_of("dpkg-deb", "-c", file), re.M))
            if owners != {"root/root"}:
                failures.append(f"{name}: files belong to {owners}")
        failures += judge(trees)
        failures += judge_again(files, trees)
        failures += run_controls(trees)
    failures += judge_examples()
    return failures
