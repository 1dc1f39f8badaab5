#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print what peal help WORDS searches, as the elements of an array in C: search.py FAILURES.def TEXTS.def PAGE.scd... HEADER.h... LESSON.c...

An element is a page, a call, a kind of finding or a lesson: the command that shows it, its names, its title, and its
paragraphs, one per line; the heading of a paragraph stands before it, with a tab between."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree may be read-only
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "kinds"), os.path.join(HERE, "..", "..", "man")]
import calls  # noqa: E402
import embed  # noqa: E402
import libpeal  # noqa: E402

STRING = r'"(?:[^"\\\n]|\\.)*"'


def show(command, names, title, paragraphs):
    text = "\n".join(re.sub(r" +", " ", paragraph) for paragraph in paragraphs)
    print("{" + ", ".join(json.dumps(part, ensure_ascii=False) for part in (command, names, title, text)) + "},")


def plain(text):
    """The text of scdoc's source, as man shows it."""
    text = re.sub(r"\\(.)", lambda found: chr(0xE000 + ord(found.group(1))), text.replace("++\n", "\n"))
    text = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", " ".join(text.split()))
    return re.sub("[\uE000-\uE0FF]", lambda found: chr(ord(found.group(0)) - 0xE000), text)


def page(source):
    """The title of a page, and its paragraphs."""
    title, paragraphs, section, heading = "", [], "", ""
    for block in re.split(r"\n\s*\n", re.sub(r"^```.*?^```$", "", source, flags=re.M | re.S)):
        if block.startswith("#"):
            heading = block.strip("# \n")
            section = heading if block.startswith("# ") else section
            heading = "" if heading in ("DESCRIPTION", "OPTIONS") else heading
        elif section == "NAME":
            title = plain(block.split(" - ")[1])
        elif section and section not in ("SYNOPSIS", "SEE ALSO"):
            term = re.match(r"(\S.*(?:\n\S.*)*)\n\t", block)
            for part in re.split(r"\n(?=- )", block[term.end():] if term else block):
                paragraphs.append(plain(term.group(1) if term else heading) + "\t" + plain(part))
                heading = ""
    return title, paragraphs


def pages(paths):
    for path in paths:
        whole = re.sub(r"\.\d\.scd$", "", os.path.basename(path))
        name = whole.removeprefix("peal-")
        show("peal help " + name, name if name == whole else name + " " + whole, *page(libpeal.read(path).replace("@KINDS@\n", "")))


def all_calls(headers):
    found, functions = calls.read(headers)
    for (group, lines, section), header in found:
        names = list(dict.fromkeys(call.name for call in group if not call.name.endswith("_at")))
        if names:
            show("peal help " + names[0], " ".join(names), *page(calls.page(group, lines, section, header, functions)))
    rest = [libpeal.comment_lines(comment) for path in headers for comment, code in libpeal.header_blocks(path)
            if comment and not calls.group_lines(code)]
    show("peal help libpeal", "libpeal", "the library's headers", [plain(libpeal.paragraphs(lines)) for lines in rest])


def kinds(names, texts):
    for name, title, means, rule, fix in embed.read_kinds(names, texts):
        real = embed.section(os.path.join(os.path.dirname(embed.__file__), name), "real")
        show("peal explain " + name, name, title, [means, " ".join(real.split()), "How to fix it\t" + fix] + ([rule] if rule else []))


def lessons(paths):
    for path in paths:
        code = re.sub(r"^#[^\n]*|/\*.*?\*/", "", libpeal.read(path), flags=re.M | re.S)
        texts = ["".join(json.loads(one) for one in re.findall(STRING, several)) for several in re.findall(rf"{STRING}(?:\s*{STRING})*", code)]
        lesson = {key: json.loads(text) for key, text in re.findall(rf"\.(id|title)\s*=\s*({STRING})", code)}
        said = [" ".join(re.sub(r"(?:%[-+\d.*]*[a-z]*)+", "...", text).split()) for text in texts]
        show("peal lesson " + lesson["id"], lesson["id"], lesson["title"], [text for text in said if text.count(" ") > 2])


def main():
    kinds(*sys.argv[1:3])
    for ending, write in ((".scd", pages), (".h", all_calls), (".c", lessons)):
        write([path for path in sys.argv[3:] if path.endswith(ending)])


if __name__ == "__main__":
    main()
