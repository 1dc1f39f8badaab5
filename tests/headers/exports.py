#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What libpeal.so exports: the names that the public headers declare PEAL_API, and no others.  Under a version of their own: what
headers of lib/ declare PEAL_PRIVATE, for the command, <peal/hints.h>, <peal/outside.h> and <peal/watch.h>, for libpealmpi, and the
names that begin with peal_wrap_, for programs that Peal compiles.

  tests/headers/exports.py --map SOVERSION HEADER...   print the version script that the library is linked with
  tests/headers/exports.py LIBRARY HEADER...           check what the library exports
"""
import os
import re
import subprocess
import sys

MOST_PUBLIC = 261  # what users and authors of algorithms use


def declared(path):
    """The names a header declares PEAL_API; exits where it finds none in a declaration."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)  # directives, with the lines they go on over
    for statement in re.findall(r"\bPEAL_(?:API|PRIVATE)\b([^;]*);", text):
        call = re.search(r"\b(peal_\w+)\s*\(", statement)
        found = [call.group(1)] if call else re.findall(r"\b(peal_\w+)\s*(?=,|\[|$)", statement)
        if not found:
            sys.exit(f"exports.py: {path}: no name found in: PEAL_API{statement}")
        yield from found


def names_of(headers):
    """The names that the headers declare, each with its header."""
    return {name: os.path.basename(path) for path in headers for name in declared(path)}


def is_private(header):
    """Whether it is one of lib/, for the command, or one for libpealmpi."""
    return os.path.basename(os.path.dirname(header)) != "peal" or os.path.basename(header) in ("hints.h", "outside.h", "watch.h")


def version_script(soversion, public, private):
    """The version script that exports these names."""
    lines, hidden = ("".join(f"    {name};\n" for name in sorted(names)) for names in (public, private))
    return (f"/* Made from the headers by tests/headers/exports.py. */\nPEAL_{soversion} {{\n  global:\n{lines}  local:\n    *;\n}};\n"
            f"PEAL_{soversion}_PRIVATE {{\n  global:\n{hidden}    peal_wrap_*;\n}};\n")


def exported(library):
    """The names a shared library defines for others, without those of its versions."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {words[-1].split("@")[0] for words in map(str.split, lines.splitlines()) if words[-2] != "A"}


def main():
    if sys.argv[1] == "--map":
        headers = sys.argv[3:]
        print(version_script(sys.argv[2], names_of(h for h in headers if not is_private(h)), names_of(filter(is_private, headers))), end="")
        return 0
    names, exports = names_of(sys.argv[2:]), exported(sys.argv[1])
    wrong = [f"{name}: declared in {names[name]}, not exported" for name in sorted(names.keys() - exports)]
    wrong += [f"{name}: exported, but no header declares it" for name in sorted(exports - names.keys())
              if not name.startswith("peal_wrap_")]
    public = sum(not is_private(header) for header in sys.argv[2:] for _ in declared(header))
    wrong += [f"{public} public names: at most {MOST_PUBLIC}; what only the command uses is PEAL_PRIVATE"] * (public > MOST_PUBLIC)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(names)} names declared, {len(exports)} exported, {len(wrong)} wrong")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
