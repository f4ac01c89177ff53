"""The commands of docs/operating.md, typed in a clean Debian, and what they answer."""
import os
import re
import shutil

import contents

path = contents.tree / "docs/operating.md"
# What differs each time, and what the page shows in its place.
steady = [
    (r"daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}", "daybook_k3m7q2xw_…"),
    (r"\b[0-9a-f]{64}\b", "5d1c0a7e2b94f386…"),
    (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-11-24T09:00:00Z"),
    (r"\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}", "+c5a1e7f0+AXRwKfiuU84ZdHAp+K5Tzhg…"),
    (r"\+[0-9a-f]{8}\b", "+c5a1e7f0"),
]


def blocks(text):
    """The consoles of the page, each as its beginning, its end and its commands."""
    for match in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        commands = []
        for line in match[1].splitlines():
            if line.startswith("$ "):
                commands.append(line[2:])
            elif commands and commands[-1].endswith("\\"):
                commands[-1] += "\n" + line
        yield match.start(1), match.end(1), commands


def typed(commands):
    """A script that types them in one shell, with a mark after each answer."""
    script = "cd /root\nexec 2>&1\n"
    for number, command in enumerate(commands):
        script += (f"{command}\nstatus=$?; printf '\\001%d %d\\001' {number} $status\n"
                   "test $status = 0 || exit\n")
    return script


def answers(said):
    """What each command answered, and its status."""
    parts = re.split("\x01(\\d+) (\\d+)\x01", said)
    for text, _, status in zip(parts[0::3], parts[1::3], parts[2::3]):
        for pattern, sample in steady:
            text = re.sub(pattern, sample, text)
        # Answers of the service end with an empty line.
        lines = [line.rstrip() for line in text.strip("\n").splitlines() if line.strip()]
        yield "".join(line + "\n" for line in lines), int(status)


def play(visit):
    text = path.read_text()
    found = list(blocks(text))
    commands = [command for _, _, some in found for command in some]
    if not visit.check("the page has commands", len(commands) > 5, commands):
        return
    shutil.copy2(contents.tree / "Tools/samples/books.jsonl", visit.debian.root / "root")
    said = list(answers(visit.debian.run(typed(commands)).stdout))
    visit.check("all commands of the page were typed", len(said) == len(commands),
                f"{len(said)} of {len(commands)}: {said[-1:]}")
    for command, (answer, status) in zip(commands, said):
        visit.check(f"$ {command.splitlines()[0][:80]}", status == 0, f"{status}: {answer}")
    shown, end = "", 0
    answered = iter(said)
    for start, stop, some in found:
        shown += text[end:start]
        for command in some:
            shown += f"$ {command}\n{next(answered, ('', 0))[0]}"
        end = stop
    shown += text[end:]
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(shown)
    elif shown != text:
        differing = [line for line in shown.splitlines() if line not in text.splitlines()]
        visit.check("docs/operating.md shows what its commands answer", False,
                    f"it lacks {differing[:10]}; write it anew with UPDATE_GOLDEN=1")
