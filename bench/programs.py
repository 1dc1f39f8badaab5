# SPDX-License-Identifier: MIT
"""MPI programs: the same C source under pealrun and under each MPI that is installed, in turns."""
import os
import statistics
import subprocess
import tempfile
import time

from figures import HERE, number, read_figures, size
from peers import BESIDE_COLLECTIVES, Broken, build, compile_with, end, last_line, launch, launch_once

PART = "mpi-programs"
CALLS = ["barrier", "scatter", "broadcast", "allreduce", "alltoall"]


def mpi_programs(run):
    """Programs under Peal and its peers; the layer of MPI beside Peal's own calls; empty programs."""
    pealcc = os.path.join(run.build, "tools", "pealcc")
    if not os.path.exists(pealcc) or not os.path.exists(os.path.join(run.build, "tools", "pealrun")):
        run.skipped.append({"what": PART, "why": "this build has no tools/pealcc and tools/pealrun"})
        return
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        try:
            built = {"Peal": compile_with(pealcc, "peal", folder, "mpi_collectives.c")}
            layer = compile_with(pealcc, "peal", folder, "mpi_calls.c", "-I" + os.path.join(HERE, "..", "include"),
                                 "-L" + run.build, "-lpeal")
            blocks = compile_with(pealcc, "peal", folder, "mpi_blocks.c")
            stencils = [compile_with(pealcc, "peal", folder, "mpi_stencil.c", *words) for words in ([], ["--watch"])]
        except Broken as broken:
            run.fail(PART, "pealcc", str(broken))
            return
        for name in BESIDE_COLLECTIVES:
            try:
                built[name] = build(name, folder)[1]
            except Broken as broken:
                run.skipped.append({"what": f"{PART}: {name}", "why": str(broken)})
        measure_layer(run, folder, layer)
        measure_strict(run, blocks)
        measure_watched(run, stencils)
        for nodes, count, names, works in run.mode["programs"]:
            turns(run, folder, {name: built[name] for name in ["Peal", *names] if name in built}, nodes, count, works)
        for nodes, names in run.mode["empty programs"]:
            empty(run, folder, {name: built[name] for name in ["Peal", *names] if name in built}, nodes)


def measure_layer(run, folder, program):
    """Loops of MPI's calls beside the same in Peal's own, within one run of the machine."""
    repetitions, milliseconds = run.mode["layer"]
    for nodes, count in run.mode["layers"]:
        try:
            done = launch_once(run, "Peal", nodes, folder, program,
                               [str(count), str(run.repetitions or repetitions), str(milliseconds)])
        except Broken as broken:
            run.fail(PART, "mpi_calls", str(broken))
            continue
        for figure in read_figures(done[0]) if done else []:
            run.figures.append({"part": PART, **figure})
            run.aim(PART, f"P = {nodes}, {figure['loop']} of {size(count)}: MPI's calls / Peal's own", figure["median"],
                    "", 1.15, note=f"processor time; {number(figure['least'])} to {number(figure['greatest'])}")


