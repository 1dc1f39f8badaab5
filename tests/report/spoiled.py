#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spoil documents of every kind that `peal report` reads, and see each made into a page or refused in one line.

  tests/report/spoiled.py PEAL [COUNT]      COUNT: how often each document is spoiled
"""
import os
import random
import re
import subprocess
import sys
import tempfile

PEAL = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 30
DOCUMENTS = ["run allreduce -p 5 -n 7", "compare scatter -p 4", "sweep broadcast -p 8 -n 1:1K:x32",
             "check scatter/binomial -p 3", "app cannon -p 4"]
NUMBERS = [b"-1", b"0", b"99999999999999999999", b"1e400", b"null", b'"x"', b"4294967296"]


def spoil(document, chance):
    """A copy in which bytes are changed, cut out, doubled or cut off, or a number is another one."""
    text = bytearray(document)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at, what = chance.randrange(len(text)), chance.randrange(5)
        numbers = list(re.finditer(rb"\d+", text))
        if what == 0:
            text[at] = chance.randrange(256)
        elif what == 1 and len(text) > 100:
            del text[at:at + chance.randrange(1, 40)]
        elif what == 2:
            text[at:at] = text[chance.randrange(len(text)):][:chance.randrange(1, 40)]
        elif what == 3:
            text = text[:at + 1]
        elif numbers:
            number = chance.choice(numbers)
            text[number.start():number.end()] = chance.choice(NUMBERS)
    return bytes(text)


def main():
    wrong = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for command in DOCUMENTS:
            made = subprocess.run([PEAL, *command.split(), "--json"], stdout=subprocess.PIPE, check=True).stdout
            chance = random.Random(command)
            for i in range(COUNT):
                text = spoil(made, chance)
                done = subprocess.run([PEAL, "report", "-", "-o", os.path.join(folder, "page.html")], input=text,
                                      capture_output=True, check=False)
                refused += done.returncode == 2
                if done.returncode != 0 and (done.returncode != 2 or done.stderr.count(b"\n") != 1):
                    wrong += 1
                    print(f"peal {command} --json, spoiled for the {i + 1}th time: exit {done.returncode}\n"
                          f"{done.stderr.decode(errors='replace')[:2000]}")
    print(f"{len(DOCUMENTS) * COUNT} spoiled documents, {refused} refused, {wrong} wrong")
    return 1 if wrong or refused == 0 else 0


sys.exit(main())
