#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find the phrases that CONTRIBUTING.md's glossary replaces, and C files without a short head: words.py [FILE...]

Without files, all of the tree is read.  A phrase may go over the end of a line, of a comment or of a string.  A head is a
comment at a file's beginning, of one to five lines: what it is for, what it may assume.  What is longer follows the includes.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDERS = ["include", "lib", "algorithms", "mpi", "tools", "bench", "tests", "assignments"]
TEXTS = {".c", ".h", ".def", ".py", ".sh", ".js", ".md", ".scd", ".txt", ".build", ".cpp", ".in", ""}
GAP = r"""(?:[\s*/#|!+]|\\n|"\s*")+"""
RIGHT = r"(?P<right>there|nor|where)"
STAYS = r"(?!(?:longer|more|less|fewer|further|faster|slower|earlier|later|better|worse|wider)\b)"
OWN = {"tests/words.py": "this list", "tests/words_test.sh": "plants phrases"}
WITHOUT_HEAD = {
    "tools/peal/kinds": "programs that `peal explain` shows",
    "tests/cli/files": "users' programs, whose lines transcripts name",
}
LONG_HEAD = {
    "algorithms": "before, after, rounds, cost, source: algorithms/README.md",
    "assignments": "what is wrong with a solution",
    "bench": "how the program is called, and what it prints",
}
HEAD = re.compile(r"(?:/\* SPDX[^\n]*\n)?\s*(/\*(?! SPDX).*?\*/|(?://[^\n]*\n)+)", re.DOTALL)
MAX_HEAD = 5


def pattern(phrase):
    """What finds the phrase, or, as the group `right`, what only looks like it.  X is a word, /* begins any comment."""
    words = [{"X": r"[\w`'<]\S*", "/*": r"(?:/\*|//|#)"}.get(word, re.escape(word).replace("X", r"\w+")) for word in phrase.split()]
    if words[-2:-1] == ["no"]:
        words[0], words[-1] = rf"(?:\b{RIGHT}{GAP})?\b{words[0]}", STAYS + words[-1]
    end = r"(?!\s*\w)" if phrase.endswith("'s") else r"(?!\w)"
    return re.compile((r"\b" if phrase[0].isalpha() else "") + GAP.join(words) + end, 0 if phrase[0] == "/" else re.IGNORECASE)


def phrases():
    """The patterns of the glossary, each with its phrase and what is said instead."""
    table = (TOP / "CONTRIBUTING.md").read_text().partition("| phrase | instead |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [re.fullmatch(r"\| (.*) \| (.*) \|", line).groups() for line in table.splitlines()]
    return [(pattern(phrase), phrase, instead) for row, instead in rows for phrase in row.split(", ")]


def files():
    """The tree's texts."""
    found = [path for path in TOP.iterdir() if path.is_file()]
    found += [path for folder in FOLDERS for path in (TOP / folder).rglob("*") if path.is_file()]
    return [path for path in sorted(found) if path.suffix in TEXTS and not {"node_modules", "__pycache__"} & set(path.parts)]


def within(name, folders):
    """Whether a file lies in one of the folders."""
    return any(name.startswith(folder + "/") for folder in folders)


def main():
    """Print what is wrong; the exit code says whether anything is."""
    known, wrong = phrases(), []
    assert known, "CONTRIBUTING.md has no table of phrases"
    for path in [Path(name).resolve() for name in sys.argv[1:]] or files():
        name = str(path.relative_to(TOP)) if path.is_relative_to(TOP) else path.name
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if name not in OWN:
            checked = text.partition("\n## Glossary")[0] if name == "CONTRIBUTING.md" else text
            wrong += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: '{' '.join(match[0].split())}': {phrase}: {instead}"
                      for regex, phrase, instead in known for match in regex.finditer(checked)
                      if not match.groupdict().get("right")]
        head = HEAD.match(text) if path.suffix == ".c" else None
        if path.suffix == ".c" and not head and not within(name, WITHOUT_HEAD):
            wrong.append(f"{name}:1: no head: a comment of one to five lines, what the file is for and what it may assume")
        if head and len(head[1].splitlines()) > MAX_HEAD and not within(name, LONG_HEAD):
            wrong.append(f"{name}:1: the head has {len(head[1].splitlines())} lines: at most {MAX_HEAD}, the rest after the includes")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
