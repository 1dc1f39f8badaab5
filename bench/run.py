#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the measurements and hold them against this machine's limits, the peers and the aims.

  bench/run.py BUILD [--quick|--smoke] [--json[=FILE]] [--repetitions=N] [PART...]

BUILD is a build of this tree; tools/bench makes one, of a release, and calls this (first with --check for BUILD, which only
looks whether the call is right).  bench/README.md tells the protocol, and
what the document of --json has in it.  Exits 0 however the aims stand, 1 when a measurement failed, 2 for a wrong call.
"""
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = ["limits", "rounds", "copy", "collectives", "alltoall", "orders", "scale", "start", "peers"]
COLLECTIVES = ["barrier", "scatter", "broadcast", "allreduce", "alltoall"]
MIB = 1 << 20

# What a run leaves out and how long it goes on.  "smoke" only shows that everything works: its figures mean nothing.
MODES = {
    "full": {
        "limits": [], "rounds": [], "copy": [], "alltoall": [], "orders": [], "empty": [],
        "collectives": [], "sizes": [8, 64, 256, 1024], "large": 64,
        "torus": ["--repetitions=7", "--far=264"],
        "million": {"nodes": 1000000, "columns": 1000}, "broadcast": 1400000,
        "starts": [("fibers", 8), ("threads", 64), ("fibers", 64), ("fibers", 1024), ("fibers", 4096)],
        "peers": {"Open MPI": [8, 64], "MPICH": [8, 64], "SMPI": [8, 64, 256, 1024]}, "seconds": 1, "timeout": 300,
    },
    "quick": {
        "limits": ["--repetitions=3", "--stacks=1024"], "rounds": ["--repetitions=3", "--hops=100000"],
        "copy": ["--repetitions=3", "--mebibytes=16"], "alltoall": ["--repetitions=3"], "orders": ["--repetitions=1"],
        "empty": ["--repetitions=5"],
        "collectives": ["--repetitions=3", "--milliseconds=10"], "sizes": [8, 64, 256], "large": 64,
        "torus": ["--repetitions=3", "--rounds=100", "--far=264"],
        "million": None, "broadcast": None,
        "starts": [("threads", 64), ("fibers", 64), ("fibers", 1024), ("fibers", 4096)],
        "peers": {"Open MPI": [8, 64], "MPICH": [8], "SMPI": [8, 64, 256]}, "seconds": 0.3, "timeout": 120,
    },
    "smoke": {
        "limits": ["--repetitions=1", "--milliseconds=1", "--hops=130", "--stacks=1024", "--most=16"],
        "rounds": ["--repetitions=1", "--hops=3000"], "copy": ["--repetitions=1", "--mebibytes=1"],
        "alltoall": ["--repetitions=1", "--nodes=5", "--bytes=4096"], "orders": ["--repetitions=1", "--nodes=9"],
        "empty": ["--repetitions=1"],
        "collectives": ["--repetitions=2", "--milliseconds=1"], "sizes": [7, 8], "large": 4,
        "torus": ["--repetitions=1", "--nodes=48", "--columns=8", "--rounds=10", "--far=20"],
        "million": {"nodes": 2000, "columns": 50}, "broadcast": 1500,
        "starts": [("threads", 7), ("fibers", 64)],
        "peers": {"Open MPI": [2], "MPICH": [2], "SMPI": [7]}, "seconds": 0.02, "timeout": 60,
    },
}


class Wrong(Exception):
    """A call that cannot be: one line."""


# ---------------------------------------------------------------------- text


def number(value):
    """A figure with about three digits."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(rows, right):
    """Lines of columns; those whose index is in `right` are set to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def size(count):
    """A number of bytes: 8 B, 64 KiB."""
    for unit in ["B", "KiB", "MiB"]:
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.0f} GiB"


# ---------------------------------------------------------------------- one run


class Run:
    """What is asked for, and what came of it."""

    def __init__(self, build, mode, repetitions):
        self.build, self.mode, self.repetitions = build, MODES[mode], repetitions
        self.mode_name = mode
        self.figures = []   # every line of every program, with its part
        self.failures = []  # {"part", "program", "message"}
        self.skipped = []   # {"what", "why"}
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
        return [figure for figure in self.figures if figure["part"] == part and figure.get("work") == work
                and all(figure.get(key) == value for key, value in members.items())]

    def best(self, part, work, key="median", **members):
        """The least of them, None without any."""
        found = self.find(part, work, **members)
        return min((figure[key] for figure in found), default=None)

    def aim(self, part, work, measured, unit, limit, text, *, at_least=False, note=""):
        """Keep one line of the table of aims; limit None: there is nothing to hold it against, and the note says why."""
        reached = None
        if measured is not None and limit is not None:
            reached = measured >= limit if at_least else measured <= limit
        self.aims.append({"part": part, "work": work, "measured": measured, "unit": unit, "aim": text, "limit": limit,
                          "reached": reached, "note": note})


def read_figures(text):
    """The figures that a program printed: one a line, or one document with "rows"."""
    if '"rows"' in text:
        document = json.loads(text)
        rest = {key: value for key, value in document.items() if key not in ("rows", "schema")}
        return [{**rest, **row} for row in document["rows"]]
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


# ---------------------------------------------------------------------- parts


def limits(run):
    """What this machine allows."""
    run.run("limits", "limits", *run.mode["limits"])


def rounds(run):
    """A node-round, beside a hop of bare threads."""
    for engine in [[], ["--fibers"]]:
        run.run("rounds", "rounds", "--json", *engine, *run.mode["rounds"], work="node-round")
    for figure in run.find("rounds", "node-round", carriers=1, engine="threads"):
        run.aim("rounds", f"threads, P = {figure['nodes']}: node-round / hop of the bare futex ring", figure["ratio"], "",
                1.3, "<= 1.3")


def copy(run):
    """Large deliveries, beside memcpy."""
    run.run("copy", "copy", "--json", *run.mode["copy"], work="scatter of large blocks")
    for figure in run.find("copy", "scatter of large blocks", memory="touched"):
        run.aim("copy", f"threads, scatter of {figure['nodes']} blocks of {size(figure['block_words'] * 8)}: of memcpy's rate",
                figure["percent"], "%", 80 if figure["block_words"] * 8 >= 16 * MIB else None, ">= 80 %", at_least=True,
                note="" if figure["block_words"] * 8 >= 16 * MIB else "smaller blocks than the aim's")


def collectives(run):
    """Every algorithm of the five collectives, one call and a barrier."""
    for nodes in run.mode["sizes"]:
        run.run("collectives", "collectives", f"--nodes={nodes}", *run.mode["collectives"])
    large = run.mode["large"]
    run.run("collectives", "collectives", f"--nodes={large}", "--bytes=65536", *run.mode["collectives"])
    for nodes in [8, large]:
        run.run("collectives", "collectives", f"--nodes={nodes}", "--threads", *run.mode["collectives"])
    for engine in [[], ["--threads"]]:
        run.run("collectives", "collectives", f"--nodes={large}", "--back-to-back", *engine, *run.mode["collectives"])


def alltoall(run):
    """All-to-all of large blocks, beside memcpy of the same blocks."""
    run.run("alltoall", "alltoall", *run.mode["alltoall"])
    for figure in run.find("alltoall", "all-to-all of memcpy"):
        at_size = figure["nodes"] == 64 and figure["bytes"] == 65536
        run.aim("alltoall", f"fibers, all-to-all of {size(figure['bytes'])}, P = {figure['nodes']} "
                f"({size(figure['moved_bytes'])}): of memcpy's rate", figure["median"], "%", 90 if at_size else None,
                ">= 90 %", at_least=True, note="" if at_size else "another size than the aim's")


def orders(run):
    """All-to-all with everything posted at once, in every order of posting."""
    run.run("orders", "orders", "--json", *run.mode["orders"], work="all posted at once")
    worst = max(run.find("orders", "all posted at once"), key=lambda figure: figure["seconds"], default=None)
    if worst:
        run.aim("orders", f"fibers, P = {worst['nodes']}, all-to-all posted at once, the worst order", worst["seconds"], "s",
                1 if worst["nodes"] == 1024 else None, "<= 1 s")


def own_clock(figure):
    """What the carrier's own clock says, which stands still while another process has the core."""
    return f"by the carrier's own clock {number(figure['cpu_ns'])}"


