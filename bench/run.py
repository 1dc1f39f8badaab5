#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the measurements and hold them against this machine's limits, the peers and the aims.

  bench/run.py BUILD [--quick|--smoke] [--json[=FILE]] [--repetitions=N] [--ampi=FOLDER] [--nodes=N,...] [--bytes=N,...]
               [--calls=NAME,...] [PART...]

BUILD is a build of this tree; tools/bench makes one, of a release, and calls this (first with --check for BUILD, which
only looks whether the call is right).  bench/README.md describes the protocol, and what the document of --json has in it.
Exits 0 whether or not the aims are met, 1 when a measurement failed, 2 for a wrong call.
"""
import datetime
import json
import os
import platform
import re
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is

from compare import Comparison, scaled_figures, scales
from figures import HERE, MIB, Run, number, own_clock, size
from layer import mpi
from peers import CALLS, ampi_find, peers
from programs import mpi_programs
from rebuild import rebuild
from sccl import synthesis
from schedules import schedules
from shifts import shifts
from show import show
from web import web

PARTS = ["limits", "rounds", "copy", "collectives", "alltoall", "orders", "accesses", "scale", "start", "peers", "mpi",
         "mpi-programs", "shifts", "synthesis", "schedules", "web", "rebuild"]

ALL = ["SMPI", "Open MPI", "MPICH"]
WITHOUT_SPINNING = ["SMPI", "Open MPI"]  # MPICH's processes spin: minutes where there are more than cores

# What a run leaves out and how long it goes on.  "smoke" only shows that everything works: its figures mean nothing.
MODES = {
    "full": {
        "limits": [], "rounds": [], "copy": [], "alltoall": [], "orders": ["--repetitions=2"], "accesses": [], "empty": [],
        "collectives": [], "sizes": [8, 64, 256, 1024], "large": 64,
        "torus": ["--repetitions=7", "--far=264"],
        "million": {"nodes": 1000000, "columns": 1000}, "broadcast": 1400000,
        "starts": [("fibers", 8), ("threads", 64), ("fibers", 64), ("fibers", 1024), ("fibers", 4096)],
        "peers": [(nodes, count) for count in (8, 1024, 65536) for nodes in (8, 64, 256, 1024)], "peer seconds": 0.2, "timeout": 300,
        "rounds of a ring": (2000, 10000000),
        "mpi": [], "synthesis": {"questions": 13, "seconds": 900},
        "layers": [(8, 8), (8, 1024), (64, 8), (64, 1024), (256, 8), (1024, 8)], "layer": (15, 5),
        "programs": [(8, 8, ALL, []), (8, 1024, ALL, []), (64, 8, WITHOUT_SPINNING, []),
                     (64, 1024, WITHOUT_SPINNING, []), (64, 65536, WITHOUT_SPINNING, ["alltoall"]), (256, 8, ["SMPI"], []),
                     (1024, 8, ["SMPI"], ["barrier", "broadcast"])],
        "turns": 3, "strict blocks": 1000000, "stencil": (2048, 100), "program seconds": 0.2,
        "empty programs": [(1024, ["SMPI"]), (4096, ["SMPI"]), (16384, [])], "schedules": {"checks": 5}, "web": 7,
        "shifts": [(nodes, count) for count in (8, 1024, 65536) for nodes in (8, 64, 256, 1024)], "shift seconds": 0.2,
    },
    "quick": {
        "limits": ["--repetitions=3", "--stacks=1024"], "rounds": ["--repetitions=3", "--hops=100000"],
        "copy": ["--repetitions=3", "--mebibytes=16"], "alltoall": ["--repetitions=3"], "orders": ["--repetitions=1"],
        "accesses": ["--repetitions=3"], "empty": ["--repetitions=5"],
        "collectives": ["--repetitions=3", "--milliseconds=10"], "sizes": [8, 64, 256], "large": 64,
        "torus": ["--repetitions=3", "--rounds=100", "--far=264"],
        "million": None, "broadcast": None,
        "starts": [("threads", 64), ("fibers", 64), ("fibers", 1024), ("fibers", 4096)],
        "peers": [(8, 8), (64, 8), (64, 65536), (1024, 8)], "peer seconds": 0.1, "timeout": 120,
        "rounds of a ring": (2000, 1000000),
        "mpi": ["--repetitions=15", "--milliseconds=1"], "synthesis": {"questions": 11, "seconds": 60},
        "layers": [(8, 8), (64, 1024), (256, 8)], "layer": (7, 3),
        "programs": [(8, 8, ALL, []), (8, 1024, ALL, []), (64, 8, WITHOUT_SPINNING, [])],
        "turns": 1, "strict blocks": 100000, "stencil": (1024, 100), "program seconds": 0.1,
        "empty programs": [(1024, ["SMPI"]), (4096, []), (16384, [])],
        "shifts": [(8, 8), (64, 8), (64, 65536), (1024, 8)], "shift seconds": 0.05,
        "schedules": {"checks": 2}, "web": 3,
    },
    "smoke": {
        "limits": ["--repetitions=1", "--milliseconds=1", "--hops=130", "--stacks=1024", "--most=16"],
        "rounds": ["--repetitions=1", "--hops=3000"], "copy": ["--repetitions=1", "--mebibytes=1"],
        "alltoall": ["--repetitions=1", "--nodes=5", "--bytes=4096"], "orders": ["--repetitions=1", "--nodes=9"],
        "accesses": ["--repetitions=1", "--millions=1"],
        "empty": ["--repetitions=1"],
        "collectives": ["--repetitions=2", "--milliseconds=1"], "sizes": [7, 8], "large": 4,
        "torus": ["--repetitions=1", "--nodes=48", "--columns=8", "--rounds=10", "--far=20"],
        "million": {"nodes": 2000, "columns": 50}, "broadcast": 1500,
        "starts": [("threads", 7), ("fibers", 64)],
        "peers": [(3, 8), (4, 1024)], "peer seconds": 0.002, "timeout": 60,
        "rounds of a ring": (20, 2000),
        "mpi": ["--repetitions=1", "--milliseconds=1", "--bytes=8"], "synthesis": {"questions": 3, "seconds": 60},
        "layers": [(4, 8)], "layer": (1, 0.1), "programs": [(4, 8, ["SMPI"], ["barrier", "alltoall"])],
        "turns": 1, "strict blocks": 8000, "stencil": (64, 2),
        "program seconds": 0.01, "empty programs": [(16, ["SMPI"])], "shifts": [(5, 8), (4, 1024)], "shift seconds": 0.002,
        "schedules": {"checks": 1}, "web": None,
    },
}


class Wrong(Exception):
    """A call that cannot be: one line."""


# ---------------------------------------------------------------------- parts


def limits(run):
    """What this machine allows."""
    words = run.mode["limits"]
    million = not any(word.startswith("--stacks=") for word in words)  # the program's own choice
    if million and not enough_memory(run, "jumps among a million stacks", 5 << 30):
        words = [*words, "--stacks=1024"]
    run.run("limits", "limits", *words)


def rounds(run):
    """A node-round, beside a hop of bare threads."""
    for engine in [[], ["--fibers"]]:
        run.run("rounds", "rounds", "--json", *engine, *run.mode["rounds"], work="node-round")
    for f in run.find("rounds", "node-round", carriers=1, engine="threads"):
        run.aim("rounds", f"threads, P = {f['nodes']}: node-round / hop of the bare futex ring", f["ratio"], "", 1.3)


def copy(run):
    """Large deliveries, beside memcpy."""
    run.run("copy", "copy", "--json", *run.mode["copy"], work="scatter of large blocks")
    for f in run.find("copy", "scatter of large blocks", memory="touched"):
        block, at_size = f["block_words"] * 8, f["block_words"] * 8 >= 16 * MIB
        run.aim("copy", f"threads, scatter of {f['nodes']} blocks of {size(block)}: of memcpy's rate", f["percent"],
                "%", 80, at_least=True, judged=at_size, note="" if at_size else "smaller blocks than the aim's")


def collectives(run):
    """Every algorithm of the five collectives, one call and a barrier."""
    def measure(nodes, *words):
        run.run("collectives", "collectives", f"--nodes={nodes}", *words, *run.mode["collectives"])

    large = run.mode["large"]
    for nodes in run.mode["sizes"]:
        measure(nodes)
    measure(large, "--bytes=65536")
    for nodes in [8, large]:
        measure(nodes, "--threads")
    measure(large, "--back-to-back")
    measure(large, "--back-to-back", "--threads")


def alltoall(run):
    """All-to-all of large blocks, beside memcpy of the same blocks."""
    run.run("alltoall", "alltoall", *run.mode["alltoall"])
    for f in run.find("alltoall", "all-to-all of memcpy"):
        at_size = f["nodes"] == 64 and f["bytes"] == 65536
        run.aim("alltoall", f"fibers, all-to-all of {size(f['bytes'])}, P = {f['nodes']} ({size(f['moved_bytes'])}): "
                "of memcpy's rate", f["median"], "%", 90, at_least=True, judged=at_size,
                note="" if at_size else "another size than the aim's")


def orders(run):
    """All-to-all with everything posted at once, in every order of posting."""
    run.run("orders", "orders", "--json", "--fibers", *run.mode["orders"], work="all posted at once")
    worst = max(run.find("orders", "all posted at once"), key=lambda f: f["seconds"], default=None)
    if worst:
        run.aim("orders", f"fibers, P = {worst['nodes']}, all-to-all posted at once, the worst order", worst["seconds"],
                "s", 1, judged=worst["nodes"] == 1024,
                note=f"by the carrier's own clock {number(worst['cpu_seconds'])}")


def accesses(run):
    """What a check takes for each access of the program that it watches."""
    run.run("accesses", "accesses", *run.mode["accesses"])
    for f in run.find("accesses", "read in order", unit="ns") + run.find("accesses", "write in order", unit="ns"):
        run.aim("accesses", f"peal check --file, {f['work']}: more an access", f["median"], "ns", 2)


def scale(run):
    """What a transfer costs among a thousand and a million fibers."""
    run.run("scale", "transfers", *run.mode["torus"])
    for f in run.find("scale", "ring shift", distance=1):
        run.aim("scale", f"fibers, P = {f['nodes']}, ring shift on {f['topology']}: a transfer", f["median"], "ns", 80,
                judged=f["nodes"] == 1024, note=own_clock(f))
    for f in run.find("scale", "further hop"):
        run.aim("scale", f"the same over {number(f['hops'])} hops: a further hop", f["median"], "ns", 2,
                judged=f["nodes"] == 1024, note=own_clock(f))
    million, broadcast = run.mode["million"], run.mode["broadcast"]
    if million and enough_memory(run, f"ring shift of {million['nodes']} nodes", 7000 * million["nodes"]):
        scale_million(run, million)
    if broadcast and enough_memory(run, f"broadcast to {broadcast} nodes", 8000 * broadcast):
        scale_broadcast(run, broadcast)


def scale_million(run, million):
    """The ring shift and the start of a million nodes."""
    nodes = million["nodes"]
    run.run("scale", "transfers", f"--nodes={nodes}", f"--columns={million['columns']}", "--rounds=10",
            "--repetitions=2")
    for f in run.find("scale", "ring shift", nodes=nodes):
        run.aim("scale", f"fibers, P = {nodes}, ring shift on {f['topology']}, warm: a transfer", f["median"], "ns",
                300, judged=nodes == 1000000, note=f"in a new process {number(f['cold'])}; {own_clock(f)}")
    for f in run.find("scale", "start", nodes=nodes):
        run.aim("scale", f"fibers, P = {nodes}, start, warm: a node", f["median"], "ns", 3000, judged=nodes == 1000000,
                note=f"in a new process {number(f['cold'])}")


def scale_broadcast(run, nodes):
    """The broadcast to more than a million nodes."""
    run.run("scale", "transfers", "--broadcast", f"--nodes={nodes}", "--rounds=2", "--repetitions=2")
    for f in run.find("scale", "broadcast", nodes=nodes):
        first = run.best("scale", "first broadcast", nodes=nodes)
        run.aim("scale", f"fibers, P = {nodes}, binomial broadcast: a transfer", f["median"], "ns", 700,
                judged=nodes == 1400000,
                note=f"the first of a run {number(first)}, in a new process {number(f['cold'])}; "
                f"{size(f['peak_bytes'])} in all; {own_clock(f)}")


def start(run):
    """An empty program from start to end, and what it takes of memory."""
    limits_ms = {("threads", 64): 20, ("fibers", 64): 20, ("fibers", 4096): 50}
    for engine, nodes in run.mode["starts"]:
        threads = ["--threads"] if engine == "threads" else []
        run.run("start", "empty", f"--nodes={nodes}", *threads, *run.mode["empty"])
        run.aim("start", f"{engine}, P = {nodes}, an empty program from start to end",
                run.best("start", "empty program", nodes=nodes, engine=engine), "ms", limits_ms.get((engine, nodes)))
    peak = run.best("start", "peak", nodes=1024, engine="fibers")
    if peak is not None:
        run.aim("start", "fibers, P = 1024, memory of the whole process", peak, "MiB", 16)
    few, many = run.mode["rounds of a ring"]
    for rounds in (few, many):
        run.run("start", "empty", "--nodes=4", f"--rounds={rounds}", "--repetitions=1")
    peaks = [run.best("start", "peak of many rounds", rounds=rounds) for rounds in (few, many)]
    if None not in peaks:
        run.aim("start", f"fibers, P = 4, {many} rounds: memory beyond that of {few}", peaks[1] - peaks[0], "MiB", 10,
                judged=many == 10000000, note=f"in {number(run.best('start', 'many rounds', rounds=many) / 1000)} s")


def enough_memory(run, what, needed):
    """Whether this many bytes are free; else the work is left out by name."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = int(re.search(r"MemAvailable:\s+(\d+)", file.read()).group(1)) * 1024
    if free < needed:
        run.skipped.append({"what": what, "why": f"{size(needed)} are needed, {size(free)} are free"})
    return free >= needed


