#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the source of the man page libpeal(3), for scdoc, made from the public headers.

  tools/man/libpeal.py SOVERSION peal-tour.7.scd HEADER...

The example is the tour's program that is linked with the library.  A header's first comment says what it is for.  After it come the
declarations, each with the comment above it; declarations without a blank line between are a group.  A macro that is a call is shown by
its form only."""
import os
import re
import sys

HEAD = """libpeal(3)

# NAME

libpeal - a message-passing machine inside one process

# SYNOPSIS

```
#include <peal/peal.h>

cc program.c $(pkg-config --cflags --libs peal)
```

# DESCRIPTION

What the command does, the library does for programs of your own: create a machine, run a node program or a collective on
it, and read what that cost or why it failed. The headers are in three tiers:

- _<peal/peal.h>_ is all that a program needs. It includes _node.h_ (what a node calls), _calls.h_ (collectives and operators)
  and, for a program with a main of its own, _machine.h_.
- _<peal/author.h>_ is what authors of algorithms and collectives need besides. It includes _collective.h_ (the catalogue) and
  _form.h_ (a collective's row).
- _<peal/tools.h>_ is for tools. It includes all headers; each can also be included by itself.

This page is made from their text; each call has one of its own, as *peal_send*(3), *peal_reduce*(3) or *peal_run*(3), and
*peal help peal_send* shows it, installed or not.

Of a comment's words, _shape_ says how long things are, _units_ what is counted, _owner_ who frees what and until when it is
borrowed, _blocks_ until when a call does not return, _thread_ who may call it, and _errors_ what is refused and how.
"""

TAIL = r"""
# COMPATIBILITY

The library's soname is libpeal.so.SOVERSION. It exports the names that these headers declare, each with the symbol version
PEAL\_SOVERSION, and no others. Names with the version PEAL\_SOVERSION\_PRIVATE are only for the command and for programs that *peal-run*(1) and
*peal-check*(1) compile, and may change at any time.

From one release to the next with the same soname, a program that was linked with the earlier one runs with the later one, and
need not be compiled again: no exported name is removed, no type of a parameter or a result changes, no struct that a program
can define changes its size or the place of a member, and no constant changes its value. Names may be added. A release in which
any of this changes has another soname.

# SEE ALSO

*peal*(1), *peal-run*(1), *peal-topology*(5), *peal-json*(5)
"""


def escape(text):
    """The text, escaped so that scdoc leaves it unchanged."""
    return re.sub(r"([\\*_#~`<.+\[])", r"\\\1", text)


def comment_lines(text):
    """The lines of a comment without its marks."""
    text = re.sub(r"^\s*/\*\s?|\s*\*/\s*$", "", text.strip())
    return [re.sub(r"^\s*\* ?", "", line).rstrip() for line in text.split("\n")]


def paragraphs(lines):
    """A comment as paragraphs; lines that are indented ("  errors   ...", lists) stay lines of their own."""
    text = ""
    for line in lines:
        tag = re.match(r"^ {1,3}(\w+) {2,}(\S.*)$", line)
        if not line.strip():
            text += "\n\n"
        elif tag:
            text += f"\n\n_{tag.group(1)}_ {escape(tag.group(2))}"
        elif re.match(r"^ {6,}PEAL_[A-Z]+ ", line):
            text += ("" if text.endswith(";") else ";") + " " + escape(line.strip())
        elif re.match(r"^ {1,3}- ", line):
            text += "\n\n- " + escape(line.strip()[2:])
        elif re.match(r"^ {5,}\S", line) and text.rpartition("\n\n")[2].startswith("- "):
            text += " " + escape(line.strip())  # a continued list item
        elif line and text.rpartition("\n\n")[2].startswith("- "):
            text += "\n\n" + escape(line.strip())
        else:
            text += ("" if text.endswith("\n") or not text else "\n") + escape(line.strip())
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def declaration(code):
    """The code of a block as it is shown: without visibility, without bodies of macros."""
    code = re.sub(r"\\\n\s*", " ", code)
    lines = []
    for line in code.split("\n"):
        macro = re.match(r"#define (\w+\([^)]*\))", line)
        if macro:
            lines.append(macro.group(1))
        elif line.startswith("#define") and "__attribute__" not in line:
            lines.append(re.sub(r"\s+", " ", line))
        elif not line.startswith("#") and line not in ("PEAL_BEGIN", "PEAL_END"):
            lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"(?m)^PEAL_API ((?:[^;\n]*\n {9,})+)", lambda found: found.group(1).replace("\n" + " " * 9, "\n"), text)
    text = re.sub(r"\bPEAL_API\s+", "", text)
    text = re.sub(r"\s*PEAL_PRINTF\([^)]*\)", "", text)
    return re.sub(r"^__attribute__\(\(.*?\)\)\)?\s*", "", text, flags=re.M).strip("\n")


def blocks(text):
    """The blocks of a header: comment and code without a blank line between them, one after the other."""
    for block in re.split(r"\n\s*\n(?![ ])(?=/\*|PEAL_API|struct|enum|typedef|extern|#define|[a-z_])", text):
        comment = re.match(r"\s*(/\*.*?\*/)[ \t]*\n?", block, flags=re.S)
        yield (comment.group(1), block[comment.end():]) if comment else ("", block)


def parts(text):
    """The first comment of a header's text, and the rest of it without lines that only the preprocessor needs."""
    text = text.replace("/* SPDX-License-Identifier: MIT */\n", "")
    first = re.match(r"\s*(/\*.*?\*/)", text, flags=re.S)
    text = text[first.end():]
    text = re.sub(r"#ifdef __cplusplus.*?#endif\n", "", text, flags=re.S)
    return first.group(1), re.sub(r"^#(ifndef \w+_H|define \w+_H|include|endif).*\n", "", text, flags=re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def header_blocks(path):
    """The blocks of a header, comment and code."""
    return blocks(parts(read(path))[1])


def header(path):
    """The part of the page about one header."""
    text = read(path)
    out = [f"# {os.path.basename(path).removesuffix('.h').upper()}\n\n_#include <peal/{os.path.basename(path)}>_\n"
           .replace("_#", "*#").replace(">_", ">*")]
    first, text = parts(text)
    out.append(paragraphs(comment_lines(first)) + "\n")
    for comment, code in blocks(text):
        title = re.match(r"/\* -{5,} ([^\n]*?)(?: \*/|\n|$)", comment)
        if title:
            out.append(f"## {title.group(1).strip()}\n")
            comment = "/*" + comment[title.end():] if not title.group(0).endswith("*/") else ""
        code = declaration(code)
        if code.strip():
            out.append("```\n" + code.replace("\t", "    ") + "\n```\n")
        if comment:
            out.append(paragraphs(comment_lines(comment)) + "\n")
    return "\n".join(out)


def example(tour):
    """The tour's program that is linked with the library; exits where there is none."""
    found = re.search(r"^```\n(/\* linked\.c.*?)\n```$", read(tour), flags=re.S | re.M)
    return found.group(1) if found else sys.exit("libpeal.py: the tour has no program linked.c")


def main():
    print(HEAD)
    print(f"# EXAMPLE\n\n```\n{example(sys.argv[2])}\n```\n")
    for path in sys.argv[3:]:
        if os.path.basename(path) not in ("peal.h", "tools.h"):
            print(header(path))
    print(TAIL.replace("SOVERSION", sys.argv[1]))


if __name__ == "__main__":
    main()