def scale(run):
    """What a transfer costs among a thousand and a million fibers."""
    run.run("scale", "transfers", *run.mode["torus"])
    for figure in run.find("scale", "ring shift", distance=1):
        run.aim("scale", f"fibers, P = {figure['nodes']}, ring shift on {figure['topology']}: a transfer", figure["median"], "ns",
                80 if figure["nodes"] == 1024 else None, "<= 80 ns", note=own_clock(figure))
    for figure in run.find("scale", "further hop"):
        run.aim("scale", f"the same over {number(figure['hops'])} hops: a further hop", figure["median"], "ns",
                2 if figure["nodes"] == 1024 else None, "<= 2 ns", note=own_clock(figure))
    million, broadcast = run.mode["million"], run.mode["broadcast"]
    if million and enough_memory(run, "ring shift of a million nodes", 7 * million["nodes"] * 1000):
        run.run("scale", "transfers", f"--nodes={million['nodes']}", f"--columns={million['columns']}", "--rounds=10",
                "--repetitions=3")
        for work, limit, text, what in [("ring shift", 300, "<= 300 ns", "ring shift on {}, warm: a transfer"),
                                        ("start", 3000, "<= 3 us", "start, warm: a node")]:
            for figure in run.find("scale", work, nodes=million["nodes"]):
                run.aim("scale", f"fibers, P = {million['nodes']}, {what.format(figure['topology'])}", figure["median"], "ns",
                        limit if million["nodes"] == 1000000 else None, text, note=f"in a new process {number(figure['cold'])}"
                        + ("; " + own_clock(figure) if work == "ring shift" else ""))
    if broadcast and enough_memory(run, "broadcast to 1.4 million nodes", 8 * broadcast * 1000):
        run.run("scale", "transfers", "--broadcast", f"--nodes={broadcast}", "--rounds=2", "--repetitions=2")
        for figure in run.find("scale", "broadcast", nodes=broadcast):
            first = run.best("scale", "first broadcast", nodes=broadcast)
            run.aim("scale", f"fibers, P = {broadcast}, binomial broadcast: a transfer", figure["median"], "ns",
                    700 if broadcast == 1400000 else None, "<= 700 ns",
                    note=f"the first of a run {number(first)}, in a new process {number(figure['cold'])}; "
                    f"{size(figure['peak_bytes'])} in all; {own_clock(figure)}")


