#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Watched programs have what every call reads looked at: arguments.py CALLS.DEF ARGUMENTS.C.

Each integer that a function of MPI takes by value, and each list that it may not change, is named in what mpi/strict/arguments.py has
made of the function, which then goes on as the function itself with all its parameters."""
import re
import sys

INTEGERS = r"(?:const )?(?:int|MPI_Aint|MPI_Count)"


def main():
    with open(sys.argv[1], encoding="utf-8") as opened:
        calls = re.findall(r"^PEAL_MPI\(int, (\w+), \((.*?)\)\)$", opened.read(), re.S | re.M)
    with open(sys.argv[2], encoding="utf-8") as opened:
        made = opened.read()
    errors, count = [], 0
    for call, parameters in calls:
        words = [" ".join(part.split()) for part in parameters.split(",")]
        read = [found[1] or found[2] for found in (re.fullmatch(rf"{INTEGERS} (?:(\w+)|\*?(\w+)\[\](?:\[3\])?)", word)
                                                   for word in words) if found and (found[1] or "const" in found[0] or "[3]" in found[0])]
        look = re.search(rf"^LOOK\({call}, .*?^}}", made, re.S | re.M)
        if "..." in parameters or not read:
            continue
        count += len(read)
        errors += [f"MPI_{call}: {name} is not looked at" for name in read if not look or f'{{"{name}", ' not in look[0]]
        if f"return PMPI_{call}(" not in made:
            errors.append(f"MPI_{call} is not called")
    print("\n".join(errors + [f"{count} arguments of {len(calls)} functions"]))
    return 1 if errors or count < 390 else 0


sys.exit(main())
