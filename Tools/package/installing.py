"""The packages installed, used, upgraded, removed and purged in a clean Debian."""
import hashlib
import os
import pathlib
import re
import shutil
import tempfile

import contents
import page
from clean_debian import CleanDebian

tree = contents.tree
ledger = "var/lib/daybook/ledger"


class Visit:
    """What is done with one clean Debian, and what was wrong."""

    def __init__(self, debian, files, older):
        self.debian, self.files, self.older = debian, files, older
        self.failures = []

    def check(self, what, holds, detail=""):
        print(f"{'ok' if holds else 'FAILED'}: {what}")
        if not holds:
            self.failures.append(f"{what}: {str(detail).strip()[-1500:]}")
        return holds

    def succeeds(self, what, command):
        answer = self.debian.run(command)
        self.check(what, answer.returncode == 0, answer.stdout + answer.stderr)
        return answer.stdout.strip()

    def fails(self, what, command):
        answer = self.debian.run(command)
        self.check(what, answer.returncode != 0, answer.stdout + answer.stderr)

    def is_there(self, path):
        return os.path.lexists(self.debian.root / path)

    def content(self):
        """What the ledger's folder has, by path: only the log and the keys, which nothing replaces."""
        folder = self.debian.root / ledger
        return {
            str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in [folder / "log/data.mdb", folder / "keys"] if file.exists()}


def older_version(files, folder):
    """The same programs as an older version, whose settings had another text."""
    older = {}
    for name, file in files.items():
        unpacked = folder / name
        contents.output_of("dpkg-deb", "-R", file, unpacked)
        version = contents.fields(unpacked)["Version"]
        contents.replaced(unpacked / "DEBIAN/control", version, "0.0.1-1")
        if name == "daybook-serve":
            contents.replaced(unpacked / "etc/daybook/serve.json", '  "logLevel": "info",\n', "")
        older[name] = folder / f"{name}_0.0.1-1.deb"
        contents.output_of("dpkg-deb", "-Zgzip", "-z1", "-b", unpacked, older[name])
        shutil.rmtree(unpacked)
    return older


def spoiled(files, folder):
    """The packages as DAYBOOK_CONTROL spoils them; without it, as they are."""
    control = os.environ.get("DAYBOOK_CONTROL")
    if not control:
        return files
    result = {}
    for name, file in files.items():
        unpacked = folder / f"spoiled-{name}"
        contents.output_of("dpkg-deb", "-R", file, unpacked)
        if control == "dependency":
            text = (unpacked / "DEBIAN/control").read_text()
            (unpacked / "DEBIAN/control").write_text(re.sub(r"liblmdb0 [^,]*, ", "", text))
        elif control == "conffile" and name == "daybook-serve":
            (unpacked / "DEBIAN/conffiles").unlink()
        elif control == "purge" and name == "daybook-serve":
            contents.replaced(unpacked / "DEBIAN/postrm", "rmdir --ignore-fail-on-non-empty", "rm -r")
        elif control not in ["conffile", "purge"]:
            raise SystemExit(
                f"package: DAYBOOK_CONTROL: expected dependency, conffile or purge: {control}")
        result[name] = folder / file.name
        contents.output_of("dpkg-deb", "-Zgzip", "-z1", "-b", unpacked, result[name])
        shutil.rmtree(unpacked)
    return result


def after_install(visit):
    visit.succeeds("the program runs", "daybook --version && daybook-pull --help")
    visit.fails("the service is not started before it has a ledger",
                "systemctl is-active daybook-serve")
    visit.succeeds("its folder is its user's alone",
                   'test "$(stat -c "%U %a" /var/lib/daybook)" = "daybook 700"')
    visit.succeeds("a start without a ledger fails at once, and says what is missing", (
        "systemctl start daybook-serve; sleep 1; systemctl is-failed daybook-serve "
        "&& journalctl -u daybook-serve | grep -q 'There is no ledger'"))
    visit.succeeds("the failure is forgotten", "systemctl reset-failed daybook-serve")
    for path in ["usr/share/man/man1/daybook.1.gz", "usr/share/man/man1/daybook-serve.1.gz",
                 "usr/share/bash-completion/completions/daybook"]:
        visit.check(f"/{path} is there", visit.is_there(path))


