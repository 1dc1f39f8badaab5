#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is advised of wrong programs fits each of them: hints.py BUILD.

hints.txt has a line for each mistake: PROGRAM CASE NODES OPTIONS | WORDS | ...  The program of this folder is run on each number
of nodes with the case as its argument; it is advised in all these words, N standing for the number of nodes, and in none of those
that follow a '!': what would be wrong for the program.  What follows "said: " is in anything that was printed.  With the option
--check it is `peal check --program` that advises.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def advice(text):
    """The fixes in what a run has printed, each as one line."""
    return [" ".join(fix.split()) for fix in re.findall(r"^  fix(?:    |: )(.*(?:\n {9}.*)*)", text, flags=re.M)]


def faults(said, printed, words, nodes):
    """What is wrong with these pieces of advice, and with all that was printed."""
    for word in words:
        never, anywhere = word.startswith("!"), word.startswith("said: ")
        wanted = re.sub(r"\bN\b", str(nodes), word.removeprefix("said: ").lstrip("!"))
        if any(wanted in one for one in ([printed] if anywhere else said)) == never:
            yield ("never: " if never else "expected: ") + wanted


def main():
    tools, wrong, count = os.path.join(sys.argv[1], "tools"), 0, 0
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(HERE, "hints.txt"), encoding="utf-8") as table:
        made = set()
        for line in table:
            if line.startswith("#") or not line.strip():
                continue
            head, *words = [part.strip() for part in line.split("|")]
            source, case, nodes, *options = head.split()
            watch = ["--watch"] if "--watch" in options else []
            program = os.path.join(folder, source + "".join(watch))
            if program not in made:
                compiler = "pealc++" if source.endswith(".cpp") else "pealcc"
                subprocess.run([os.path.join(tools, compiler), "-g", *watch, os.path.join(HERE, source), "-o", program], check=True)
                made.add(program)
            options = [one for one in options if one not in ("--watch", "--check")]
            for size in map(int, nodes.split(",")):
                if "--check" in head:
                    command = [os.path.join(tools, "peal"), "check", "--program", os.path.join(HERE, source), "-p", str(size), "--", case]
                else:
                    command = [os.path.join(tools, "pealrun"), "-n", str(size), *options, program, case]
                run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
                printed = run.stdout + run.stderr
                said = advice(printed)
                count += 1
                for fault in faults(said, " ".join(printed.split()), words, size):
                    wrong += 1
                    print(f"{source} {case} on {size} nodes: {fault}\n  came: {' | '.join(said)}")
    print(f"{count} wrong programs, {wrong} wrong hints")
    return wrong > 0


sys.exit(main())
