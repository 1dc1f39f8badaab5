#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the man pages against the command: every command, its arguments and each of its options are in its page, every
topology and every routing in peal-topology(5), every failure in peal-json(5); peal(1) names every page, README.md every
command; man renders all without a warning.

  tests/cli/manual.py PEAL PAGES HEADERS

PAGES is the directory of their sources, HEADERS that of the public headers."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commands(peal):
    """The commands that the help lists."""
    section = re.search(r"^Commands\n(.*?)\n\n", output(peal, "--help"), flags=re.S | re.M).group(1)
    return re.findall(r"^  (\w+)", section, flags=re.M)


def option_lines(page):
    """What a page's lines of options name: "-p", "--nodes"."""
    return set(re.findall(r"(?<![\w-])--?[a-z-]*[a-z]", " ".join(line for line in page.split("\n") if line.startswith("*-"))))


def wrong_calls(built, headers):
    """What is wrong with the pages of calls: each function and macro of the headers, hints.h and outside.h aside, has one, which names it and which man
    renders; libpeal(3) begins with the calls of node programs."""
    wrong, names, own = [], set(), []
    for path in set(glob.glob(os.path.join(headers, "*.h"))) - {os.path.join(headers, name) for name in ("hints.h", "outside.h")}:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        names |= set(re.findall(r"^PEAL_API[^;(]*(?:\(\(\w+\)\)[^;(]*)?\b(peal_\w+)\(", text, flags=re.M))
        names |= set(re.findall(r"^#define (peal_\w+)\(", text, flags=re.M))
    for name in sorted(names):
        path = os.path.join(built, name + ".3")
        if not os.path.exists(path):
            wrong.append(f"{name}.3 is missing")
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        link = re.match(r"\.so man3/(\w+\.3)\n$", text)
        if link:
            with open(os.path.join(built, link.group(1)), encoding="utf-8") as file:
                text = file.read()
        if not re.search(rf"\b{name}\b", re.sub(r"\\f.|\\", "", text)):
            wrong.append(f"{name}.3 does not name {name}")
        if not link:
            own.append(path)
    if shutil.which("groff"):  # which man starts, once a page
        said = subprocess.run(["groff", "-K", "utf8", "-T", "utf8", "-man", "-ww", "-rLL=100n", "-P-cbu", *own],
                              capture_output=True, text=True, check=False)
        shown = len(re.findall(r"^SYNOPSIS$", said.stdout, flags=re.M))
        if said.returncode or said.stderr or shown != len(own):
            wrong.append(f"groff shows {shown} of {len(own)} pages of calls, and says {said.stderr.strip()!r}")
    with tempfile.TemporaryDirectory() as folder:
        bare = os.path.join(folder, "bare.h")
        with open(bare, "w", encoding="utf-8") as file:
            file.write("/* A header. */\n#ifndef B_H\n#define B_H\n\nPEAL_API int peal_bare(int n);\n\n#endif\n")
        said = subprocess.run([os.path.join(headers, "../../tools/man/calls.py"), "--names", bare], capture_output=True, text=True,
                              check=False)
        if said.returncode == 0 or "peal_bare" not in said.stderr:
            wrong.append("calls.py takes a call without a comment")
    if len(names) < 200:
        wrong.append(f"only {len(names)} calls were found in the headers")
    with open(os.path.join(built, "libpeal.3"), encoding="utf-8") as file:
        sections = re.findall(r"^\.SH (.*)$", file.read(), flags=re.M)
    if sections[:6] != ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLE", "NODE", "CALLS"]:
        wrong.append(f"libpeal.3 begins with {sections[:6]}")
    return wrong


def imported(folder):
    """The names of the formats that are imported."""
    names = []
    with open(os.path.join(folder, "formats.def"), encoding="utf-8") as file:
        for format in re.findall(r"^FORMAT\((\w+)\)", file.read(), flags=re.M):
            with open(os.path.join(folder, format + ".c"), encoding="utf-8") as source:
                names += re.findall(rf'struct plan_format format_{format} = {{\n    .name = "([\w-]+)"', source.read())
    return names