def start(run):
    """An empty program from start to end, and what it takes of memory."""
    aims = {("threads", 64): 20, ("fibers", 64): 20, ("fibers", 4096): 50}
    for engine, nodes in run.mode["starts"]:
        run.run("start", "empty", f"--nodes={nodes}", *(["--threads"] if engine == "threads" else []), *run.mode["empty"])
        time_ms = run.best("start", "empty program", nodes=nodes, engine=engine)
        limit = aims.get((engine, nodes))
        run.aim("start", f"{engine}, P = {nodes}, an empty program from start to end", time_ms, "ms", limit,
                f"< {limit} ms" if limit else "")
    peak = run.best("start", "peak", nodes=1024, engine="fibers")
    if peak is not None:
        run.aim("start", "fibers, P = 1024, memory of the whole process", peak, "MiB", 16, "<= 16 MiB")
    if os.path.exists(os.path.join(run.build, "bench", "bench-start")):
        run.run("start", "start", "--json")


def enough_memory(run, what, needed):
    """Whether so many bytes are free; else the work is left out by name."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = int(re.search(r"MemAvailable:\s+(\d+)", file.read()).group(1)) * 1024
    if free < needed:
        run.skipped.append({"what": what, "why": f"{size(needed)} are needed, {size(free)} are free"})
    return free >= needed


# ---------------------------------------------------------------------- peers

PEERS = {
    "Open MPI": {"compiler": "mpicc.openmpi", "launcher": "mpirun.openmpi", "version": ["mpirun.openmpi", "--version"],
                 "packages": "openmpi-bin libopenmpi-dev"},
    "MPICH": {"compiler": "mpicc.mpich", "launcher": "mpiexec.mpich", "version": ["mpichversion"],
              "packages": "mpich libmpich-dev"},
    "SMPI": {"compiler": "smpicc", "launcher": "smpirun", "version": ["smpirun", "--version"], "packages": "libsimgrid-dev"},
}

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"""


