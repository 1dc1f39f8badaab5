#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the commands of a transcript and compare their output and exit codes with the expected ones.

  tests/cli/run.py PEAL TRANSCRIPT [--update]

A transcript has comments (#), and commands for bash with their expected output:

  $ peal run scatter        the command; each runs in one directory of its own, with the files of tests/cli/files
  | a line                  of standard output
  ! a line                  of standard error
  = 2                       the exit code, if not 0

In an expected line [...] matches any text; "| ..." and "! ..." match any number of lines.  --update replaces the lines
that did not match by the output.  Under qemu the command after a comment "# not under qemu: REASON" is left out.

Each command that the output names to run something again is run, as it stands, in a shell of its own, and must find
something, too; one that it names to go on with must be accepted.  With a sanitizer, which tools/test gives its options,
it would be the same run once more."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Step:
    """One command and its expected output."""

    def __init__(self, command):
        self.command = command
        self.expected = {"|": [], "!": []}
        self.code = 0


def read(path):
    """The transcript as a list of comment lines and steps."""
    parts = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            mark, rest = line[:1], line[2:]
            if mark == "$":
                parts.append(Step(rest))
            elif mark in ("|", "!") and isinstance(parts[-1], Step):
                parts[-1].expected[mark].append(rest)
            elif mark == "=" and isinstance(parts[-1], Step):
                parts[-1].code = int(rest)
            elif mark in ("#", ""):
                parts.append(line)
            else:
                sys.exit(f"{path}: cannot read: {line}")
    return parts


def matches(expected, lines):
    """Whether the lines are the expected ones, with their wild cards."""
    if not expected:
        return not lines
    if expected[0] == "...":
        return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("[...]"))
    return re.fullmatch(pattern, lines[0]) is not None and matches(expected[1:], lines[1:])


def play(step, folder, environment):
    """Run the command; return the lines of both streams and the exit code."""
    done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=600, check=False)
    return {"|": done.stdout.decode(errors="replace").splitlines(),
            "!": done.stderr.decode(errors="replace").splitlines()}, done.returncode


AGAIN = re.compile(r"^ *(rerun:|again|shown by:|run|check|grade) +((?:\w+=\S+ )*(?:peal|pealrun) .*)$")


def named(found):
    """The commands that output names, and the exit codes that each must not have."""
    matches_there = [match for lines in found for match in map(AGAIN.match, lines) if match]
    return {match[2]: (0, 2, 4) if match[1] in ("rerun:", "again") else (2, 3, 4) for match in matches_there}


def reruns(found, folder, environment):
    """Run the commands that the output names; return those that do not run, or do not find anything."""
    if "LSAN_OPTIONS" in environment:
        return []
    return [(command, code) for command, bad in named(found["|"] + found["!"]).items()
            for code in [play(Step(command), folder, environment)[1]] if code in bad]


def main():
    peal, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    update = "--update" in sys.argv[3:]
    parts, wrong, run = read(path), 0, 0
    environment = {name: value for name, value in os.environ.items()
                   if name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "PEAL_INCLUDE",
                            "WITHOUT_COST", "WRONG_RESULT", "QEMU_LD_PREFIX")}
    with tempfile.TemporaryDirectory() as folder:
        environment.update(PATH=os.path.dirname(peal) + ":" + os.environ.get("PATH", "/usr/bin:/bin"), HOME=folder,
                           OMPI_MCA_btl="^tcp",  # as in tests/cluster/job.sh
                           TESTS=HERE, LC_ALL="C.UTF-8", TERM="xterm")
        work = os.path.join(folder, "work")
        shutil.copytree(os.path.join(HERE, "files"), work)
        for before, part in zip([""] + parts, parts):
            if not isinstance(part, Step) or ("QEMU_LD_PREFIX" in os.environ and str(before).startswith("# not under qemu: ")):
                continue
            run += 1
            found, code = play(part, work, environment)
            for command, status in reruns(found, work, environment):
                wrong += 1
                print(f"$ {part.command}\n  {command}\n  came     = {status}")
            bad = [mark for mark in "|!" if not matches(part.expected[mark], found[mark])]
            if not bad and code == part.code:
                continue
            wrong += 1
            print(f"$ {part.command}")
            for mark in bad:
                for line in part.expected[mark] or ["(nothing)"]:
                    print(f"  expected {mark} {line}")
                for line in found[mark] or ["(nothing)"]:
                    print(f"  came     {mark} {line}")
                if update:
                    part.expected[mark] = found[mark]
            if code != part.code:
                print(f"  expected = {part.code}\n  came     = {code}")
                part.code = code if update else part.code
    if update and wrong:
        with open(path, "w", encoding="utf-8") as file:
            for part in parts:
                if isinstance(part, Step):
                    print("$", part.command, file=file)
                    for mark in "|!":
                        print(*[f"{mark} {line}" for line in part.expected[mark]], sep="\n",
                              end="\n" if part.expected[mark] else "", file=file)
                    if part.code:
                        print("=", part.code, file=file)
                else:
                    print(part, file=file)
    print(f"{path}: {run} commands, {wrong} wrong")
    return 1 if wrong or not run else 0


if __name__ == "__main__":
    sys.exit(main())