def after_the_page(visit):
    """What the page left behind: a service that runs, under the restrictions of its unit."""
    visit.succeeds("the service runs", "systemctl is-active daybook-serve")
    status = visit.succeeds(
        "it has its restrictions", "cat /proc/$(systemctl show -P MainPID daybook-serve)/status")
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"]:
        visit.check(f"the process has {line!r}", line in status, status)
    visit.succeeds("it cannot write elsewhere", (
        "nsenter -t $(systemctl show -P MainPID daybook-serve) -m "
        "sh -c 'test ! -w /etc/daybook/serve.json -a -w /var/lib/daybook'"))
    log = visit.succeeds("its log can be read", "journalctl -u daybook-serve -o cat")
    bad = [line for line in log.splitlines()
           if re.search(r'"level":"(error|critical)"|[Ff]atal|core dumped', line)]
    visit.check("its log has no error", not bad, bad[:5])
    token = visit.succeeds("a token for Prometheus", (
        "runuser -u daybook -- daybook --ledger /var/lib/daybook/ledger token create scraper "
        "--scope admin --operator prometheus"))
    visit.succeeds("a webhook is made", (
        "runuser -u daybook -- daybook --ledger /var/lib/daybook/ledger webhook create shop "
        "--url http://127.0.0.1:9/hooks --type entitlement.changed"))
    for words in ["token revoke backend", "answer-key new", "rebuild", "note reader-1 x --operator kim"]:
        visit.succeeds(f"root does not touch another user's ledger: {words}", (
            f"daybook --ledger /var/lib/daybook/ledger {words}; test $? = 77"))
    visit.succeeds("root may read it",
                   "daybook --ledger /var/lib/daybook/ledger entitlements reader-1 >/dev/null")
    strangers = visit.succeeds("whose files are in it", "find /var/lib/daybook ! -user daybook")
    visit.check("all belong to the service's user", strangers == "", strangers)
    # Counters are there once they have counted.
    visit.succeeds("it takes in what it has already", (
        f"curl -sSf -H 'Authorization: Bearer {token}' -H 'Content-Type: application/x-ndjson' "
        "--data-binary @/root/books.jsonl http://127.0.0.1:8470/v1/events"))
    metrics = visit.succeeds(
        "the metrics are there",
        f"curl -sSf -H 'Authorization: Bearer {token}' http://127.0.0.1:8470/metrics")
    alerts = (tree / "Tools/package/alerts.yml").read_text()
    for name in sorted(set(re.findall(r"\b(?:daybook|hb|http_server)_[a-z_]+", alerts))):
        visit.check(f"the service has the metric {name}",
                    re.search(rf"^{name}\b", metrics, re.M), "alerts.yml names it")


def upgrade(visit):
    before = visit.succeeds("the position before the upgrade",
                            "curl -sSf http://127.0.0.1:8470/ready")
    visit.succeeds("the settings are edited", (
        "sed -i 's/8470/8475/' /etc/daybook/serve.json && systemctl restart daybook-serve"))
    process = visit.succeeds("a process runs", "systemctl show -P MainPID daybook-serve")
    for file in visit.files.values():
        shutil.copy2(file, visit.debian.root / file.name)
    names = " ".join(f"/{file.name}" for file in visit.files.values())
    visit.succeeds("the packages are upgraded", (
        "apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "
        f"{names}"))
    visit.succeeds("the new version is installed",
                   "dpkg-query -W -f '${Version}' daybook-serve | grep -qv '^0.0.1'")
    visit.succeeds("the edited settings are kept", "grep -q 8475 /etc/daybook/serve.json")
    again = visit.succeeds("the service runs", "systemctl show -P MainPID daybook-serve")
    visit.check("it was started anew", again not in ["0", process], f"{process}, then {again}")
    after = visit.succeeds("it answers where the settings say", (
        "curl -sSf --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:8475/ready"))
    # What is folded depends on the time of asking; the position does not.
    positions = [re.findall(r'"position":(\d+)', answer) for answer in [before, after]]
    visit.check("it has what it had", positions[0] == positions[1] != [], f"{before}, then {after}")


def remove(visit):
    visit.succeeds("SIGTERM ends the service in order", (
        "systemctl stop daybook-serve && test $(systemctl show -P ExecMainStatus daybook-serve) = 0 "
        "&& systemctl start daybook-serve"))
    visit.succeeds("the packages are removed", "apt-get remove -y -qq daybook-serve daybook")
    visit.fails("the service was stopped", "pgrep -x daybook-serve || ls /usr/bin/daybook*")
    visit.check("the settings are kept", visit.is_there("etc/daybook/serve.json"))
    before = visit.content()
    visit.check("the ledger is kept", len(before) == 2, before)
    answer = visit.debian.run("apt-get purge -y -qq daybook-serve daybook")
    said = answer.stdout + answer.stderr
    visit.check("the packages are purged", answer.returncode == 0, said)
    visit.check("the purge says what it keeps", "/var/lib/daybook is kept" in said, said)
    visit.check("the ledger is as it was", before == visit.content() != {}, visit.content())
    left = visit.succeeds("what is left is found", (
        "find / -xdev -name '*daybook*' -not -path '/var/lib/daybook/*' -not -path '/var/log/*' "
        "-not -path '/var/cache/*' -not -path '/var/backups/*' -not -path '/root/*' "
        "-not -name '*.deb'"))
    visit.check("it is the ledger's folder alone", left == "/var/lib/daybook", left)


def come_back(visit):
    """Whoever installs it again finds the ledger as it was left."""
    names = " ".join(f"/{file.name}" for file in visit.files.values())
    # There is no network any more, from which others could come.
    visit.succeeds("the packages are installed again",
                   f"apt-get install -y -qq --no-install-recommends {names}")
    visit.succeeds("the ledger is whole", (
        "runuser -u daybook -- daybook --ledger /var/lib/daybook/ledger verify"))
    visit.succeeds("and served", (
        "systemctl start daybook-serve && curl -sSf --retry 20 --retry-connrefused "
        "--retry-delay 1 http://127.0.0.1:8470/ready"))
    visit.succeeds("an empty folder does not survive a purge", (
        "systemctl stop daybook-serve && rm -r /var/lib/daybook/* && "
        "apt-get purge -y -qq daybook-serve daybook && test ! -e /var/lib/daybook"))


def run(output):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = spoiled(contents.packages(output), folder)
        older = older_version(files, folder)
        with CleanDebian(folder) as debian:
            visit = Visit(debian, files, older)
            answer = debian.install(*older.values())
            if not visit.check("apt installs the packages with what they depend on",
                               answer.returncode == 0, answer.stdout + answer.stderr):
                return visit.failures
            debian.boot()
            after_install(visit)
            page.play(visit)
            after_the_page(visit)
            upgrade(visit)
            remove(visit)
            come_back(visit)
            return visit.failures