def wrong_hints(headers):
    """Hints that no code gives, and those whose text has other conversions than the compiler checks."""
    with open(os.path.join(headers, "hints.def"), encoding="utf-8") as file:
        hints = dict(re.findall(r'^PEAL_HINT\((\w+), "(.*)"\)$', file.read(), flags=re.M))
    with open(os.path.join(headers, "..", "..", "lib", "machine", "texts.def"), encoding="utf-8") as file:
        texts = dict(re.findall(r'^PEAL_HINT\((\w+),((?:\s*"(?:[^"\\]|\\.)*")+)\)$', file.read(), flags=re.M))
    wrong = [f"lib/machine/texts.def has no text of the hint {hint} of hints.def" for hint in hints if hint not in texts]
    for hint, text in texts.items():
        conversions = "".join(re.findall(r"%(?:[hlzjt]*[a-z])", text.replace("%%", "")))
        if conversions != hints.get(hint, conversions):
            wrong.append(f'the hint {hint} has the conversions "{conversions}" in texts.def, "{hints[hint]}" in hints.def')
    given = set()
    for folder in ("lib", "mpi", os.path.join("tools", "peal")):
        for path, _, files in os.walk(os.path.join(headers, "..", "..", folder)):
            for name in files:
                if name.endswith(".c"):
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        given |= set(re.findall(r"\bPEAL_HINT(?:\(|_NUMBER_)(\w+)", file.read()))
    return wrong + [f"no code gives the hint {hint} of hints.def" for hint in hints if hint not in given]


