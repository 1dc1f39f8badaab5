# SPDX-License-Identifier: MIT
# usage: kinds.py PEAL FOLDER [--update]
# Runs the programs that `peal explain KIND` shows: its program must be found to be of exactly this kind, in the words shown, and the
# fixed one must be found right.  --update writes the words into FOLDER/KIND.txt, from its files there; it keeps
# what it has of a kind that is not found, with a line, and refuses a build that is not whole.
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
    return done.returncode, (done.stdout + done.stderr).replace(folder + "/", "")  # the place of a program in C is absolute


def said(text):
    """The findings: of check those of its lines that name a kind, of run its last word, what it
    reports as compilers do, of import its document's that are not warnings."""
    if text.startswith("{"):
        return [f"{f['kind']}: {f['message']}" for f in json.loads(text)["findings"] if not f["warning"]]
    lines = re.findall(r"^(?:  |peal: |\S+\.c:\d+: finding: )((?:warning: )?[a-z-]+: .*)$", text, re.M)
    return [line for line in lines if not re.match(r"(smallest|rerun|fix|order|note|cases|limits): ", line)]


def shown(peal, kind):
    """What explain prints: each command with its program, the words, and the fixed program."""
    text = subprocess.run([peal, "explain", kind], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"\n    \$ (peal [^\n]*)\n((?:    [^\n]*\n)+)", text)
    programs = [(name, re.sub(r"^    ", "", body, flags=re.M))
                for name, body in re.findall(r"\n(\S+\.(?:c|xml))\n\n((?:    [^\n]*\n|\n)+)", text)]
    if not found or len(programs) != 2 * len(found):
        sys.exit(f"{kind}.txt does not have what Peal says: kinds.py PEAL FOLDER --update writes it there")
    return [(command, programs[2 * i], " ".join(words.split()), programs[2 * i + 1])
            for i, (command, words) in enumerate(found)]


def try_example(peal, kind, command, wrong, words, fixed):
    command = command.replace(wrong[0], "FILE")
    with tempfile.TemporaryDirectory() as folder:
        for name, program in (wrong, fixed):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(program)
        code, text = run(peal, command, wrong[0], folder)
        problems = []
        findings = said(text)
        if [line.split(":")[0] for line in findings] != [kind]:
            problems.append(f"{wrong[0]}: found {findings}")
        elif " ".join(findings[0].split()) != words:
            problems.append(f"{wrong[0]} says\n  {findings[0]}\nand explain shows\n  {words}")
        if code == 0:
            problems.append(f"{wrong[0]}: exit code 0")
        code, text = run(peal, command, fixed[0], folder)
        if code != 0 or said(text):
            problems.append(f"{fixed[0]}: exit code {code}: {said(text) or text}")
        return problems


def try_one(peal, kind):
    return sum((try_example(peal, kind, *example) for example in shown(peal, kind)), [])


def update_section(peal, folder, text, title, name):
    """The text with what is found in the program NAME after the command of a section; None where that is not of the kind."""
    before, _, rest = text.partition(f"# {title}\n")
    command, after = rest.split("\n", 1)
    ending = ".c" if os.path.exists(os.path.join(folder, name + ".c")) else ".xml"
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(folder, name + ending), encoding="utf-8") as source:
            program = re.sub(r"\A(/\*|<!--) SPDX[^\n]*\n", "", source.read())
        with open(os.path.join(scratch, name + ending), "w", encoding="utf-8") as out:
            out.write(program)
        _, output = run(peal, command, name + ending, scratch)
    findings = said(output)
    kind = name.removesuffix("-mpi")
    if [line.split(":")[0] for line in findings] != [kind]:
        print(f"{kind}.txt: the words shown for {name}{ending} are kept: expected {kind} from `{command}`, got {findings or output}")
        return None
    return f"{before}# {title}\n{command}\n{findings[0]}\n" + "".join(after.partition("# ")[1:])


def update(peal, folder, kind):
    """Write what Peal says into KIND.txt; False when some of it is not found."""
    path = os.path.join(folder, kind + ".txt")
    with open(path, encoding="utf-8") as source:
        before = text = source.read()
    if "# says\n" not in text:  # a new kind
        text = text.replace("# fixed\n", "# says\npeal run FILE -p 4\n# fixed\n", 1)
    sections = {"says": kind, "mpi": kind + "-mpi"}
    kept = 0
    for title, name in sections.items():
        updated = update_section(peal, folder, text, title, name) if f"# {title}\n" in text else text
        kept += updated is None
        text = updated or text
    if text != before:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        print(f"{kind}.txt is written")
    return kept == 0


def is_whole(peal):
    """Whether all that the command needs to run programs is built, and up to date."""
    build = os.path.dirname(os.path.dirname(peal))
    if not os.path.exists(os.path.join(build, "build.ninja")):
        return True
    left = subprocess.run(["ninja", "-C", build, "-n", "command"], capture_output=True, text=True)
    if "no work to do" not in left.stdout:
        print(f"{peal} is not built whole, and may say other words: ninja -C {build} command", file=sys.stderr)
        return False
    return True


def main():
    peal, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    kinds = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".txt"))
    if "--update" in sys.argv:
        if not is_whole(peal):
            return 2
        return 1 - min([update(peal, folder, kind) for kind in kinds])
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