def measure_strict(run, program):
    """A strict run beside a plain one: a call and a block of memory for each message."""
    nodes, count = 8, run.mode["strict blocks"]
    times, _ = beside(run, [["-n", str(nodes), *words, program, str(count // nodes)] for words in ([], ["--strict"])])
    if times:
        run.aim(PART, f"P = {nodes}, {count} blocks and calls: pealrun --strict / pealrun", statistics.median(times), "", 1.3,
                judged=count >= 1000000, note=f"processor time; {number(min(times))} to {number(max(times))}")


def measure_watched(run, programs):
    """A stencil that is watched beside the same program without."""
    points, steps = run.mode["stencil"]
    times, peaks = beside(run, [["-n", "4", program, str(points), str(steps)] for program in programs])
    if times:
        run.aim(PART, f"P = 4, stencil of {points} x {points}, {steps} steps: pealcc --watch / pealcc",
                statistics.median(times), "", 15, judged=points >= 1000,
                note=f"processor time; {number(min(times))} to {number(max(times))}")
        run.aim(PART, "the same: memory", statistics.median(peaks), "", 2.5, judged=points >= 1000)


def beside(run, commands):
    """Two runs of pealrun, in turns: the ratios of the second to the first, of processor time and of memory."""
    times, peaks = [], []
    for _ in range(run.repetitions or run.mode["turns"]):
        spent = []
        for words in commands:
            with subprocess.Popen([os.path.join(run.build, "tools", "pealrun"), "-q", *words], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) as child:
                said = child.stderr.read()
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                run.fail(PART, os.path.basename(words[2]), last_line(said))
                return [], []
            spent.append((used.ru_utime + used.ru_stime, used.ru_maxrss))
        times.append(spent[1][0] / spent[0][0])
        peaks.append(spent[1][1] / spent[0][1])
    return times, peaks


def turns(run, folder, built, nodes, count, works):
    """The calls of all, one launch after another, so often; ratios are taken within a turn."""
    works = works or CALLS
    found, processor = {}, {}  # (name, work): a median of each turn; the processor's time
    for turn in range(run.repetitions or run.mode["turns"]):
        for name, program in list(built.items()):
            run.note(f"{PART}: {name}, P = {nodes}, {size(count)}, turn {turn + 1}")
            try:
                done = launch_once(run, name, nodes, folder, program,
                                   ["figures", str(count), str(run.mode["program seconds"]), *works])
            except Broken as broken:
                done = None
                if name == "Peal":
                    run.fail(PART, "mpi_collectives", str(broken))
                else:
                    skip(run, name, str(broken))
            if not done:
                del built[name]
                continue
            for figure in read_figures(done[0]):
                found.setdefault((name, figure["work"]), []).append(figure["median"])
                processor.setdefault((name, figure["work"]), []).append(figure["processor_us"])
    for (name, work), us in found.items():
        run.figures.append({"part": PART, "peer": name, "work": work, "unit": "us", "median": statistics.median(us),
                            "least": min(us), "greatest": max(us), "repetitions": len(us), "nodes": nodes,
                            "bytes": count})
    for name in BESIDE_COLLECTIVES:
        judge(run, name, processor if name == "SMPI" else found, nodes, count)


def skip(run, name, why):
    """Leave out a peer that does not work."""
    run.skipped.append({"what": f"{PART}: {name}", "why": why})


def judge(run, name, found, nodes, count):
    """Lines of the table of aims: how many times as fast as the peer, the median of the turns."""
    limit = {"SMPI": 20 if count <= 1024 else None, "Open MPI": 1}.get(name)
    clock = " of the processor" if name == "SMPI" else ""  # one process each, as Peal
    for work in CALLS:
        ours, theirs = found.get(("Peal", work), []), found.get((name, work), [])
        if not ours or not theirs:
            continue
        times = [b / a for a, b in zip(ours, theirs)]
        run.aim(PART, f"P = {nodes}, {work} of {size(count)}: times as fast as {name}", statistics.median(times), "",
                limit, at_least=True, judged=limit is not None,
                note=f"{number(statistics.median(ours))} and {number(statistics.median(theirs))} us{clock}; "
                f"{number(min(times))} to {number(max(times))}")


LIMITS = {1024: 0.1, 4096: 0.25, 16384: 1}  # seconds


def empty(run, folder, built, nodes):
    """Init, a barrier, a reduction of a word, Finalize: from start to end, and the greatest memory."""
    seconds = {name: [] for name in built}
    peaks, processor = {}, []
    for turn in range(run.repetitions or run.mode["turns"]):
        for name, program in built.items():
            run.note(f"{PART}: {name}, P = {nodes}, empty program, turn {turn + 1}")
            took = one_empty(run, name, nodes, folder, program)
            if not took:
                continue
            seconds[name].append(took[0])
            peaks[name] = max(peaks.get(name, 0), took[2])
            if name == "Peal":
                processor.append(took[1])
    for name, values in seconds.items():
        if values:
            run.figures.append({"part": PART, "peer": name, "work": "empty program", "unit": "ms", "nodes": nodes,
                                "median": statistics.median(values) * 1e3, "least": min(values) * 1e3,
                                "greatest": max(values) * 1e3, "repetitions": len(values), "peak_bytes": peaks[name]})
    others = "; ".join(f"{name} {number(statistics.median(values))} s"
                       + (f", {size(peaks[name])}" if name == "SMPI" else "")
                       for name, values in seconds.items() if values and name != "Peal")
    if seconds["Peal"]:
        run.aim(PART, f"P = {nodes}, an empty program from start to end", statistics.median(seconds["Peal"]), "s",
                LIMITS.get(nodes), note=f"of the processor {number(statistics.median(processor))}"
                + (f"; {others}" if others else ""))
        run.aim(PART, f"P = {nodes}, memory of an empty program", peaks["Peal"] / (1 << 20), "MiB",
                64 if nodes == 1024 else None)


def one_empty(run, name, nodes, folder, program):
    """(seconds, seconds of the processor, the greatest memory in bytes); None if it failed or took too long."""
    begin = time.monotonic()
    with open(os.path.join(folder, "said"), "wb") as said:
        process = subprocess.Popen(launch(run, name, nodes, folder, program, ["empty"], True), cwd=folder, stderr=said,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        while time.monotonic() - begin < run.mode["timeout"]:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.001)
        else:
            end(process)
            skip(run, f"{name}, P = {nodes}, empty", f"not done after {run.mode['timeout']} s")
            return None
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(os.path.join(folder, "said"), encoding="utf-8", errors="replace") as said:
            skip(run, f"{name}, P = {nodes}, empty", last_line(said.read()))
        return None
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def describe_program(figure):
    """(what, median, unit, least to greatest, beside what) of a figure that is not in the table of calls; else None."""
    span = f"{number(figure['least'])} to {number(figure['greatest'])}"
    if figure["work"] == "layer":
        return (f"P = {figure['nodes']}, {figure['loop']} of {size(figure['bytes'])}: MPI's calls / Peal's own",
                figure["median"], "", span, f"{number(figure['mpi_us'])} us, {number(figure['peal_us'])} us")
    if figure["work"] == "empty program":
        return (f"{figure['peer']}, P = {figure['nodes']}: empty MPI program", figure["median"], "ms", span, "")
    return None


def rows_of_programs(figures):
    """The table of calls under Peal and its peers."""
    names = ["Peal", *BESIDE_COLLECTIVES]
    rows = [("block", "P", "call", *names)]
    found = [f for f in figures if f["part"] == PART and "peer" in f and "bytes" in f]
    for count, nodes in sorted({(f["bytes"], f["nodes"]) for f in found}):
        for work in CALLS:
            medians = {f["peer"]: f["median"] for f in found
                       if (f["bytes"], f["nodes"], f["work"]) == (count, nodes, work)}
            if medians:
                rows.append((size(count), str(nodes), work, *(number(medians.get(name)) for name in names)))
    return rows
