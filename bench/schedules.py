# SPDX-License-Identifier: MIT
"""Reading and proving a large schedule, what brackets add to a proof, and proofs of functions for MPI, by the command's own
processor time."""
import os
import statistics
import subprocess
import sys
import tempfile

from figures import HERE, number
from sccl import ask

LIMIT = 600  # seconds of processor
CHECKS = ["allreduce/rabenseifner", "allreduce/ring", "reduce-scatter/circulant", "scan/sweep"]

TWINS = [("broadcast", "bcast.c", "binomial", "-p 1:16 -n 20"), ("allgather", "blocks.c", "ring", "-p 1:64 -m 3"),
         ("allreduce", "allreduce.c", "doubling", "-p 2,4,8,16,32,64,128 -n 20"),
         ("scatter", "blocks.c", "scatter_linear", "-p 1:16 -m 3"), ("gather", "blocks.c", "enough", "-p 1:16 -m 3")]


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


def check_twins(run, peal):
    """Functions for MPI beside those on Peal's own calls, the same cases of both, in turns; with their compilation, and without
    (less the time of a single case)."""
    mpi = os.path.join(HERE, "..", "tests", "check", "collectives")
    for collective, file, symbol, options in TWINS[:run.mode["schedules"]["checks"]]:
        ratios, provings = [], []
        for _ in range(run.repetitions or 3):
            times = []
            for source, more in ((os.path.join(HERE, "twins.c"), []), (os.path.join(mpi, file), ["--mpi"])):
                for cases in (options.split(), ["-p", "2", "-m" if "-m" in options else "-n", "1"]):
                    said, time = ask([peal, "check", collective, "--file", source, "--symbol", symbol, *more,
                                      "--buffers", "separate", "--call", "once", *cases], LIMIT)
                    times.append(time)
                    if "proved for" not in (said or ""):
                        run.fail("schedules", symbol, f"expected a proof, got {(said or 'nothing in time')[:200]}")
                        return
            native, native_begin, other, other_begin = times
            ratios.append((other / native, other, native))
            provings.append((other - other_begin) / (native - native_begin))
        ratio, other, native = statistics.median_low(ratios)
        run.figures.append({"part": "schedules", "work": f"check {collective} --mpi, {symbol}", "unit": "s", "median": other,
                            "least": min(r[1] for r in ratios), "greatest": max(r[1] for r in ratios), "repetitions": len(ratios),
                            "native_s": native, "ratio": ratio, "proving_ratio": statistics.median(provings)})
        run.aim("schedules", f"peal check {collective} --mpi, {symbol}: beside its twin on Peal's calls", ratio, "times", 5)


def schedules(run):
    """Schedules of other tools, brackets, and functions for MPI."""
    peal = os.path.join(run.build, "tools", "peal")
    import_large(run, peal)
    check_brackets(run, peal)
    check_twins(run, peal)


def describe_schedule(f):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    beside = f"without brackets {number(f['plain_s'])} s, ratio {number(f['ratio'])}" if "plain_s" in f else ""
    if "native_s" in f:
        beside = (f"on Peal's calls {number(f['native_s'])} s, ratio {number(f['ratio'])}, "
                  f"without compiling {number(f['proving_ratio'])}")
    return f["work"], f["median"], "s", f"{number(f['least'])} to {number(f['greatest'])}", beside
