#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names that a reader meets in include, lib, tools and algorithms mean one thing.

  tests/names.py [TREE]

Prints each breach as "FILE:LINE: ...", and exits with 1 if there is one:
  - the tag of a struct, union or enum is defined in one place;
  - a static function of lib, mpi and tools has a name of its own, so that gdb, perf and grep find one thing;
  - files of lib and tools have different names, but those of a format, which are called by its name, and the programs that show a
    kind of failure;
  - limits are MAX_, MIN_ and DEFAULT_, no other word for them;
  - arrays grow by lib/base/grow.h, where a file can include it (REALLOCS has the others).
"""
import collections
import os
import re
import sys

DEFINITION = re.compile(r"^(?:static |const |typedef )*(?:struct|union|enum) (\w+)\s*\{", re.M)
FUNCTION = re.compile(r"^static [^\n;={}]*\n(\w+)\(", re.M)
LIMIT = re.compile(r"\b[A-Z0-9_]*(?<![A-Z])(MOST|LEAST|USUAL)(?![A-Z])[A-Z0-9_]*\b")

REALLOC = re.compile(r"(?<![\w.>])realloc(?:array)?\(")
REALLOCS = {
    "lib/base/grow.c": "here",
    "lib/browser/base/browser_libc.c": "the C library's own, in the browser",
    "lib/cluster/wire_mpi.c": "compiled by each MPI's compiler into a plug, which links nothing of lib",
    "lib/memory/linked_heap.c": "realloc of watched programs",
    "lib/browser/memory/watched_browser.c": "the same, in the browser",
    "lib/synthesis/proof.c": "millions of lists, most of a few clauses",
    "mpi/strict/stamps.c": "sees only <peal/...>",
    "algorithms/lessons/board.c": "sees only <peal/...>",
}


def sources(tree):
    """(path, text) of each file of C."""
    for top in "include", "lib", "mpi", "tools", "algorithms":
        for folder, _, names in os.walk(os.path.join(tree, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, tree), file.read()


def may_share(path):
    """Whether a file's name is that of what it shows."""
    folder, name = os.path.split(path)
    formats = os.path.join(folder, "formats.def")
    return folder == "tools/peal/kinds" or os.path.exists(formats) and f"FORMAT({name[:-2]})" in open(formats, encoding="utf-8").read()


def breaches(tree):
    """The lines to print."""
    tags, files, functions = (collections.defaultdict(list) for _ in range(3))
    for path, text in sources(tree):
        for match in LIMIT.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}: expected MAX, MIN or DEFAULT"
        for match in REALLOC.finditer(text) if path not in REALLOCS else ():
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: realloc: arrays grow by lib/base/grow.h"
        for match in DEFINITION.finditer(text):
            tags[match.group(1)].append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}")
        if path.startswith(("lib", "mpi", "tools")):
            for match in {match.group(1): match for match in FUNCTION.finditer(text)}.values(): # once, whatever #if has
                functions[match.group(1)].append(f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}")
        if path.startswith(("lib", "mpi", "tools")) and not may_share(path):
            files[os.path.basename(path)].append(f"{path}:1")
    for what, places in (("tag", tags), ("function", functions), ("file", files)):
        for name, at in sorted(places.items()):
            if len(at) > 1:
                yield f"{at[1]}: {what} {name}: {at[0]} has the same name"


def main():
    tree = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    os.chdir(tree)
    found = list(breaches("."))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