def launch(name, nodes, folder, program, words, careful):
    """The command that runs an MPI program on so many processes; `careful` after it has failed once."""
    if name == "Open MPI":  # more processes than cores, and containers that forbid the kernel's copy between processes
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        no_kernel_copy = ["--mca", "btl_vader_single_copy_mechanism", "none"] if careful else []
        return ["mpirun.openmpi", *root, "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
                *no_kernel_copy, "-n", str(nodes), program, *words]
    if name == "MPICH":
        return ["mpiexec.mpich", "-n", str(nodes), program, *words]
    with open(os.path.join(folder, "platform.xml"), "w", encoding="ascii") as file:
        file.write(PLATFORM.format(last=max(nodes - 1, 0)))
    with open(os.path.join(folder, "hosts"), "w", encoding="ascii") as file:
        file.write("".join(f"n{i}\n" for i in range(nodes)))
    return ["smpirun", "-np", str(nodes), "-platform", os.path.join(folder, "platform.xml"), "-hostfile",
            os.path.join(folder, "hosts"), "--cfg=smpi/simulate-computation:no", "--log=root.thres:error", program, *words]


def launch_once(run, name, nodes, folder, program, words, careful=False):
    """(standard output, seconds) of one launch, or None after a failure that is kept."""
    what = f"{name}, P = {nodes}, {' '.join(words)}"
    begin = time.monotonic()
    process = subprocess.Popen(launch(name, nodes, folder, program, words, careful), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True)
    try:
        out, err = process.communicate(timeout=run.mode["timeout"])
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 15)  # the launcher ends its processes
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
        run.skipped.append({"what": what, "why": f"not done after {run.mode['timeout']} s"})
        return None
    if process.returncode != 0 and name == "Open MPI" and not careful:
        return launch_once(run, name, nodes, folder, program, words, careful=True)
    if process.returncode != 0:
        run.fail("peers", what, err or out or f"ended with {process.returncode}")
        return None
    return out, time.monotonic() - begin


def peers(run):
    """The same calls in the MPIs that are installed."""
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        for name, sizes in run.mode["peers"].items():
            peer = PEERS[name]
            absent = [tool for tool in (peer["compiler"], peer["launcher"]) if not shutil.which(tool)]
            if absent:
                run.peers.append({"name": name, "version": None, "state": "skipped",
                                  "why": f"no {absent[0]} (packages {peer['packages']}; tools/bench --install)"})
                continue
            said = subprocess.run(peer["version"], capture_output=True, text=True, check=False)
            version = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
            program = os.path.join(folder, name.replace(" ", "-").lower())
            made = subprocess.run([peer["compiler"], "-O2", "-o", program, os.path.join(HERE, "mpi_collectives.c")],
                                  capture_output=True, text=True, check=False, cwd=folder)
            entry = {"name": name, "version": version.group(0) if version else None, "state": "measured", "why": ""}
            run.peers.append(entry)
            if made.returncode != 0:
                entry.update(state="skipped", why=f"{peer['compiler']} failed: " + (made.stderr.strip().splitlines() or ["?"])[-1])
                continue
            for nodes in sizes:
                run.note(f"peers: {name}, P = {nodes}")
                launched = launch_once(run, name, nodes, folder, program, ["empty"])
                if launched:
                    run.figures.append({"part": "peers", "peer": name, "work": "empty program", "unit": "ms", "nodes": nodes,
                                        "median": launched[1] * 1e3, "repetitions": 1})
                for count in [8, 65536] if nodes == run.mode["large"] and name != "MPICH" else [8]:
                    launched = launch_once(run, name, nodes, folder, program, ["figures", str(count), str(run.mode["seconds"])])
                    for figure in read_figures(launched[0]) if launched else []:
                        run.figures.append({"part": "peers", "peer": name, **figure})


