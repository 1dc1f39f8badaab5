# SPDX-License-Identifier: MIT
"""Ten collectives of one MPI program in units of a ring shift: played by the maker of the round, run by the nodes, and under
the peers that are one process."""
import os
import shutil
import statistics
import subprocess
import tempfile

from figures import HERE, number, read_figures, size
from peers import PEERS, Broken, last_line, launch
from programs import compile_with

PART = "shifts"
SOURCE = "mpi_shifts.c"
PLAYED, RUN = "played", "run"  # by the maker of the round; by the nodes
TRIED, UNTRIED = "tried", "untried"  # what playing costs where it does not help: as usual, and switched off
COSTS, COST_LAUNCHES = {"refused": 1.05, "first": 1.2}, 5  # at most so much of the time
CALLS = ["barrier", "broadcast", "scatter", "gather", "reduce", "allreduce", "reduce-scatter", "allgather", "alltoall", "scan"]
LIMITS = {"barrier": 1.0, "broadcast": 1.3, "allreduce": 1.6}  # shifts, at 8 bytes
AMPI_LIMITS = {"reduce": 1.5, "gather": 1.5, "scatter": 1.5, "scan": 1.5}  # of AMPI's time; else 1
MOST_BYTES = 4 << 30  # of a cell's buffers


def buffers(work, nodes, count):
    """Bytes that the program's buffers take for a collective, of all nodes."""
    blocks = {"scatter": 3 * nodes, "gather": 3 * nodes, "reduce-scatter": nodes * (nodes + 1),
              "allgather": nodes * (nodes + 1), "alltoall": 2 * nodes * nodes}.get(work, 2 * nodes)
    return blocks * count


def build_peers(run, folder):
    """The peers that are there: [(name, command of so many nodes)]."""
    found = []
    for name, compiler in (("SMPI", PEERS["SMPI"]["compiler"]), ("AMPI", "ampicc")):
        program = os.path.join(folder, name.lower())
        if not shutil.which(compiler):
            run.skipped.append({"what": f"{PART}: {name}", "why": f"no {compiler}"})
            continue
        made = subprocess.run([compiler, "-O2", "-o", program, os.path.join(HERE, SOURCE)], capture_output=True, text=True,
                              check=False, cwd=folder)
        if made.returncode != 0:
            run.skipped.append({"what": f"{PART}: {name}", "why": f"{compiler} failed: {last_line(made.stderr)}"})
        elif name == "AMPI":
            found.append((name, lambda nodes, words, at=program: [at, "+p1", f"+vp{nodes}", *words]))
        else:
            found.append((name, lambda nodes, words, at=program: launch(run, "SMPI", nodes, folder, at, words, False)))
    return found


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
    elif name in (PLAYED, RUN):
        run.fail(PART, SOURCE, done.stderr)
    else:
        run.skipped.append({"what": f"{PART}: {name}, P = {nodes}, {size(count)}", "why": last_line(done.stderr)})


def shifts(run):
    """Every collective at every size and P, played and not, and under the peers."""
    pealrun = os.path.join(run.build, "tools", "pealrun")
    if not os.path.exists(pealrun) or not os.path.exists(os.path.join(run.build, "tools", "pealcc")):
        run.skipped.append({"what": PART, "why": "this build has no tools/pealcc and tools/pealrun"})
        return
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        try:
            program = compile_with(os.path.join(run.build, "tools", "pealcc"), folder, SOURCE)
        except Broken as broken:
            run.fail(PART, "pealcc", str(broken))
            return
        ours = [(name, lambda nodes, words: [pealrun, "-q", "--rounds", "none", "-n", str(nodes), program, *words])
                for name in (PLAYED, RUN)]
        everyone = ours + build_peers(run, folder)
        for nodes, count in run.mode["shifts"]:
            works = [work for work in CALLS if buffers(work, nodes, count) <= MOST_BYTES and (work != "barrier" or count == 8)]
            for work in CALLS:
                if buffers(work, nodes, count) > MOST_BYTES:
                    run.skipped.append({"what": f"{PART}: P = {nodes}, {work} of {size(count)}",
                                        "why": f"{size(buffers(work, nodes, count))} of buffers"})
            for name, command in everyone:
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
        for name, limit in (("SMPI", 20 if count == 8 else None), ("AMPI", 1 / AMPI_LIMITS.get(work, 1))):
            if name in found:
                run.aim(PART, f"{what}: times as fast as {name}", found[name]["processor_us"] / ours["processor_us"], "",
                        limit, at_least=True, judged=limit is not None, note=f"{number(ours['processor_us'])} and "
                        f"{number(found[name]['processor_us'])} us of the processor")


def rows_of_shifts(figures):
    """The table: what a call takes, played and not, and under the peers."""
    rows = [("block", "P", "call", "us", "of the processor", "shifts", "not played: us", "of the processor", "shifts", "SMPI",
             "AMPI")]
    found = {(f["bytes"], f["nodes"], f["work"], f["by"]): f for f in figures if f["part"] == PART and f["work"] in CALLS}
    for count, nodes, work in sorted({key[:3] for key in found}, key=lambda key: (*key[:2], CALLS.index(key[2]))):
        of = [found.get((count, nodes, work, name), {}) for name in (PLAYED, RUN, "SMPI", "AMPI")]
        rows.append((size(count), str(nodes), work, *(number(f.get(key)) for f in of[:2] for key in
                                                      ("median", "processor_us", "shifts")),
                     *(number(f.get("processor_us")) for f in of[2:])))
    return rows
