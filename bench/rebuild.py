# SPDX-License-Identifier: MIT
"""What a changed line compiles again: how many of the build's steps read each file."""
import collections
import os
import re
import subprocess

from figures import HERE

TOP = os.path.dirname(HERE)
ROOMS = ("lib/", "mpi/", "algorithms/", "tools/")
MOST = 10  # headers shown, of those that most steps read
AIMS = {"lib/machine/texts.def": 1}  # a reworded text


def read_steps(build):
    """(how many files of the rooms the build compiles, how many of them read each file of the tree)."""
    done = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True)
    steps, readers = set(), collections.Counter()
    for block in done.stdout.split("\n\n"):
        head, *paths = block.splitlines() or [""]
        step = head.split(": #deps")[0]
        if not step.startswith(ROOMS) or not step.endswith(".o") or "(VALID)" not in head:
            continue
        steps.add(step)
        read = {os.path.relpath(os.path.normpath(os.path.join(build, path.strip())), TOP) for path in paths}
        readers.update(path for path in read if re.fullmatch(r"(include|lib|mpi|algorithms|tools)/.*\.(h|def)", path))
    return len(steps), readers


def rebuild(run):
    """The headers of the rooms that most steps read, public ones aside, and those that have an aim."""
    try:
        steps, readers = read_steps(os.path.abspath(run.build))
    except (OSError, subprocess.CalledProcessError):
        run.skipped.append({"what": "rebuild", "why": "ninja does not know this build"})
        return
    inner = [path for path, _ in readers.most_common() if not path.startswith("include/")][:MOST]
    for path in dict.fromkeys(["include/peal/machine.h", "lib/machine/machine.h", *inner, *AIMS]):
        if readers[path]:
            run.figures.append({"part": "rebuild", "work": path, "unit": "files", "median": readers[path], "of": steps})
            if path in AIMS:
                run.aim("rebuild", f"a line changed in {path} compiles", readers[path], "files", AIMS[path])


def describe_rebuild(f):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    return f"a line changed in {f['work']} compiles", f["median"], f["unit"], "", f"of {f['of']}"