# ---------------------------------------------------------------------- Peal beside its peers


def scales(run, recorded):
    """How much slower this run's machine is than the recorded one, by the limits that bound each peer; {} without limits."""
    then = recorded["limits"]
    jump = run.best("limits", "jump", "least", stacks=2)
    switch = run.best("limits", "sched_yield", "least")
    copies = run.find("limits", "memcpy", bytes=16 * MIB, threads=1, memory="touched")
    found = {}
    if jump:  # recorded as a range: its geometric mean
        least, greatest = then["jump, ns"]
        found["AMPI"] = jump / (least * greatest) ** 0.5
    if switch:
        found["thread_mpi"] = switch / then["sched_yield, ns"]
    if copies:
        found["64 KiB"] = then["memcpy of 16 MiB, GB/s"] / copies[0]["greatest"]
    return found


def scaled_figures(run, recorded):
    """The recorded figures, scaled by this run's limits; never measured in it."""
    factors = scales(run, recorded)
    for row in recorded["figures"]:
        factor = factors.get("64 KiB" if row["bytes"] > 8 else row["peer"])
        for work, us in row["us"].items():
            yield {"peer": row["peer"], "work": work, "nodes": row["nodes"], "bytes": row["bytes"], "recorded_us": us,
                   "scale": factor, "scaled_us": us * factor if factor else None}


def peers_figure(run, name, work, nodes, count):
    """A peer's figure of this run: of a scatter the better of its own and the tree written out."""
    works = [work, work.replace("scatter", "tree")]
    return min((figure["median"] for w in works for figure in run.find("peers", w, peer=name, nodes=nodes, bytes=count)),
               default=None)


def scaled_figure(scaled, peer, work, nodes, count):
    """A peer's scaled figure, None without one."""
    return next((s["scaled_us"] for s in scaled if s["peer"] == peer and s["work"] == work and s["nodes"] == nodes
                 and s["bytes"] == count), None)


def compare(run, scaled):
    """The lines of aims that hold Peal against its peers."""
    for nodes in [n for n in run.mode["sizes"] if n >= 8]:
        for work in COLLECTIVES:
            ours = run.best("collectives", work, nodes=nodes, bytes=8, engine="fibers")
            if ours is None:
                continue
            others = {f"{peer} {{}} (scaled)": scaled_figure(scaled, peer, work, nodes, 8) for peer in ("AMPI", "thread_mpi")}
            smpi = peers_figure(run, "SMPI", work, nodes, 8)
            others["SMPI {}"] = smpi
            known = {text: us for text, us in others.items() if us is not None}
            least = min(known.values(), default=None)
            run.aim("collectives", f"fibers, P = {nodes}, {work}, the best algorithm", ours, "us", least,
                    "< " + ", ".join(text.format(number(us)) for text, us in known.items()) if known else "faster than the peers",
                    note="" if smpi else "SMPI not measured")
            if nodes >= 256:
                run.aim("collectives", f"fibers, P = {nodes}, {work}: times as fast as SMPI", smpi / ours if smpi else None, "",
                        50, ">= 50", at_least=True, note="" if smpi else "SMPI not measured")
    for nodes in [n for n in run.mode["sizes"] if n in (64, 256)]:
        ours = run.best("collectives", "alltoall", nodes=nodes, bytes=8, engine="fibers")
        theirs = scaled_figure(scaled, "thread_mpi", "alltoall", nodes, 8)
        if ours is not None:
            transfers = nodes * (nodes - 1) / 1e3
            run.aim("collectives", f"fibers, P = {nodes}, all-to-all of 8 B: a transfer", ours / transfers, "ns",
                    3 * theirs / transfers if theirs else None,
                    f"<= 3 x thread_mpi {number(theirs / transfers)} (scaled)" if theirs else "<= 3 x thread_mpi")
    large = run.mode["large"]
    for work, count in [("scatter", 65536), ("alltoall", 65536), ("scatter back to back", 8)]:
        ours = run.best("collectives", work, nodes=large, bytes=count, engine="fibers")
        others = {peer: scaled_figure(scaled, peer, work, large, count) for peer in ("AMPI", "thread_mpi")}
        known = {peer: us for peer, us in others.items() if us is not None}
        if ours is not None and known:
            run.aim("collectives", f"fibers, P = {large}, {work} of {size(count)}", ours, "us", min(known.values()),
                    "< " + ", ".join(f"{peer} {number(us)} (scaled)" for peer, us in known.items()))
    for work in ["scatter", "scatter back to back"]:
        find = {"nodes": large, "bytes": 8, "engine": "threads"}
        ours = run.best("collectives", work, algorithm="binomial", **find)
        others = {name: peers_figure(run, name, work, large, 8) for name in ("Open MPI", "MPICH")}
        known = {name: us for name, us in others.items() if us is not None}
        if ours is not None:
            run.aim("collectives", f"threads, P = {large}, binomial {work}", ours, "us", min(known.values(), default=None),
                    "< " + ", ".join(f"{name} {number(us)}" for name, us in known.items()) if known else "< Open MPI, MPICH",
                    note="; ".join(f"{name} not measured" for name in others if name not in known))


