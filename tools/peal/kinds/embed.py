# SPDX-License-Identifier: MIT
# usage: embed.py FAILURES.def [PAGE.scd]
# Prints the table of what `peal explain KIND` shows, as C: made of failures.def and, for each kind, of KIND.txt, KIND.c and KIND-fixed.c
# beside this script (of schedules: .xml), and of KIND-mpi.c and KIND-mpi-fixed.c where KIND.txt says what is found in them.  With PAGE.scd
# prints that manual page, with the list of kinds in it.
import os
import re
import sys

WIDTH = 100


def paragraph(text, indent):
    lines = []
    for part in text.strip().split("\n"):
        line = ""
        for word in part.split():
            if line and len(indent) + len(line) + 1 + len(word) > WIDTH:
                lines.append(indent + line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines.append(indent + line)
    return "\n".join(lines) + "\n"


def program(path):
    with open(path, encoding="utf-8") as source:
        text = re.sub(r"\A(/\*|<!--) SPDX[^\n]*\n", "", source.read())
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n")[:-1])


def heading(text):
    return "\n\1" + text + "\n"


def said(says, file):
    command, found = says.strip().split("\n", 1)
    return heading("What Peal says") + "\n    $ " + command.replace("FILE", file) + "\n" + paragraph(found, "    ")


def explain(folder, name, title, means, fix):
    base = os.path.join(folder, name)
    end = ".c" if os.path.exists(base + ".c") else ".xml"
    with open(base + ".txt", encoding="utf-8") as source:
        real, rest = source.read().split("# real\n")[1].split("# says\n")
    says, _, mpi = rest.partition("# mpi\n")
    text = heading(f"{name}: {title}") + "\n" + paragraph(means, "")
    text += heading("On a real machine") + "\n" + paragraph(real, "")
    what = "program" if end == ".c" else "schedule"
    text += heading(f"A {what} that shows it") + f"\n{name}{end}\n\n" + program(base + end)
    text += said(says, name + end)
    text += heading("How to fix it") + "\n" + paragraph(fix, "")
    text += f"\n{name}-fixed{end}\n\n" + program(base + "-fixed" + end)
    if mpi:
        text += heading("The same in a program for MPI") + f"\n{name}-mpi.c\n\n" + program(base + "-mpi.c")
        text += said(mpi, name + "-mpi.c") + f"\n{name}-mpi-fixed.c\n\n" + program(base + "-mpi-fixed.c")
    return text.lstrip("\n")


def quoted(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\1", '\\1" "').replace("?", "\\?")
    return "\n".join(f'     "{line}\\n"' for line in text.split("\n")[:-1])


def read_kinds(path):
    """(name, title, meaning, rule or None, help) of each kind in failures.def."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    string = r'"(?:[^"\\]|\\.)*"'
    kinds = []
    for _, body in re.findall(rf"^PEAL_(FAILURE|SCHEDULE_FAULT)\(\w+,((?:\s*(?:{string}|NULL|,))+)\)$", text, re.M):
        fields = [""]
        for token in re.findall(rf"{string}|NULL|,", body):
            if token == ",":
                fields.append("")
            elif token != "NULL":
                fields[-1] += re.sub(r"\\(.)", r"\1", token[1:-1])
        kinds.append((*fields[:3], fields[3] or None, fields[4]))
    return kinds


def table(kinds, folder):
    print('/* Made by embed.py. */\n#include "kinds.h"\n\nconst struct kind kinds[] = {')
    for name, title, means, _, fix in kinds:
        text, title = explain(folder, name, title, means, fix), title.replace('"', '\\"')
        print(f'    {{"{name}", "{title}",\n{quoted(text)}}},')
    print("    {0, 0, 0},\n};")


def page(kinds, path):
    """The man page with the list of the kinds in place of its line @KINDS@."""
    def escape(text):
        return re.sub(r"([_*\\#<>~^|])", r"\\\1", text)
    listed = "\n".join(f"*{name}*: {escape(title)}\n" + paragraph(escape(means), "\t") for name, title, means, _, _ in kinds)
    with open(path, encoding="utf-8") as source:
        print(source.read().replace("@KINDS@\n", listed), end="")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        page(read_kinds(sys.argv[1]), sys.argv[2])
    else:
        table(read_kinds(sys.argv[1]), os.path.dirname(os.path.abspath(__file__)))