def main():
    peal, folder, headers = sys.argv[1:4]
    pages = {os.path.basename(path)[:-4]: open(path, encoding="utf-8").read()
             for path in glob.glob(os.path.join(folder, "*.scd"))}
    with open(os.path.join(folder, "..", "..", "README.md"), encoding="utf-8") as file:
        readme = file.read()
    wrong = []
    for name in commands(peal):
        page = pages.get(f"peal-{name}.1")
        if page is None:
            wrong.append(f"peal-{name}.1 is missing")
            continue
        documented = option_lines(page) | (option_lines(pages["peal-run.1"]) if "Those of *peal-run*(1)" in page else set())
        documented |= {"-h", "--help"}
        taken = set(re.findall(r"^ +(--[a-z-]+)", re.sub(r"(?m)^  -(.), ", r"   ", output(peal, name, "--help")), flags=re.M))
        taken |= {"-" + letter for letter in re.findall(r"(?m)^  -(.), ", output(peal, name, "--help"))}
        lacking = sorted(taken - documented)
        if {"--topology", "--nodes"} <= set(lacking):
            wrong.append(f'peal-{name}.1 does not describe the options of a machine: say "Those of *peal-run*(1)" under OPTIONS')
            lacking = []
        wrong += [f"peal-{name}.1 does not describe {option}: add a line that begins *{option}*" for option in lacking]
        wrong += [f"peal-{name}.1 describes {option}, which is not an option" for option in
                  sorted(option_lines(page) - taken - {"-h", "--help"})]
        if not taken:
            wrong.append(f"the options of {name} could not be read off its help")
        usage = re.search(r"^Usage\n(.*?)\n  [A-Z]", output(peal, name, "--help"), flags=re.S | re.M).group(1)
        synopsis = page.partition("# SYNOPSIS")[2].partition("\n# ")[0]
        words, documented = (set(re.findall(r"\b[A-Z]+\b", text.replace("_", " "))) for text in (usage, synopsis))
        wrong += [f"peal-{name}.1 does not name {word} in its synopsis" for word in sorted(words - documented)]
        if f"*peal {name}*" not in pages["peal.1"]:
            wrong.append(f"peal.1 does not describe {name}: add *peal {name}* under COMMANDS")
    for name in sorted(set(re.findall(r"`peal ([a-z]+)", readme)) - set(commands(peal)) - {"help"}):
        wrong.append(f"README.md names peal {name}, which is not a command")
    topology = pages["peal-topology.5"]
    networks = output(peal, "run", "--help").partition("\nNetworks\n")[2]
    for form in re.findall(r"^  ([a-z][a-z0-9-]*)", networks, flags=re.M):
        if not re.search(rf"^\*{form}(:\*_\w|\*$)", topology, flags=re.M):
            wrong.append(f"peal-topology.5 does not describe {form}: add a line *{form}:*_NUMBERS_, or *{form}* without any")
        said = subprocess.run([peal, "run", "barrier", "-t", form, "--routing", "0"], capture_output=True, text=True,
                              check=False).stderr
        for routing in re.search(r"choose from (.*)", said).group(1).split(", "):
            if f"\n*{routing}*\n" not in topology:
                wrong.append(f"peal-topology.5 does not describe the routing {routing}: add a line *{routing}*")
    said = subprocess.run([peal, "export", "--format", "0", "barrier"], capture_output=True, text=True, check=False).stderr
    formats = {"export": re.findall(r"[\w-]+", re.search(r"expected (.*)", said).group(1).replace(" or ", ", ")),
               "import": imported(os.path.join(headers, "..", "..", "lib", "plan"))}
    for command, names in formats.items():
        section = pages[f"peal-{command}.1"].partition("# FORMATS")[2].partition("\n# ")[0]
        described = re.findall(r"^\*([\w-]+)\*$", section, flags=re.M)
        wrong += [f"peal-{command}.1 does not describe {name}: add a line *{name}* under FORMATS"
                  for name in sorted(set(names) - set(described))]
        wrong += [f"peal-{command}.1 describes the format {name}, which is not a format" for name in sorted(set(described) - set(names))]
    wrong += [f"peal export --help does not describe {name}: see format in tools/peal/options/options_table.c"
              for name in formats["export"] if f"{name}: " not in output(peal, "export", "--help")]
    if "@KINDS@" not in pages["peal-json.5"]:
        wrong.append("peal-json.5 does not list the kinds of failures: add the line @KINDS@")
    wrong += [f"peal-json.5 has the heading {heading}, and no \"{heading.lower()}\"" for heading in
              re.findall(r"^# (PEAL/.*)", pages["peal-json.5"], flags=re.M) if f'"{heading.lower()}"' not in pages["peal-json.5"]]
    wrong += wrong_hints(headers)
    for page in list(pages) + ["libpeal.3"]:
        name, section = page.rsplit(".", 1)
        if page != "peal.1" and f"*{name}*({section})" not in pages["peal.1"]:
            wrong.append(f"peal.1 does not name {page}: add *{name}*({section}) under SEE ALSO")
        for other, number in re.findall(r"\*([a-z-]+)\*\((\d)\)", pages.get(page, "")):
            if f"{other}.{number}" not in pages and other != "libpeal":
                wrong.append(f"{page} names {other}({number}), which is not there")
    built = os.path.join(os.path.dirname(peal), "man")
    if os.path.exists(os.path.join(built, "libpeal.3")):
        wrong += wrong_calls(built, headers)
    rendered = [page for page in list(pages) + ["libpeal.3"] if os.path.exists(os.path.join(built, page))]
    for page in rendered if shutil.which("man") else []:
        done = subprocess.run(["man", "--warnings", "-l", os.path.join(built, page)], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANPAGER": "cat"})
        if done.returncode or done.stderr:
            wrong.append(f"{page}: man warns of it: {done.stderr.strip() or done.returncode}")
        elif len(done.stdout) < 500:
            wrong.append(f"{page}: man prints only {len(done.stdout)} bytes of it, of 500 at least: write its SYNOPSIS, DESCRIPTION and SEE ALSO, "
                         "as in tools/man/peal-list.1.scd")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(pages)} pages in the tree, {len(rendered)} rendered, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
