# SPDX-License-Identifier: MIT
# usage: embed.py FAILURES.def TEXTS.def [PAGE.scd | --fixed FILE...]
# Prints the table that `peal explain KIND` shows, as C.  Its sources are both lists and, for each kind, KIND.txt and KIND.c beside this
# script (for schedules .xml), and KIND-mpi.c if KIND.txt says what is found in it.  KIND.txt also has the lines that change when the
# program is fixed, as diff writes them.  With PAGE.scd prints that manual page, with the list of kinds in it; with --fixed writes the
# fixed programs, KIND-fixed.c and KIND-mpi-fixed.c.
import os
import re
import sys

WIDTH = 80


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


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def section(base, name, needed=True):
    """What stands below `# name` in KIND.txt; "" where there is none and none is needed."""
    found = re.search(rf"^# {name}\n(.*?)(?=^# |\Z)", read(base + ".txt"), re.M | re.S)
    if not found and needed:
        sys.exit(f"{base}.txt: the section \"# {name}\" is missing; a kind has # real, # says and # fixed, as leak.txt")
    return found.group(1) if found else ""


def fixed(base, mpi):
    """The fixed program: each @@ of its section of KIND.txt has lines to replace, which occur in the program once."""
    text = "\n" + read(base + ("-mpi.c" if mpi else ending(base)))
    for hunk in section(base, "fixed mpi" if mpi else "fixed").split("@@\n")[1:]:
        lines = [line or " " for line in hunk.split("\n")[:-1]]
        old, new = ("\n" + "".join(line[1:] + "\n" for line in lines if line[0] in " " + sign) for sign in "-+")
        if text.count(old) != 1:
            sys.exit(f"{base}.txt: these lines are not in the program, or more than once:{old}")
        text = text.replace(old, new)
    return text[1:]


def ending(base):
    return ".c" if os.path.exists(base + ".c") else ".xml"


def program(text):
    text = re.sub(r"\A(/\*|<!--) SPDX[^\n]*\n", "", text)
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n")[:-1])


def heading(text):
    return "\n" + re.sub("^", "\1", paragraph(text, ""), flags=re.M).removesuffix("\1")


def said(says, file):
    """Peal's output; empty for a new kind until tests/cli/kinds.py --update has run a built Peal."""
    command, _, found = says.strip().partition("\n")
    if not found:
        return ""
    return heading("What Peal says") + "\n    $ " + command.replace("FILE", file) + "\n" + paragraph(found, "    ")


def explain(folder, name, title, means, fix):
    base = os.path.join(folder, name)
    end = ending(base)
    real, says, mpi = section(base, "real"), section(base, "says", False), section(base, "mpi", False)
    text = heading(f"{name}: {title}") + "\n" + paragraph(means, "")
    text += heading("On a real machine") + "\n" + paragraph(" ".join(real.split()), "")
    what = "program" if end == ".c" else "schedule"
    text += heading(f"A {what} that shows it") + f"\n{name}{end}\n\n" + program(read(base + end))
    text += said(says, name + end)
    text += heading("How to fix it") + "\n" + paragraph(fix, "")
    text += f"\n{name}-fixed{end}\n\n" + program(fixed(base, False))
    if mpi:
        text += heading("The same in a program for MPI") + f"\n{name}-mpi.c\n\n" + program(read(base + "-mpi.c"))
        text += said(mpi, name + "-mpi.c") + f"\n{name}-mpi-fixed.c\n\n" + program(fixed(base, True))
    return text.lstrip("\n")


def quoted(text):
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\1", '\\1" "').replace("?", "\\?")
    return "\n".join(f'     "{line}\\n"' for line in text.split("\n")[:-1])


def read_kinds(names, texts):
    """(name, title, meaning, rule or None, help) of each kind in failures.def, and texts.def."""
    string = r'"(?:[^"\\]|\\.)*"'
    told = {}
    for _, kind, body in re.findall(rf"^PEAL_(FAILURE|SCHEDULE_FAULT)\((\w+),((?:\s*(?:{string}|NULL|,))+)\)$", read(texts), re.M):
        fields = [""]
        for token in re.findall(rf"{string}|NULL|,", body):
            if token == ",":
                fields.append("")
            elif token != "NULL":
                fields[-1] += re.sub(r"\\(.)", r"\1", token[1:-1])
        told[kind] = fields
    kinds = re.findall(r'^PEAL_(?:FAILURE|SCHEDULE_FAULT)\((\w+), "(.*)"\)$', read(names), re.M)
    for kind, name in kinds:
        if len(told.get(kind, [])) != 4:
            sys.exit(f"{texts}: PEAL_FAILURE({kind}, title, meaning, rule or NULL, help) is missing: what Peal says of {name}")
    return [(name, *told[kind][:2], told[kind][2] or None, told[kind][3]) for kind, name in kinds]


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
    print(read(path).replace("@KINDS@\n", listed), end="")


def write_fixed(folder, paths):
    for path in paths:
        kind, mpi = re.fullmatch(r"(.*?)(-mpi)?-fixed\.\w+", os.path.basename(path)).groups()
        with open(path, "w", encoding="utf-8") as out:
            out.write(fixed(os.path.join(folder, kind), mpi))


if __name__ == "__main__":
    if sys.argv[3:4] == ["--fixed"]:
        write_fixed(os.path.dirname(os.path.abspath(__file__)), sys.argv[4:])
    elif len(sys.argv) == 4:
        page(read_kinds(*sys.argv[1:3]), sys.argv[3])
    else:
        table(read_kinds(*sys.argv[1:3]), os.path.dirname(os.path.abspath(__file__)))
