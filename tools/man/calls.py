#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a man page for each public call, peal_send(3), from the comment above its declaration.

  tools/man/calls.py --names HEADER...               print the names, one per line
  tools/man/calls.py --strings HEADER...             print them as the elements of an array in C
  tools/man/calls.py --pages FOLDER SCDOC HEADER...  write FOLDER/peal_send.3, ...

A call is a function with PEAL_API, or a macro that looks like one.  Calls that are declared together, without a blank line
between, share a comment and a page: the first has the page, the others are links to it (".so").  A call without a comment is
an error, so every call has a page."""
import os
import re
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True  # the source tree may be read-only
import libpeal  # noqa: E402

CALL = re.compile(r"^(?:#define (?P<macro>peal_\w+)\((?P<words>[^)]*)\)"
                  r"|PEAL_API\s+(?:__attribute__\(\(\w+\)\)\s*)?(?P<type>(?!const struct peal_op peal)[^;(]*?[\s*])(?P<name>peal_\w+)\((?P<rest>[^;]*);)",
                  flags=re.M)


class Call:
    """One call: its name, the C that declares it, and whether a macro hides its place in a file."""

    def __init__(self, found):
        self.macro = found.group("macro") is not None
        self.name = found.group("macro") or found.group("name")
        self.words = [word.strip() for word in (found.group("words") or "").split(",") if word.strip()]
        self.type = re.sub(r"\s+", " ", found.group("type") or "")
        rest = re.sub(r"\)\s*(?:PEAL_PRINTF\([^)]*\))?\s*$", "", found.group("rest") or "")
        self.parameters = split(re.sub(r"\s+", " ", rest))

    def prototype(self, functions, lines):
        """The call as a program writes it, with the types of the function that the macro calls.  The comment says what "..." stands for."""
        hidden = functions.get(self.name + "_at") or functions.get(re.sub(r"_(by|tag|message)$", "", self.name) + "_at")
        if not self.macro:
            return f"{self.type}{self.name}({', '.join(self.parameters)});"
        if not hidden:
            return f"{self.name}({', '.join(self.words)});"
        typed = {re.search(r"(\w+)(?:\[\])?$", parameter).group(1): parameter
                 for parameter in hidden.parameters if parameter != "..."}
        form = re.search(rf"\b{self.name}\(([^)]*)\)", " ".join(lines)) if "..." in self.words else None
        words = [word.strip() for word in form.group(1).split(",")] if form else self.words
        return f"{hidden.type}{self.name}({', '.join(typed.get(word, word) for word in words)});"


def split(parameters):
    """The parameters of a list; one of them may be a function."""
    parts, depth = [""], 0
    for char in parameters:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def group_lines(code):
    """The calls of a block of code."""
    return [Call(found) for found in CALL.finditer(re.sub(r"\\\n\s*", " ", code))]


def groups(path):
    """(calls, comment, heading of the section) of each block of a header that declares calls."""
    section = []
    for comment, code in libpeal.header_blocks(path):
        head = re.match(r"/\* -{5,} ([^\n]*?)(?: \*/|\n|$)", comment)
        if head:
            comment = "/*" + comment[head.end():] if not head.group(0).endswith("*/") else ""
            section, comment = (libpeal.comment_lines(comment), "") if comment else ([], "")
        calls = group_lines(code)
        if calls:
            yield calls, libpeal.comment_lines(comment) if comment else [], section


def summary(lines):
    """The first sentence of a comment, for NAME."""
    paragraph = "\n".join(lines).strip().split("\n\n")[0].replace("`", "")
    text = re.split(r"(?<=[a-z)\"])[.:](?:\s|$)", " ".join(line.strip() for line in paragraph.split("\n")))[0].rstrip(".")
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def wrapped(prototype):
    """A prototype, on lines that fit a terminal with the page's margin."""
    return "\n".join(textwrap.wrap(prototype, 68, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


def page(calls, lines, section, header, functions):
    """The scdoc source of the page of a group of calls."""
    shown = [call for call in calls if not (call.name.endswith("_at") and any(other.macro for other in calls))]
    out = [f"{calls[0].name}(3)\n", "# NAME\n", ", ".join(call.name for call in shown) + " - " +
           libpeal.escape(summary(lines)) + "\n", "# SYNOPSIS\n", "```\n#include <peal/" + header + ">\n"]
    out += [wrapped(call.prototype(functions, lines)) for call in shown] + ["```\n", "# DESCRIPTION\n", libpeal.paragraphs(lines) + "\n"]
    if section:
        out += ["## All calls of this kind\n", libpeal.paragraphs(section) + "\n"]
    hidden = [call.name for call in calls if call not in shown]
    if hidden:
        out += ["These are macros, which add the caller's file and line to a call of " + ", ".join(f"*{name}*" for name in hidden) + ".\n"]
    return "\n".join(out + ["# SEE ALSO\n", "*libpeal*(3), *peal*(1)\n"])


def read(headers):
    """All groups of the headers, with the header to include, and the functions by name."""
    all_in_one = [path for path in headers if os.path.basename(path) == "peal.h"]
    included = re.findall(r"#include <peal/(\w+\.h)>", libpeal.read(all_in_one[0])) if all_in_one else []
    found = [(group, "peal.h" if os.path.basename(path) in included else os.path.basename(path)) for path in headers for group in groups(path)]
    functions = {call.name: call for group, _ in found for call in group[0] if not call.macro}
    return found, functions


def write(folder, scdoc, found, functions):
    for (calls, lines, section), header in found:
        names = list(dict.fromkeys(call.name for call in calls))
        source = page(calls, lines, section, header, functions)
        done = subprocess.run([scdoc], input=source, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"calls.py: scdoc does not take the page of {names[0]}: {done.stderr.strip()}\n{source}")
        for name in names:
            with open(os.path.join(folder, name + ".3"), "w", encoding="utf-8") as file:
                file.write(done.stdout if name == names[0] else f".so man3/{names[0]}.3\n")


def main():
    names_only = sys.argv[1] in ("--names", "--strings")
    headers = sys.argv[2:] if names_only else sys.argv[4:]
    found, functions = read(headers)
    bare = [f"<peal/{header}>: {call.name}" for (calls, lines, _), header in found for call in calls if not lines]
    if bare:
        sys.exit("calls.py: no comment, so no man page: " + "; ".join(bare))
    if names_only:
        form = '"%s",' if sys.argv[1] == "--strings" else "%s"
        print(*dict.fromkeys(form % call.name for (calls, _, _), _ in found for call in calls), sep="\n")
    else:
        write(sys.argv[2], sys.argv[3], found, functions)


if __name__ == "__main__":
    main()
