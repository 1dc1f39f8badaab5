#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peal-mpi(7) lists each function that works once, under FUNCTIONS, and none that is absent: listed.py CALLS.DEF PAGE.

In a list a name is given without MPI_."""
import re
import sys

calls, page = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
works = re.findall(r"^PEAL_MPI\([^,]+, (\w+),", calls, re.M)
absent = re.findall(r"^PEAL_MPI_ABSENT\([^,]+, (\w+),", calls, re.M)
section = re.search(r"^# FUNCTIONS$(.*?)^# ", page, re.M | re.S)
errors = []

if not section:
    sys.exit("the page has no section FUNCTIONS")
# A list is a paragraph that is indented: names between blanks, with an escaped underscore where scdoc wants one.
listed = " ".join(re.findall(r"^\t(.*)$", section[1], re.M)).replace("\\_", "_").split()
for name in works:
    if listed.count(name) != 1:
        errors.append(f"MPI_{name} works: expected once under FUNCTIONS in {sys.argv[2]}, got {listed.count(name)} times")
for name in listed:
    if name in absent:
        errors.append(f"MPI_{name} is absent, but listed under FUNCTIONS")
    elif name not in works:
        errors.append(f"unknown function 'MPI_{name}' under FUNCTIONS")
print("\n".join(errors))
print(f"{len(works)} functions work, {len(listed)} are listed, {len(absent)} are absent")
sys.exit(1 if errors or len(works) < 200 else 0)
