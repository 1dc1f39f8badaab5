# SPDX-License-Identifier: MIT
# usage: embed.py KIND.txt...
# Prints the table of what `peal explain KIND` shows, as C: made of KIND.txt, KIND.c and KIND-fixed.c (of schedules: .xml), and of
# KIND-mpi.c and KIND-mpi-fixed.c where KIND.txt says what is found in them.
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


def explain(path):
    base = path[: -len(".txt")]
    name = os.path.basename(base)
    end = ".c" if os.path.exists(base + ".c") else ".xml"
    with open(path, encoding="utf-8") as source:
        means, rest = source.read().split("# real\n")
    real, rest = rest.split("# says\n")
    says, fix = rest.split("# fix\n")
    fix, _, mpi = fix.partition("# mpi\n")
    title, means = means.split("\n", 1)
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
    return name, title, text.lstrip("\n")


def quoted(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\1", '\\1" "').replace("?", "\\?")
    return "\n".join(f'     "{line}\\n"' for line in text.split("\n")[:-1])


print('/* Made by embed.py. */\n#include "kinds.h"\n\nconst struct kind kinds[] = {')
for file in sys.argv[1:]:
    name, title, text = explain(file)
    title = title.replace('"', '\\"')
    print(f'    {{"{name}", "{title}",\n{quoted(text)}}},')
print("    {0, 0, 0},\n};")
