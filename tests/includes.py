#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A C file of lib, mpi, tools and algorithms includes what its other includes do not bring.

  tests/includes.py [TREE]

Prints each include that another one brings, as "FILE:LINE: ...", and exits with 1 if there is one.  A file keeps the header of its
own name.  What headers of the system bring is not looked at, since it differs from one to the next, nor what is included only
under a condition.
"""
import functools
import os
import re
import sys

INCLUDE = re.compile(r'#\s*include\s+(<[^>]+>|"[^"]+")')


@functools.lru_cache(None)
def includes(path):
    """(line, what, file) of each unconditional include; the file is what was named where it is not the tree's."""
    if not os.path.exists(path):
        return []
    found, depth = [], 0
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    guarded = any(re.match(r"#ifndef PEAL_\w*_H$", line) for line in lines)
    for number, line in enumerate(lines, 1):
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        include = INCLUDE.match(line)
        if include and depth == guarded:
            what = include.group(1)
            places = [os.path.join("include", what[1:-1])] if what[0] == "<" else [
                os.path.join(folder, what[1:-1]) for folder in ("", os.path.dirname(path), "tools/peal")]
            found.append((number, what, next((os.path.normpath(p) for p in places if os.path.exists(p)), what)))
    return found


@functools.lru_cache(None)
def brought(path):
    """All that an include of the file brings."""
    return frozenset({path}.union(*(brought(file) for _, _, file in includes(path) if file.endswith((".h", ".h>")))))


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    broken, seen = 0, 0
    for top in "lib", "mpi", "tools", "algorithms":
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith(".c") or folder == "tools/peal/kinds":  # programs of their own
                    continue
                own = includes(path)
                seen += len(own)
                for number, what, file in own:
                    if what[0] == '"' and os.path.basename(what[1:-1]) == os.path.splitext(name)[0] + ".h":
                        continue
                    by = next((other for _, other, bringer in own if bringer != file and file in brought(bringer)), None)
                    if by and file.endswith((".h", ".h>")):
                        print(f"{path}:{number}: {what} is brought by {by}")
                        broken += 1
    if not seen:
        sys.exit("no include was found: is this the tree?")
    sys.exit(1 if broken else 0)


main()
