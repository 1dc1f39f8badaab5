# SPDX-License-Identifier: MIT
"""One run of the measurements: the figures of the programs, the aims, what failed and what was left out."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLLECTIVES = ["barrier", "scatter", "broadcast", "allreduce", "alltoall"]
MIB = 1 << 20


def number(value):
    """A figure with about three digits."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def size(count):
    """A number of bytes: 8 B, 64 KiB."""
    for unit in ["B", "KiB", "MiB"]:
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.0f} GiB"


class Run:
    """What is asked for, and what came of it."""

    def __init__(self, build, mode, repetitions):
        self.build, self.mode, self.repetitions = build, mode, repetitions
        self.calls = []     # of the part peers; without any all
        self.figures = []   # every line of every program, with its part
        self.failures = []  # {"part", "program", "message"}
        self.skipped = []   # {"what", "why"}
        self.part_seconds = {}  # how long each part took
        self.peers = []     # {"name", "version", "state", "why"}
        self.aims = []

    def note(self, text):
        """Say on standard error how far the run is."""
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def fail(self, part, what, message):
        """Keep a failure; the other parts go on."""
        message = message.strip().splitlines()[-1] if message.strip() else "no message"
        self.failures.append({"part": part, "program": what, "message": message})
        self.note(f"{what} failed: {message}")

    def run(self, part, program, *words, **members):
        """Run one of our programs and keep its figures, each with the further members given."""
        path = os.path.join(self.build, "bench", "bench-" + program)
        words = [str(word) for word in words]
        if not os.path.exists(path):
            self.skipped.append({"what": program, "why": "this build has no bench-" + program})
            return
        if self.repetitions:
            words = [word for word in words if not word.startswith("--repetitions=")]
            words.append(f"--repetitions={self.repetitions}")
        try:
            done = subprocess.run([path, *words], capture_output=True, text=True, check=False, timeout=3600)
            if done.returncode != 0:
                raise ValueError(done.stderr or f"ended with {done.returncode}")
            for figure in read_figures(done.stdout):
                self.figures.append({"part": part, **figure, **members})
        except (ValueError, OSError, subprocess.TimeoutExpired) as error:
            self.fail(part, " ".join(["bench-" + program, *words]), str(error))

    def find(self, part, work, **members):
        """The figures of this part and work whose members are these."""
        return find_figures(self.figures, part, work, **members)

    def best(self, part, work, key="median", **members):
        """The least of them, None without any."""
        return best_figure(self.figures, part, work, key, **members)

    def aim(self, part, work, measured, unit, limit, *, at_least=False, text=None, judged=True, note=""):
        """Keep one line of the table of aims, at most `limit` (`at_least`: at least).

        `text` gives the aim in other words.  It is not judged without a limit or where `judged` is false; the note then
        says why.
        """
        reached = None
        if judged and measured is not None and limit is not None:
            reached = measured >= limit if at_least else measured <= limit
        if text is None:
            text = f"{'>=' if at_least else '<='} {limit} {unit}".rstrip() if limit is not None else ""
        self.aims.append({"part": part, "work": work, "measured": measured, "unit": unit, "aim": text,
                          "limit": limit if judged else None, "reached": reached, "note": note})


def read_figures(text):
    """The figures that a program printed: one per line, or one document with "rows"."""
    if '"rows"' in text:
        document = json.loads(text)
        rest = {key: value for key, value in document.items() if key not in ("rows", "schema")}
        return [{**rest, **row} for row in document["rows"]]
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def own_clock(figure):
    """What the carrier's own clock says, which stands still while another process has the core."""
    return f"by the carrier's own clock {number(figure['cpu_ns'])}"


def find_figures(figures, part, work, **members):
    """Those of this part and work whose members are these."""
    return [f for f in figures if f["part"] == part and f.get("work") == work
            and all(f.get(key) == value for key, value in members.items())]


def best_figure(figures, part, work, key="median", **members):
    """The least of them, None without any."""
    return min((f[key] for f in find_figures(figures, part, work, **members)), default=None)
