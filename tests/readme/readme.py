#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the commands of a document, and compare their output with the output that it shows.

  tests/readme/readme.py DOCUMENT BUILD [TOP]

The document is Markdown, or a man page in scdoc's language.  It is tried in a folder that looks like the tree TOP (without it, the
document's folder), with what tools/quickstart makes of BUILD (tests/tools/command_tree.sh) as its build/ and the commands in PATH.  A block whose first line names a file ("/* hello.c: ...",
"; hello.ini", "# ring.py: ...") is saved under that name.  In blocks of sh each line "$ ..." is run by bash; the lines below it are its expected output,
standard error with it; nothing is compared where no line is shown.  Blocks of "sh link" are run only
where the library needs no sanitizer, of "sh mpi" where there is an MPI as well, of "sh synthesis" where the solver is, of "sh python" where mpi4py is; in a man page the line above the block is "; mpi" and so on.
A command must succeed unless the next one is "echo $?".  Links into the tree must lead somewhere, and links within the document.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile


def blocks(text):
    """(language, line number, lines) of each fenced block."""
    inside, language, start = None, None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if inside is None:
                inside, language, start = [], line[3:].strip(), number
            else:
                yield language, start, inside
                inside = None
        elif inside is not None:
            inside.append(line)


def blocks_of_page(text):
    """The same of a man page, where a block has no language, and a backslash is written twice."""
    above = text.splitlines()
    for _, start, lines in blocks(text):
        needs = re.match("; (.*)", above[start - 2])
        yield f"sh {needs.group(1)}" if needs else "sh", start, [re.sub(r"\\(.)", r"\1", line) for line in lines]


def commands(lines):
    """[command, expected output] of a block of sh; a command goes on over lines that end in a backslash."""
    found = []
    for line in lines:
        if found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
    return found


def try_block(lines, where, folder, environment):
    """Run one block and print the differences.  Returns (commands run, commands wrong)."""
    wrong, status = 0, 0
    found = commands(lines)
    for i, (command, shown) in enumerate(found):
        last = status
        result = subprocess.run(["bash", "-c", f"(exit {last})\n{command}"], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                env=environment, timeout=600)
        status = result.returncode
        printed = result.stdout.splitlines()
        asked = i + 1 < len(found) and found[i + 1][0] == "echo $?"
        if status != 0 and not asked:
            print(f"{where}: $ {command}\nexits with {status}:\n{result.stdout}")
            wrong += 1
        elif shown and printed != shown:
            print(f"{where}: $ {command}")
            print(*difflib.unified_diff(shown, printed, "shown", "printed", lineterm=""), sep="\n")
            wrong += 1
    return len(found), wrong


def has_mpi(build):
    """Whether commands that need MPI can be run: blocks of "sh mpi"."""
    return any(os.path.exists(os.path.join(build, "lib", "cluster", f"libpeal-mpi-{name}.so"))
               and shutil.which(f"mpirun.{name}") for name in ("openmpi", "mpich"))


def has_mpi4py():
    return subprocess.run(["python3", "-c", "import mpi4py, numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def can_link(build):
    """Whether a program can be linked with the library as it is: one built with a sanitizer needs that, too."""
    with open(os.path.join(build, "libpeal.so"), "rb") as library:
        return b"__asan_init" not in library.read()


def anchors(path):
    """What links can lead to within a file of Markdown: its headings, in lower case, with - for a blank."""
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"(?m)^#+ (.*)$", file.read())
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def dead_links(text, document):
    """The links into the tree that lead nowhere."""
    found = []
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", re.sub(r"(?ms)^```.*?^```", "", text)):
        path = os.path.join(os.path.dirname(document), target) if target else document
        if "://" not in target and (not os.path.exists(path) or (anchor and anchor not in anchors(path))):
            found.append(f"{target}#{anchor}".rstrip("#"))
    return found


def main():
    document, build = (os.path.abspath(path) for path in sys.argv[1:3])
    top = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else os.path.dirname(document)
    name, page = os.path.basename(document), document.endswith(".scd")
    run = wrong = 0
    with open(document, encoding="utf-8") as file:
        text = file.read()
    for target in [] if page else dead_links(text, document):
        print(f"{name}: nothing is at {target}")
        wrong += 1
    tried = {"sh": True, "sh mpi": has_mpi(build) and can_link(build), "sh link": can_link(build), "sh synthesis": shutil.which("cadical"),
             "sh python": has_mpi4py()}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=build, prefix="command-") as tree:
        subprocess.run([os.path.join(os.path.dirname(__file__), "../tools/command_tree.sh"), build, tree], check=True)
        environment = {**os.environ, "PATH": f"{tree}/tools:{os.environ['PATH']}", "PEAL_BUILD": build,
                       "NO_COLOR": "1", "OMPI_MCA_btl": "^tcp"} # as in tests/cluster/job.sh
        environment.pop("LD_LIBRARY_PATH", None) # where meson says that the libraries are
        for entry in os.listdir(top):
            if not entry.startswith((".", "build")):
                os.symlink(os.path.join(top, entry), os.path.join(folder, entry))
        os.symlink(tree, os.path.join(folder, "build"))
        for language, start, lines in blocks_of_page(text) if page else blocks(text):
            saved = re.match(r"(?:/\*|;|#) ([\w-]+\.(?:c|ini|py))\b", lines[0])
            if saved:
                with open(os.path.join(folder, saved.group(1)), "w", encoding="utf-8") as source:
                    source.write("\n".join(lines) + "\n")
            elif tried.get(language):
                count, bad = try_block(lines, f"{name}, block at line {start}", folder, environment)
                run, wrong = run + count, wrong + bad
    print(f"{run} commands run, {wrong} wrong")
    return 1 if wrong or not run else 0


if __name__ == "__main__":
    sys.exit(main())