# ---------------------------------------------------------------------- what it runs on


def host():
    """What it was measured on."""
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.*)", file.read())
        model = found.group(1) if found else platform.machine()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_bytes": pages, "kernel": platform.release(),
            "load": round(os.getloadavg()[0], 2)}


def cpu_of_all():
    """Seconds that the cores have worked since the machine began, for whomever, all cores together."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    user, nice, system, _, _, irq, softirq, steal = ticks
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def cpu_of_ours():
    """Seconds of this process and of what it has run."""
    return sum(os.times()[:4])


# ---------------------------------------------------------------------- the command


def write(path, document):
    """Write the document to a file that is complete or as it was before."""
    handle, partial = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".bench-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.chmod(partial, 0o644)
    os.replace(partial, path)


def read_numbers(name, text, least, step):
    """Whole numbers between commas, multiples of `step`."""
    if not re.fullmatch(r"\d{1,7}(,\d{1,7})*", text) or any(int(n) < least or int(n) % step for n in text.split(",")):
        raise Wrong(f"{name}={text}: expected numbers of {least} and more between commas" + f", multiples of {step}" * (step > 1))
    return [int(n) for n in text.split(",")]


def read_words(words):
    """(what is asked for, parts) of the command line; `json` is None, "" or a path."""
    asked, parts = {"mode": "full", "repetitions": None, "json": None, "ampi": None, "nodes": [], "bytes": [], "calls": []}, []
    for word in words:
        name, given, value = word.partition("=")
        if word in ("--quick", "--smoke"):
            asked["mode"] = word[2:]
        elif word == "--json" or name == "--json" and value:
            asked["json"] = value
        elif re.fullmatch(r"--repetitions=[1-9]\d{0,2}", word):
            asked["repetitions"] = int(value)
        elif name == "--ampi" and value:
            asked["ampi"] = value
        elif name in ("--nodes", "--bytes") and given:
            asked[name[2:]] = read_numbers(name, value, *((2, 1) if name == "--nodes" else (8, 8)))
        elif name == "--calls" and given:
            asked["calls"] = value.split(",")
            for call in set(asked["calls"]) - set(CALLS):
                raise Wrong(f"no call of peers is called \"{call}\": {', '.join(CALLS)}")
        elif word.startswith("-"):
            raise Wrong(f"unknown option {word}: --quick, --json[=FILE], --repetitions=N (1 to 999), --install; of peers: "
                        "--ampi=FOLDER, --nodes=N,..., --bytes=N,..., --calls=NAME,...")
        elif word not in PARTS:
            raise Wrong(f"no measurement is called \"{word}\": {', '.join(PARTS)}")
        else:
            parts.append(word)
    if asked["json"] and not os.access(os.path.dirname(asked["json"]) or ".", os.W_OK):
        raise Wrong(f"--json={asked['json']}: cannot be written there")
    return asked, [part for part in PARTS if part in parts] or PARTS


def measure(run, parts):
    """Run the parts; after an interrupt what there is by then is shown."""
    programs = {"limits": limits, "rounds": rounds, "copy": copy, "collectives": collectives, "alltoall": alltoall,
                "orders": orders, "accesses": accesses, "scale": scale, "start": start, "peers": peers,
                "mpi": mpi, "mpi-programs": mpi_programs, "shifts": shifts,
                "synthesis": synthesis, "schedules": schedules, "web": web, "rebuild": rebuild}
    for part in parts:
        run.note(part)
        begin = time.monotonic()
        try:
            programs[part](run)
        except KeyboardInterrupt:
            run.fail(part, part, "interrupted; what comes after it did not run")
            return
        finally:
            run.part_seconds[part] = round(time.monotonic() - begin, 1)


def main():
    """Measure, compare, show."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        asked, parts = read_words(sys.argv[2:])
    except Wrong as wrong:
        print(f"tools/bench: {wrong}", file=sys.stderr)
        return 2
    if sys.argv[1] == "--check":
        return 0
    with open(os.path.join(HERE, "recorded.json"), encoding="utf-8") as file:
        recorded = json.load(file)
    if "collectives" in parts and "limits" not in parts:
        parts = ["limits", *parts]  # what is recorded is scaled by them
    mode, output = asked["mode"], asked["json"]
    run = Run(os.path.abspath(sys.argv[1]), MODES[mode], asked["repetitions"])
    run.calls = asked["calls"]
    if asked["nodes"] or asked["bytes"]:
        run.mode["peers"] = [(nodes, count) for count in asked["bytes"] or [8] for nodes in asked["nodes"] or [8, 64]]
    if asked["ampi"]:
        ampi_find(run, asked["ampi"])
    about, begin, others = host(), time.monotonic(), cpu_of_all() - cpu_of_ours()
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    measure(run, parts)
    seconds = time.monotonic() - begin
    others = max(0, cpu_of_all() - cpu_of_ours() - others)
    about["others_percent"] = round(100 * others / (seconds * os.cpu_count()), 1)
    scaled = list(scaled_figures(run, recorded)) if "collectives" in parts else []
    Comparison(run, scaled).lines()

    document = {"schema": "peal/bench/1", "date": date, "mode": mode, "parts": parts, "seconds": round(seconds, 1),
                "part_seconds": run.part_seconds,
                "host": about, "aims": run.aims, "figures": run.figures,
                "recorded": {"source": recorded["source"], "limits": recorded["limits"]},
                "scales": scales(run, recorded), "scaled": scaled, "peers": run.peers, "skipped": run.skipped,
                "failures": run.failures}
    if output == "":
        json.dump(document, sys.stdout, indent=1)
        print()
    else:
        show(document)
    if output:
        write(output, document)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
