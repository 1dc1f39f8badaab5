#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what libpeal.so exports: everything the public headers declare PEAL_API, and beside it only names that begin
with peal_.  What begins with peal_wrap_ is for programs that Peal compiles; no header declares it.

  tests/headers/exports.py LIBRARY HEADER...
"""
import os
import re
import subprocess
import sys


def declared(path):
    """The names a header declares PEAL_API."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)  # directives, with the lines they go on over
    for statement in re.findall(r"\bPEAL_API\b([^;]*);", text):
        call = re.search(r"\b(peal_\w+)\s*\(", statement)
        yield from [call.group(1)] if call else re.findall(r"\b(peal_\w+)\s*(?=,|$)", statement)


def exported(library):
    """The names a shared library defines for others."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def main():
    library, headers = sys.argv[1], sys.argv[2:]
    names = {name: os.path.basename(path) for path in headers for name in declared(path)}
    exports = exported(library)
    wrong = [f"{name}: declared in {names[name]}, not exported" for name in sorted(names.keys() - exports)]
    wrong += [f"{name}: exported, but does not begin with peal_" for name in sorted(exports)
              if not name.startswith("peal_")]
    wrong += [f"{name}: exported, but no public header declares it" for name in sorted(exports - names.keys())
              if name.startswith("peal_") and not name.startswith("peal_wrap_")]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(names)} names declared, {len(exports)} exported, {len(wrong)} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
