# SPDX-License-Identifier: MIT
"""Ten collectives of one MPI program in units of a ring shift: played by the maker of the round, and run by the nodes."""
import os
import statistics
import subprocess
import tempfile

from figures import number, read_figures, size
from peers import Broken, compile_with, works_of

PART = "shifts"
SOURCE = "mpi_shifts.c"
PLAYED, RUN = "played", "run"  # by the maker of the round; by the nodes
TRIED, UNTRIED = "tried", "untried"  # what playing costs where it does not help: as usual, and switched off
COSTS, COST_LAUNCHES = {"refused": 1.05, "first": 1.2}, 5  # at most so much of the time
CALLS = ["barrier", "broadcast", "scatter", "gather", "reduce", "allreduce", "reduce-scatter", "allgather", "alltoall", "scan"]
LIMITS = {"barrier": 1.0, "broadcast": 1.3, "allreduce": 1.6}  # shifts, at 8 bytes
MOST_BYTES = 4 << 30  # of a cell's buffers


def measure(run, folder, name, command, works, nodes, count):
    """One launch: its figures are kept."""
    words = [str(count), str(run.mode["shift seconds"]), *works]
    play = {PLAYED: {"PEAL_PLAY": "2"}, RUN: {"PEAL_PLAY": "0"}, UNTRIED: {"PEAL_PLAY": "0"}}.get(name, {})
    run.note(f"{PART}: {name}, P = {nodes}, {size(count)}")
    try:
        done = subprocess.run(command(nodes, words), capture_output=True, text=True, check=False, cwd=folder,
                              stdin=subprocess.DEVNULL, env=os.environ | play, timeout=run.mode["timeout"])
    except subprocess.TimeoutExpired:
        run.skipped.append({"what": f"{PART}: {name}, P = {nodes}, {size(count)}",
                            "why": f"not done after {run.mode['timeout']} s"})
        return
    if done.returncode == 0:
        run.figures.extend({"part": PART, "by": name, **figure} for figure in read_figures(done.stdout))
    else:
        run.fail(PART, SOURCE, done.stderr)


def shifts(run):
    """Every collective at every size and P, played and not."""
    pealrun = os.path.join(run.build, "tools", "pealrun")
    if not os.path.exists(pealrun) or not os.path.exists(os.path.join(run.build, "tools", "pealcc")):
        run.skipped.append({"what": PART, "why": "this build has no tools/pealcc and tools/pealrun"})
        return
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        try:
            program = compile_with(os.path.join(run.build, "tools", "pealcc"), "peal", folder, SOURCE)
        except Broken as broken:
            run.fail(PART, "pealcc", str(broken))
            return
        ours = [(name, lambda nodes, words: [pealrun, "-q", "--rounds", "none", "-n", str(nodes), program, *words])
                for name in (PLAYED, RUN)]
        for nodes, count in run.mode["shifts"]:
            works = works_of(run, PART, CALLS, nodes, count, MOST_BYTES)
            for name, command in ours:
                measure(run, folder, name, command, works, nodes, count)
            judge(run, nodes, count)
            if count == 8:
                measure_costs(run, folder, ours[0][1], nodes)


def measure_costs(run, folder, command, nodes):
    """What playing costs calls that it does not help: launches in turns."""
    for _ in range(COST_LAUNCHES):
        for name in (UNTRIED, TRIED):
            measure(run, folder, name, command, COSTS, nodes, 8)
    for work, limit in COSTS.items():
        taken = {name: [f["processor_us"] for f in run.find(PART, work, nodes=nodes, by=name)] for name in (UNTRIED, TRIED)}
        ratios = [one / other for one, other in zip(taken[TRIED], taken[UNTRIED])]
        if ratios:
            run.aim(PART, f"P = {nodes}, {work}: of the time without playing", statistics.median(ratios), "", limit,
                    note=f"{len(ratios)} pairs, {number(min(ratios))} to {number(max(ratios))}")


def judge(run, nodes, count):
    """Lines of the table of aims."""
    for work in CALLS:
        found = {f["by"]: f for f in run.find(PART, work, nodes=nodes, bytes=count)}
        ours = found.get(PLAYED)
        if not ours:
            continue
        what = f"P = {nodes}, {work} of {size(count)}"
        if count == 8 and work in LIMITS:
            run.aim(PART, f"{what}: ring shifts", ours["shifts"], "", LIMITS[work],
                    note=f"{number(ours['processor_us'])} us of the processor, a shift {number(ours['shift_us'])}")


def rows_of_shifts(figures):
    """The table: what a call takes, played and not."""
    rows = [("block", "P", "call", "us", "of the processor", "shifts", "not played: us", "of the processor", "shifts")]
    found = {(f["bytes"], f["nodes"], f["work"], f["by"]): f for f in figures if f["part"] == PART and f["work"] in CALLS}
    for count, nodes, work in sorted({key[:3] for key in found}, key=lambda key: (*key[:2], CALLS.index(key[2]))):
        of = [found.get((count, nodes, work, name), {}) for name in (PLAYED, RUN)]
        rows.append((size(count), str(nodes), work, *(number(f.get(key)) for f in of for key in ("median", "processor_us", "shifts"))))
    return rows
