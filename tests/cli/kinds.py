# SPDX-License-Identifier: MIT
# usage: kinds.py PEAL FOLDER [--update]
# Runs what `peal explain KIND` shows: its program must be found to be of exactly this kind, in the words shown, and the
# mended one must be found right.  --update writes the words into FOLDER/KIND.txt, from its files there.
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def run(peal, command, file, folder):
    words = [peal] + [file if word == "FILE" else word for word in shlex.split(command)[1:]]
    if words[1] == "import":
        words.append("--json")
    env = dict(os.environ, PEAL_PAGER="", NO_COLOR="1")
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def said(text):
    """The findings: of check those of its lines that tell a kind, of run its last word, of import its document's that are no warnings."""
    if text.startswith("{"):
        return [f"{f['kind']}: {f['message']}" for f in json.loads(text)["findings"] if not f["warning"]]
    lines = re.findall(r"^(?:  |peal: )((?:warning: )?[a-z-]+: .*)$", text, re.M)
    return [line for line in lines if not re.match(r"(smallest|rerun|order|note): ", line)]


def shown(peal, kind):
    """What explain prints: command, program, words, mended program."""
    text = subprocess.run([peal, "explain", kind], capture_output=True, text=True, check=True).stdout
    found = re.search(
        r"\n    \$ (peal [^\n]*)\n((?:    [^\n]*\n)+)", text)
    programs = re.findall(r"\n(\S+\.(?:c|xml))\n\n((?:    [^\n]*\n|\n)+)", text)
    assert found and len(programs) == 2, text
    command = found.group(1).replace(programs[0][0], "FILE")
    unindent = [re.sub(r"^    ", "", body, flags=re.M) for _, body in programs]
    return command, unindent[0], found.group(2), unindent[1], os.path.splitext(programs[0][0])[1]


def try_one(peal, kind):
    command, wrong, words, mended, ending = shown(peal, kind)
    words = " ".join(words.split())
    with tempfile.TemporaryDirectory() as folder:
        for name, program in ((kind + ending, wrong), (kind + "-mended" + ending, mended)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(program)
        code, text = run(peal, command, kind + ending, folder)
        problems = []
        findings = said(text)
        if [line.split(":")[0] for line in findings] != [kind]:
            problems.append(f"found {findings}")
        elif " ".join(findings[0].split()) != words:
            problems.append(f"says\n  {findings[0]}\nand explain shows\n  {words}")
        if code == 0:
            problems.append("exit code 0")
        code, text = run(peal, command, kind + "-mended" + ending, folder)
        if code != 0 or said(text):
            problems.append(f"mended: exit code {code}: {said(text) or text}")
        return problems


def update(peal, folder, kind):
    path = os.path.join(folder, kind + ".txt")
    with open(path, encoding="utf-8") as source:
        text = source.read()
    before, rest = text.split("# says\n")
    command, after = rest.split("\n", 1)
    ending = ".c" if os.path.exists(os.path.join(folder, kind + ".c")) else ".xml"
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(folder, kind + ending), encoding="utf-8") as source:
            program = re.sub(r"\A(/\*|<!--) SPDX[^\n]*\n", "", source.read())
        with open(os.path.join(scratch, kind + ending), "w", encoding="utf-8") as out:
            out.write(program)
        _, output = run(peal, command, kind + ending, scratch)
    findings = said(output)
    print(kind, findings)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"{before}# says\n{command}\n{findings[0] if findings else '-'}\n# mend\n{after.split('# mend' + chr(10))[1]}")


def main():
    peal, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    kinds = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".txt"))
    if "--update" in sys.argv:
        for kind in kinds:
            update(peal, folder, kind)
        return 0
    listed = subprocess.run([peal, "explain", "kinds"], capture_output=True, text=True, check=True).stdout
    names = sorted(re.findall(r"^  ([a-z-]+) ", listed, re.M))
    bad = 0
    if names != kinds:
        print("explain kinds lists", names, "and the folder has", kinds)
        bad = 1
    collectives = subprocess.run([peal, "list"], capture_output=True, text=True, check=True).stdout
    for kind in kinds:
        if re.search(rf"^\s*{kind}(/|\s|$)", collectives, re.M):
            print(kind, "is a collective, too")
            bad = 1
    with ThreadPoolExecutor(2) as pool:
        for kind, problems in zip(kinds, pool.map(lambda one: try_one(peal, one), kinds)):
            for problem in problems:
                print(f"{kind}: {problem}")
                bad = 1
    return bad


sys.exit(main())
