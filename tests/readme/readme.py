#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the commands of README.md, and compare their output with the output that it shows.

  tests/readme/readme.py README BUILD

Blocks of C and INI are saved under the name their first line gives ("/* hello.c: ...", "; hello.ini"), in a folder that looks like the tree, with
BUILD as its build/.  In blocks of sh each line "$ ..." is run by bash; the lines below it are its expected output, standard
error with it; blocks of "sh mpi" only where an MPI is there, of "sh link" where the library needs no sanitizer, of
"sh synthesis" where the solver is; nothing is compared where no line is shown.  A command must succeed unless the next one is "echo $?".
Links into the tree must lead somewhere.
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


def try_block(lines, start, folder, build):
    """Run one block and print the differences.  Returns (commands run, commands wrong)."""
    wrong, status = 0, 0
    found = commands(lines)
    for i, (command, shown) in enumerate(found):
        last = status
        result = subprocess.run(["bash", "-c", f"(exit {last})\n{command}"], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                                env={**os.environ, "PEAL_BUILD": build, "NO_COLOR": "1"}, timeout=600)
        status = result.returncode
        printed = result.stdout.splitlines()
        asked = i + 1 < len(found) and found[i + 1][0] == "echo $?"
        if status != 0 and not asked:
            print(f"README.md, block at line {start}: $ {command}\nexits with {status}:\n{result.stdout}")
            wrong += 1
        elif shown and printed != shown:
            print(f"README.md, block at line {start}: $ {command}")
            print(*difflib.unified_diff(shown, printed, "shown", "printed", lineterm=""), sep="\n")
            wrong += 1
    return len(found), wrong


def has_mpi(build):
    """Whether commands that need MPI can be run: blocks of "sh mpi"."""
    return any(os.path.exists(os.path.join(build, "lib", "mpi", f"libpeal-mpi-{name}.so"))
               and shutil.which(f"mpirun.{name}") for name in ("openmpi", "mpich"))


def can_link(build):
    """Whether a program can be linked with the library as it is: one built with a sanitizer needs that, too."""
    with open(os.path.join(build, "libpeal.so"), "rb") as library:
        return b"__asan_init" not in library.read()


def dead_links(text, top):
    """The links into the tree that lead nowhere."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", re.sub(r"(?ms)^```.*?^```", "", text))
    return [target for target in targets if "://" not in target and not os.path.exists(os.path.join(top, target))]


def main():
    readme, build = sys.argv[1], os.path.abspath(sys.argv[2])
    top = os.path.dirname(os.path.abspath(readme))
    run = wrong = 0
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    for target in dead_links(text, top):
        print(f"README.md: nothing is at {target}")
        wrong += 1
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else top
        for entry in os.listdir(root):
            if not entry.startswith((".", "build")):
                os.symlink(os.path.join(root, entry), os.path.join(folder, entry))
        os.symlink(build, os.path.join(folder, "build"))
        for language, start, lines in blocks(text):
            if language in ("c", "ini"):
                name = re.match(r"(?:/\*|;) ([\w-]+\.(?:c|ini))\b", lines[0])
                if name:
                    with open(os.path.join(folder, name.group(1)), "w", encoding="utf-8") as source:
                        source.write("\n".join(lines) + "\n")
            elif language == "sh" or (language == "sh mpi" and has_mpi(build)) or (language == "sh link" and can_link(build)) \
                    or (language == "sh synthesis" and shutil.which("cadical")):
                count, bad = try_block(lines, start, folder, build)
                run, wrong = run + count, wrong + bad
    print(f"{run} commands run, {wrong} wrong")
    return 1 if wrong or not run else 0


if __name__ == "__main__":
    sys.exit(main())
