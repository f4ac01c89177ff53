"""Compares the service with its description. Called by Tools/service/check."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

tree = pathlib.Path(__file__).resolve().parents[2]
schemas = tree / "Schemas"
programs = pathlib.Path(sys.argv[1]).resolve()
# How long the service may take to listen, to answer and to stop, in seconds. No check is about
# speed: a busy machine takes its time.
patience = 120
failures = []


def check(what, holds, detail=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}: {str(detail)[:1000]}")


def damaged(document):
    """The description with one fault, for the control."""
    control = os.environ.get("DAYBOOK_CONTROL")
    if control == "response":
        del document["paths"]["/v1/entitlements"]["get"]["responses"]["400"]
    elif control == "parameter":
        document["paths"]["/v1/holders"]["get"]["parameters"].pop(0)
    elif control == "schema":
        del document["components"]["schemas"]["Health"]["properties"]["status"]
        document["components"]["schemas"]["Health"]["required"] = []
    elif control:
        sys.exit(f"service: DAYBOOK_CONTROL: expected response, parameter or schema: {control}")
    return document


class Service:
    def __init__(self, folder, open=True):
        self.ledger = folder / ("ledger" if open else "guarded")
        self.run("init", self.ledger)
        self.run("append", "--ledger", self.ledger, tree / "Tests/Samples/every-type.jsonl")
        self.run("answer-key", "new", "--ledger", self.ledger)
        # Nobody listens there.
        self.run("webhook", "create", "shop", "--url", "http://127.0.0.1:9/hooks", "--type", "*",
                 "--ledger", self.ledger)
        self.log = folder / f"{self.ledger.name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [programs / "daybook-serve", "--ledger", self.ledger, "--port", "0",
                 *(["--open"] if open else []), "--app", "com.example.reader"],
                stderr=log)
        self.url = f"http://127.0.0.1:{self.port()}"

    def run(self, *arguments):
        return subprocess.run(
            [programs / "daybook", *arguments], check=True, capture_output=True).stdout

    def port(self):
        end = time.monotonic() + patience
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"listening on .*, port (\d+)", self.log.read_text(errors="replace"))
            if found:
                return found[1]
            time.sleep(0.05)
        self.process.kill()
        sys.exit(f"service: does not listen: {self.log.read_text(errors='replace')}")

    def ask(self, path, method="GET", body=None, **headers):
        request = urllib.request.Request(
            self.url + path, data=body, method=method,
            headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=patience) as response:
                return response.status, dict(response.headers), response.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none: it did not end"
        check("SIGTERM ends the service with 0", status == 0, status)
        errors = [line for line in self.log.read_text(errors="replace").split("\n")
                  if re.search(r'"level":"(error|critical)"', line)]
        check("the log has no error", not errors, errors[:3])


def address_of(path):
    """An address of a path with parameters in it."""
    return path.replace("{position}", "1").replace("{name}", "shop")


def fill(service):
    """Appends what the scenarios play, over HTTP. Returns the last position."""
    position = 0
    for scenario in sorted((tree / "Tests/Scenarios/incidents").glob("*.json")):
        status, headers, body = service.ask(
            "/v1/events", "POST", service.run("simulate", scenario),
            Content_Type="application/x-ndjson")
        check(f"{scenario.name} is appended", status == 200, body)
        position = int(headers.get("Daybook-Position", position))
    return position


def compare_parameters(service, document):
    """Each address names, to who sends an unknown one, exactly the parameters of the document."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            found = [document["components"]["parameters"][one["$ref"].rsplit("/", 1)[1]]
                     for one in operation["parameters"]]
            names = {one["name"] for one in found if one["in"] == "query"}
            if not names:
                continue
            address = address_of(path) + "?unknownParameter=1"
            body = b"{}" if method == "post" else None
            status, _, answer = service.ask(
                address, method.upper(), body, Content_Type="application/json")
            detail = json.loads(answer).get("detail", "")
            listed = detail.rpartition("expected ")[2].rstrip(".").split(", ")
            check(f"{method} {path} takes the parameters of the document",
                  status == 400 and set(listed) == names, (sorted(names), detail))


def compare_rules(service, document):
    status, _, body = service.ask("/v1/rules")
    rules = [rule["rule"] for rule in json.loads(body)["items"]]
    listed = document["components"]["schemas"]["RuleId"]["enum"]
    check("the document lists the rules", rules == listed, (rules, listed))


