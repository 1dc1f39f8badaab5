#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Claims of algorithms/optimal that do not follow from their certificates do not compile: claims.py FOLDER PEAL.

Each case changes a copy of the folder's files in one place and expects fronts.py to refuse it in these words.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# (option, file, pattern of the place, its new text, words of the refusal)
CASES = [
    ("--embed", "scatter.tsv", r"(front\tfull:5\t1\t.*\n)point\t3\t4\t1\tcut", r"\1point\t3\t5\t1\tcut", "is not at the cut"),
    ("--embed", "scatter.tsv", r"(front\tfull:5\t1\t.*\n)point\t3\t4\t1", r"\1point\t4\t4\t1", "fewer steps than"),
    ("--embed", "broadcast.tsv", r"(front\tfull:5\t1\t.*\n)point\t3\t5\t2\tclosed", r"\1point\t3\t3\t1\tclosed", "2 chunks in 3 steps and 5 rounds"),
    ("--embed", "broadcast.tsv", r"none\t3\t9\t4\t.*\n", "", "4 chunks in 3 steps and 9 rounds"),
    ("--embed", "broadcast.tsv", r"(front\tfull:5\t1\t.*\npoint.*\n)point\t4\t", r"\1point\t3\t", "after"),
    ("--check", "scatter.tsv", r"(front\tfull:5\t1\t.*\n)point\t3\t4\t1\tcut\t-", r"\1point\t3\t5\t1\topen\t-",
     "binomial takes 3 steps and 4, which no point reaches"),
    ("--check", "scatter.tsv", r"(front\tfull:5\t1\t.*\n)point\t3\t4\t1\tcut\t-", r"\1point\t3\t4\t1\tcut\tlinear", "is not that of linear"),
]


def ask(folder, question, peal):
    words = [question] if question == "--embed" else [question, peal, "1000000"]
    done = subprocess.run([sys.executable, os.path.join(folder, "fronts.py"), *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    wrong = 0
    for question, name, pattern, then, words in [("--embed", None, None, None, None), *CASES]:
        with tempfile.TemporaryDirectory() as top:
            folder = shutil.copytree(sys.argv[1], os.path.join(top, "optimal"))
            if name:
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                changed, count = re.subn(pattern, then, text, count=1)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(changed)
                if count != 1:
                    print(f"{name} has no {pattern!r}: the case needs another place")
                    wrong += 1
                    continue
            status, said = ask(folder, question, sys.argv[2])
            if status != (0 if words is None else 1) or (words and words not in said):
                print(f"{question}, {name}, {then!r}: expected {words!r}, got exit code {status} and\n{said[-1000:]}")
                wrong += 1
    print(f"{len(CASES) + 1} cases, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