# ---------------------------------------------------------------------- what is shown


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


def show_limits(run):
    """The lines on this machine's limits."""
    rows = [("limit", "median", "", "least to greatest")]
    for f in [f for f in run.figures if f["part"] == "limits"]:
        what = {"memcpy": lambda f: f"memcpy of {size(f['bytes'])}, {f['threads']} thread{'s' * (f['threads'] > 1)}, {f['memory']}",
                "futex ring": lambda f: f"futex ring of {f['threads']}, a hop, {f['cores']} core{'s' * (f['cores'] > 1)}",
                "sched_yield": lambda f: "sched_yield, a switch of 2 threads, 1 core",
                "jump": lambda f: f"jump_fcontext, a jump among {f['stacks']} stacks",
                "stack page": lambda f: "first touch of a stack page"}[f["work"]](f)
        rows.append((what, number(f["median"]), f["unit"], f"{number(f['least'])} to {number(f['greatest'])}"))
    return table(rows, {1})


def describe(f):
    """(what, median, unit, least to greatest, beside what) of a figure of the other parts."""
    span = f"{number(f['least'])} to {number(f['greatest'])}" if "least" in f else ""
    if f["part"] == "rounds":
        return (f"{f['engine']}, P = {f['nodes']}, {f['carriers']} carrier{'s' * (f['carriers'] > 1)}: a node-round",
                f["machine_ns"], "ns", "", f"ring {number(f['ring_ns'])} ns, ratio {number(f['ratio'])} "
                f"({number(f['ratio_least'])} to {number(f['ratio_greatest'])})")
    if f["part"] == "copy":
        return (f"threads, scatter of {f['nodes']} blocks of {size(f['block_words'] * 8)}, {f['memory']}", f["machine_gb_s"],
                "GB/s", "", f"memcpy {number(f['memcpy_gb_s'])} GB/s, {number(f['percent'])} % "
                f"({number(f['percent_least'])} to {number(f['percent_greatest'])})")
    if f["part"] == "orders":
        return (f"{f['engine']}, P = {f['nodes']}, all posted at once: sends {f['sends']}, receives {f['receives']}",
                f["seconds"], "s", f"{number(f['seconds_least'])} to {number(f['seconds_greatest'])}", "")
    if f["part"] == "scale":
        beside = [f"in a new process {number(f['cold'])}"] if "cold" in f else []
        beside += [own_clock(f)] if f["work"] in ("ring shift", "broadcast", "further hop") else []
        return (f"fibers, P = {f['nodes']}, {f['topology']}, {number(f['hops'])} hops: {f['work']}", f["median"], f["unit"], span,
                "; ".join(beside))
    if f["part"] == "alltoall":
        return (f"P = {f['nodes']}, {size(f['bytes'])}: {f['work']}", f["median"], f["unit"], span, "")
    if f["part"] == "start" and "median" in f:
        return (f"{f['engine']}, P = {f['nodes']}: {f['work']}", f["median"], f["unit"], span, "")
    return None


