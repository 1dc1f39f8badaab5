# SPDX-License-Identifier: MIT
"""Reading and proving a large schedule, and what brackets add to a proof, by the command's own processor time."""
import os
import statistics
import subprocess
import sys
import tempfile

from figures import HERE, number
from sccl import ask

LIMIT = 600  # seconds of processor
CHECKS = ["allreduce/rabenseifner", "allreduce/ring", "reduce-scatter/circulant", "scan/sweep"]


def import_large(run, peal):
    """A ring all-gather of 64 GPUs, 32,768 steps: reading, deadlocks, races, proof, and the run for its cost."""
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        path = os.path.join(folder, "large.xml")
        with open(path, "w", encoding="ascii") as file:
            subprocess.run([sys.executable, os.path.join(HERE, "..", "tests", "plan", "large.py")], stdout=file, check=True)
        times = []
        for _ in range(run.repetitions or 3):
            said, time = ask([peal, "import", path], LIMIT)
            times.append(time)
            if "\nproved " not in (said or ""):
                run.fail("schedules", "import", f"expected a proof, got {(said or 'nothing in time')[:200]}")
                return
    run.figures.append({"part": "schedules", "work": "import of 64 nodes and 32,768 steps", "unit": "s",
                        "median": statistics.median(times), "least": min(times), "greatest": max(times),
                        "repetitions": len(times)})
    run.aim("schedules", "peal import, 64 nodes and 32,768 steps: reading, proof and a run", statistics.median(times), "s", 10)


def check_brackets(run, peal):
    """The same cases proved with brackets and without, in turns."""
    for what in CHECKS[:run.mode["schedules"]["checks"]]:
        plain, with_brackets = [], []
        for _ in range(run.repetitions or 3):
            said, time = ask([peal, "check", what], LIMIT)
            plain.append(time)
            bracketed, time = ask([peal, "check", "--identical", what], LIMIT)
            with_brackets.append(time)
            if "proved for" not in (said or "") or "identical:" not in (bracketed or ""):
                run.fail("schedules", what, f"expected a proof and its brackets, got {(bracketed or said or 'nothing')[:200]}")
                return
        ratio = statistics.median(b / p for p, b in zip(plain, with_brackets))
        run.figures.append({"part": "schedules", "work": f"check --identical {what}", "unit": "s",
                            "median": statistics.median(with_brackets), "least": min(with_brackets),
                            "greatest": max(with_brackets), "repetitions": len(plain), "plain_s": statistics.median(plain),
                            "ratio": ratio})
        run.aim("schedules", f"peal check --identical {what}: beside a check without", ratio, "times", 3)


def schedules(run):
    """Schedules of other tools, and brackets."""
    peal = os.path.join(run.build, "tools", "peal")
    import_large(run, peal)
    check_brackets(run, peal)


def describe_schedule(f):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    beside = f"without brackets {number(f['plain_s'])} s, ratio {number(f['ratio'])}" if "ratio" in f else ""
    return f["work"], f["median"], "s", f"{number(f['least'])} to {number(f['greatest'])}", beside
