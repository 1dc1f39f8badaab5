# SPDX-License-Identifier: MIT
"""What Peal's layer over MPI takes, with each MPI that this build has."""
import os
import tempfile

from figures import number, read_figures, size
from peers import PEERS, Broken, launch_once

PROGRAMS = {"Open MPI": "bench-mpi-openmpi", "MPICH": "bench-mpi-mpich"}
NODES = 2


def mpi(run):
    """The same loops in Peal's calls and in MPI's own, in one job."""
    chosen = os.environ.pop("PEAL_MPI", None)  # the launcher says which
    for name in PROGRAMS:
        run.note(f"mpi: {name}")
        try:
            measure(run, name)
        except Broken as broken:
            run.fail("mpi", f"{name}, {PROGRAMS[name]}", str(broken))
    if chosen is not None:
        os.environ["PEAL_MPI"] = chosen
    for name in PROGRAMS:
        for figure in run.find("mpi", "layer", mpi=name):
            judge(run, figure)


def measure(run, name):
    """Start the job of one MPI and keep its figures; one that is not there is left out by name."""
    program = os.path.join(run.build, "bench", PROGRAMS[name])
    if not os.path.exists(program):
        run.skipped.append({"what": "mpi", "why": f"{name}: this build has no {PROGRAMS[name]}: packages "
                            f"{PEERS[name]['packages']} (tools/bench --install)"})
        return
    words = list(run.mode["mpi"])
    if run.repetitions:
        words = [word for word in words if not word.startswith("--repetitions=")]
        words.append(f"--repetitions={run.repetitions}")
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        try:
            done = launch_once(run, name, NODES, folder, program, words)
        except FileNotFoundError as error:
            run.skipped.append({"what": "mpi", "why": f"{name}: no {error.filename}"})
            return
    for figure in read_figures(done[0]) if done else []:
        run.figures.append({"part": "mpi", "mpi": name, **figure, "loop": figure["work"], "work": "layer"})


def judge(run, figure):
    """Its line of the table of aims: at 8 B what Peal takes more, at 64 KiB the ratio."""
    what = f"{figure['mpi']}, P = {figure['nodes']}, {figure['loop']} of {size(figure['bytes'])}: Peal"
    crowded = figure["crowded"]
    note = "more processes than cores" if crowded else f"median {figure['median']:.3f}, {interval(figure)}"
    if figure["bytes"] == 8:
        run.aim("mpi", f"{what} - MPI", figure["more_ns"], "ns", 60, judged=not crowded, note=note)
    elif figure["bytes"] == 65536:
        run.aim("mpi", f"{what} / MPI", figure["median"], "", 1.05, judged=not crowded, note=note)


def interval(figure):
    """The 95 % confidence interval of the median, and the repetitions that it is from."""
    return f"{figure['low']:.3f} to {figure['high']:.3f} in {figure['repetitions']} repetitions"


def describe_layer(figure):
    """(what, median, unit, least to greatest, beside what) for the table of figures."""
    return (f"{figure['mpi']}, P = {figure['nodes']}, {figure['loop']} of {size(figure['bytes'])}: Peal / MPI",
            figure["median"], "", f"{number(figure['least'])} to {number(figure['greatest'])}",
            f"MPI {number(figure['mpi_us'])} us, Peal {number(figure['peal_us'])} us; median within {interval(figure)}")