def show_others(run):
    """The lines of the parts that have no table of their own."""
    rows = [("figure", "median", "", "least to greatest", "beside")]
    for what, median, *rest in filter(None, map(describe, run.figures)):
        rows.append((what, number(median), *rest))
    return table(rows, {1}) if len(rows) > 1 else []


def show_empty(run):
    """The lines on an empty program of Peal's and of its peers."""
    names = ["Open MPI", "MPICH", "SMPI"]
    found = [f for f in run.figures if f.get("work") == "empty program"]
    rows = [("P", "fibers", "threads", *names)]
    for nodes in sorted({f["nodes"] for f in found}):
        ours = [run.best("start", "empty program", nodes=nodes, engine=engine) for engine in ("fibers", "threads")]
        theirs = [run.best("peers", "empty program", nodes=nodes, peer=name) for name in names]
        rows.append((str(nodes), *map(number, ours + theirs)))
    return table(rows, set(range(len(rows[0])))) if len(rows) > 1 else []


def show_peers(run, scaled):
    """The lines that put a collective's figures side by side."""
    names = ["Open MPI", "MPICH", "SMPI"]
    shapes = sorted({(f["bytes"], f["nodes"]) for f in run.figures if f["part"] in ("collectives", "peers") and "bytes" in f})
    rows = [("block", "P", "call", "fibers", "own clock", "by", "threads", *names, "AMPI*", "thread_mpi*")]
    for count, nodes in shapes:
        for work in COLLECTIVES + ["scatter back to back"]:
            find = {"nodes": nodes, "bytes": count, "engine": "fibers"}
            best = min(run.find("collectives", work, **find), key=lambda f: f["median"], default=None)
            threads = run.best("collectives", work, nodes=nodes, bytes=count, engine="threads")
            cells = [threads, *(peers_figure(run, name, work, nodes, count) for name in names),
                     *(scaled_figure(scaled, peer, work, nodes, count) for peer in ("AMPI", "thread_mpi"))]
            if best or any(cell is not None for cell in cells):
                rows.append((size(count), str(nodes), work, number(best["median"] if best else None),
                             number(best.get("cpu_us") if best else None), best["algorithm"] if best else "-", *map(number, cells)))
    return table(rows, {1, 3, 4, 6, 7, 8, 9, 10, 11})


def verdict(aim):
    """In a word, and why not."""
    if aim["measured"] is None:
        word = "not measured"
    elif aim["reached"] is None:
        word = "-"
    else:
        word = "yes" if aim["reached"] else "NO"
    return f"{word} ({aim['note']})" if aim["note"] else word


def show(document, run, scaled):
    """Print the tables."""
    about = document["host"]
    print(f"Peal's measurements ({document['mode']}), {about['cpu']}, {about['cores']} cores, "
          f"{size(about['memory_bytes'])}, load {about['load']} at first")
    if document["mode"] == "smoke":
        print("smoke: these sizes only show that everything works; the figures mean nothing")
    if run.find("limits", "memcpy"):
        print("\nLimits of this machine, in this run\n")
        print("\n".join(show_limits(run)))
    others, empty = list(show_others(run)), list(show_empty(run))
    if others:
        print("\nOther figures\n")
        print("\n".join(others))
    if empty:
        print("\nAn empty program from start to end, ms\n")
        print("\n".join(empty))
    if any(f["part"] in ("collectives", "peers") for f in run.figures):
        print("\nOne call and a barrier, us, medians ('barrier': two; 'back to back': without the barrier;"
              "\n'own clock': the fibers' carrier's, which stands still while another process has the core)\n")
        print("\n".join(show_peers(run, scaled)))
        if scaled and document["scales"]:
            print("* not measured in this run: " + document["recorded"]["source"] + ";\n  scaled by this run's limits: "
                  + ", ".join(f"{name} x {factor:.2f}" for name, factor in document["scales"].items()))
        elif scaled:
            print("* not in this run: the limits that scale them were not measured")
    print()
    if run.aims:
        print("Aims\n")
        rows = [("work", "measured", "", "aim", "reached")]
        rows += [(a["work"], number(a["measured"]), a["unit"], a["aim"], verdict(a)) for a in run.aims]
        print("\n".join(table(rows, {1})))
        judged = [a["reached"] for a in run.aims if a["reached"] is not None]
        print(f"\n{sum(judged)} of {len(judged)} aims reached, {len(run.aims) - len(judged)} not judged")
    print(f"{document['seconds']:.0f} s; other processes took {about['others_percent']:.0f} % of the cores meanwhile"
          + (": take ratios, not figures" if about["others_percent"] > 5 else ""))
    for peer in run.peers:
        print(f"{peer['name']}: " + (peer["version"] or "" if peer["state"] == "measured" else f"skipped: {peer['why']}"))
    for item in run.skipped:
        print(f"left out: {item['what']}: {item['why']}")
    for item in run.failures:
        print(f"failed: {item['program']}: {item['message']}")


