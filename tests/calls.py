#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print C that makes every collective's call, from their declarations in <peal/calls.h>: so no test has a list of them.

  tests/calls.py macros            each call once, by both of its macros
  tests/calls.py functions         my_scatter, ...: functions of a node that make the calls
  tests/calls.py starts            own: runs the algorithm scatter_s where scatter_ is defined, and so on
  tests/calls.py equal | unequal   the names of the calls with equal blocks or vectors, or with lists of lengths"""
import os
import re
import sys

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include", "peal", "calls.h")
CALL = re.compile(r"PEAL_API void peal_(\w+)_at\(struct peal_node \*me, const char \*algorithm,([^;]*?)const char \*file, int line\);")
MEMBERS = {"a": "out", "m": "words", "n": "words", "count": "to_count"}  # of struct peal_arguments, where the name is another


def calls():
    """(name, parameters with types, their names) of each call."""
    with open(HEADER, encoding="utf-8") as file:
        for name, text in CALL.findall(file.read()):
            parameters = [" ".join(part.split()) for part in text.split(",") if part.strip()]
            yield name, parameters, [re.search(r"\w+$", parameter).group() for parameter in parameters]


def is_unequal(parameters):
    return any("const size_t *" in parameter for parameter in parameters)


def main():
    if sys.argv[1] == "functions":
        print("#include <peal/peal.h>")
    for name, parameters, names in calls():
        takes = ", ".join(["struct peal_node *me"] + parameters)
        if sys.argv[1] == "macros":
            print(f"peal_{name}({', '.join(['me'] + names)});")
            print(f"peal_{name}_by({', '.join(['me', 'algorithm'] + names)});")
        elif sys.argv[1] == "functions":
            print(f"void my_{name}({takes}) {{ peal_{name}({', '.join(['me'] + names)}); }}")
        elif sys.argv[1] == "starts" and not is_unequal(parameters):
            arguments = ", ".join(f".{MEMBERS.get(one, one)} = {one}" for one in names)
            print(f"#ifdef {name}_\nvoid own({takes}) {{ RUN({name}, PEAL_{name.upper()}, {arguments}); }}\n#endif")
        elif sys.argv[1] in ("equal", "unequal") and is_unequal(parameters) == (sys.argv[1] == "unequal"):
            print(name)


if __name__ == "__main__":
    main()