def compare_heads(service, document):
    """HEAD is answered as GET is, without a body, and is counted as ended."""
    for path, operations in document["paths"].items():
        address = address_of(path)
        status, headers, body = service.ask(address, "HEAD")
        other, more, _ = service.ask(address)
        check(f"HEAD {path}", (status, headers.get("Content-Type"), body)
              == (other, more.get("Content-Type"), b""), (status, other, headers, more))
    _, _, metrics = service.ask("/metrics")
    count = re.search(rb'active_requests\{http_request_method="HEAD"\} (\d+)', metrics)
    check("no HEAD is active for ever", count and count[1] == b"0", count)


def compare_tokens(folder, document):
    """Every address that needs a token says so, and says what a token may not do."""
    service = Service(folder, open=False)
    try:
        tokens = {scope: service.run(
            "token", "create", scope, "--scope", scope, "--ledger", service.ledger,
            *(["--operator", "ada"] if scope == "operate" else [])).decode().strip()
            for scope in ("append", "read", "operate")}
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                address, body = address_of(path), b"{}" if method == "post" else None
                named = f"{method} {path}"
                needed = {"401", "403"} & set(operation["responses"])
                status, headers, _ = service.ask(address, method.upper(), body)
                check(f"{named} is open or asks for a token",
                      status == 401 and "WWW-Authenticate" in headers if needed
                      else status not in (401, 403), status)
                if not needed:
                    continue
                statuses = {scope: service.ask(
                    address, method.upper(), body, Authorization=f"Bearer {token}")[0]
                    for scope, token in tokens.items()}
                refused = {scope for scope, status in statuses.items() if status == 403}
                check(f"{named} is for some scopes alone", len(refused) >= 2, statuses)
                check(f"{named} takes a token of the ledger", 401 not in statuses.values(), statuses)
    finally:
        service.stop()


def compare_tags(service):
    tags = [service.ask("/v1/events?limit=1")[1]["ETag"] for _ in range(2)]
    check("a page has one tag while nothing is appended", tags[0] == tags[1], tags)
    status, _, _ = service.ask("/v1/events?limit=1", If_None_Match=tags[0])
    check("a known page is not sent again", status == 304, status)


def validate(folder):
    result = subprocess.run(
        [pathlib.Path(sys.executable).parent / "openapi-spec-validator",
         folder / "service.openapi.json"], capture_output=True, text=True)
    check("the document is OpenAPI 3.1", result.returncode == 0, result.stdout + result.stderr)


def explore(service, folder, position):
    """Thousands of correct and incorrect requests, the same in each run."""
    result = subprocess.run(
        [pathlib.Path(sys.executable).parent / "schemathesis", "run",
         folder / "service.openapi.json", "--url", service.url, "--seed", "1",
         "--phases", "coverage,fuzzing", "--max-examples", "40", "--checks", "all",
         "--exclude-checks", "use_after_free,ensure_resource_availability,ignored_auth,"
         "object_level_authorization", "--request-timeout", str(patience),
         "--max-response-time", str(patience), "--continue-on-failure",
         "--no-color", "--generation-deterministic",
         "--no-shrink", "--warnings", "off",
         # Nobody but the store can make a notification that is taken.
         "--exclude-path", "/v1/notifications/apple"],
        cwd=folder, capture_output=True, text=True,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(tree / "Tools/service"),
             "PYTHONDONTWRITEBYTECODE": "1", "DAYBOOK_LAST_POSITION": str(position)})
    print(result.stdout[-12_000:] if result.returncode else result.stdout.strip().split("\n")[-1])
    check("schemathesis finds nothing", result.returncode == 0, result.stderr)


def measure(service):
    if not shutil.which("promtool"):
        print("service: SKIPPED: the metrics need promtool (apt-get install prometheus)")
        return
    _, _, metrics = service.ask("/metrics")
    result = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True)
    check("promtool takes the metrics", result.returncode == 0, result.stdout + result.stderr)


def main():
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="daybook-service-") as name:
        folder = pathlib.Path(name)
        for schema in schemas.glob("*.schema.json"):
            shutil.copy(schema, folder)
        document = damaged(json.loads((schemas / "service.openapi.json").read_text("utf-8")))
        (folder / "service.openapi.json").write_text(json.dumps(document), "utf-8")
        validate(folder)
        service = Service(folder)
        try:
            position = fill(service)
            compare_parameters(service, document)
            compare_rules(service, document)
            compare_heads(service, document)
            compare_tags(service)
            explore(service, folder, position)
            measure(service)
        finally:
            service.stop()
        compare_tokens(folder, document)
    print(f"service: {len(failures)} failures ({time.monotonic() - begun:.0f} s)")
    sys.exit(1 if failures else 0)


main()