def write(path, document):
    """Write the document to a file that is complete or as it was before."""
    handle, partial = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".bench-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.chmod(partial, 0o644)
    os.replace(partial, path)


# ---------------------------------------------------------------------- the command


def read_words(words):
    """(mode, repetitions, json: None, "" or a path, parts) of the command line."""
    mode, repetitions, output, parts = "full", None, None, []
    for word in words:
        if word in ("--quick", "--smoke"):
            mode = word[2:]
        elif word == "--json":
            output = ""
        elif word.startswith("--json=") and word != "--json=":
            output = word[len("--json="):]
        elif re.fullmatch(r"--repetitions=[1-9]\d{0,2}", word):
            repetitions = int(word.split("=")[1])
        elif word.startswith("-"):
            raise Wrong(f"unknown option {word}: --quick, --json[=FILE], --repetitions=N (1 to 999), --install")
        elif word not in PARTS:
            raise Wrong(f"no measurement is called \"{word}\": {', '.join(PARTS)}")
        else:
            parts.append(word)
    if output and not os.access(os.path.dirname(output) or ".", os.W_OK):
        raise Wrong(f"--json={output}: cannot be written there")
    return mode, repetitions, output, [part for part in PARTS if part in parts] or PARTS


def main():
    """Measure, compare, show."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        mode, repetitions, output, parts = read_words(sys.argv[2:])
    except Wrong as wrong:
        print(f"tools/bench: {wrong}", file=sys.stderr)
        return 2
    if sys.argv[1] == "--check":
        return 0
    with open(os.path.join(HERE, "recorded.json"), encoding="utf-8") as file:
        recorded = json.load(file)
    if "collectives" in parts and "limits" not in parts:
        parts = ["limits", *parts]  # what is recorded is scaled by them
    run = Run(os.path.abspath(sys.argv[1]), mode, repetitions)
    about, begin, others = host(), time.monotonic(), cpu_of_all() - cpu_of_ours()
    try:
        for part in parts:
            run.note(part)
            globals()[part](run)
    except KeyboardInterrupt:  # what there is by then is shown
        run.fail(part, part, "interrupted; the parts after it did not run")
    seconds = time.monotonic() - begin
    others = max(0, cpu_of_all() - cpu_of_ours() - others)
    about["others_percent"] = round(100 * others / (seconds * os.cpu_count()), 1)
    scaled = list(scaled_figures(run, recorded)) if {"collectives", "peers"} & set(parts) else []
    compare(run, scaled)

    document = {"schema": "peal/bench/1", "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "mode": mode, "parts": parts, "seconds": round(seconds, 1), "host": about, "aims": run.aims,
                "figures": run.figures, "recorded": {"source": recorded["source"], "limits": recorded["limits"]},
                "scales": scales(run, recorded), "scaled": scaled, "peers": run.peers, "skipped": run.skipped,
                "failures": run.failures}
    if output == "":
        json.dump(document, sys.stdout, indent=1)
        print()
    else:
        show(document, run, scaled)
    if output:
        write(output, document)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
