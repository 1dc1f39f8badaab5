# SPDX-License-Identifier: MIT
"""The peers: one program under Peal and under each other MPI that is installed, in turns, and the ratios."""
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from figures import HERE, number, read_figures, size

PEERS = {
    "Open MPI": {"compiler": "mpicc.openmpi", "launcher": "mpirun.openmpi", "version": ["mpirun.openmpi", "--version"],
                 "packages": "openmpi-bin libopenmpi-dev"},
    "MPICH": {"compiler": "mpicc.mpich", "launcher": "mpiexec.mpich", "version": ["mpichversion"],
              "packages": "mpich libmpich-dev"},
    "SMPI": {"compiler": "smpicc", "launcher": "smpirun", "version": ["smpirun", "--version"],
             "packages": "libsimgrid-dev"},
    "AMPI": {"compiler": "ampicc", "launcher": "ampirun", "version": ["charmc", "-V"],
             "packages": None},
}
BESIDE_COLLECTIVES = ["Open MPI", "MPICH", "SMPI"]  # of the parts that measure collectives and empty programs
CALLS = ["ping-pong", "sendrecv", "halo", "any-source", "barrier", "broadcast", "scatter", "gather", "reduce", "allreduce",
         "reduce-scatter", "allgather", "alltoall", "scan"]
LIMITS = {"ping-pong": 1.15, "halo": 1.15, "any-source": 1.3}  # of AMPI's time; else 1
SMPI_LIMIT = 0.05  # of SMPI's, at 8 bytes
MOST_NODES = {"Open MPI": 64, "MPICH": 8, "SMPI": 256}  # beyond them a launch takes minutes
MOST_BYTES = 1 << 30  # of a cell's buffers

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"""


def launch(run, name, nodes, folder, program, words, careful):
    """The command that runs an MPI program on this many processes; `careful` after it has failed once."""
    if name == "Peal":
        return [os.path.join(run.build, "tools", "pealrun"), "-q", "-n", str(nodes), program, *words]
    if name == "Open MPI":  # more processes than cores, and containers that forbid the kernel's copy between processes
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        no_kernel_copy = ["--mca", "btl_vader_single_copy_mechanism", "none"] if careful else []
        return ["mpirun.openmpi", *root, "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader",
                *no_kernel_copy, "-n", str(nodes), program, *words]
    if name == "MPICH":
        return ["mpiexec.mpich", "-n", str(nodes), program, *words]
    if name == "AMPI":
        return [program, "+p1", f"+vp{nodes}", *words]
    with open(os.path.join(folder, "platform.xml"), "w", encoding="ascii") as file:
        file.write(PLATFORM.format(last=max(nodes - 1, 0)))
    with open(os.path.join(folder, "hosts"), "w", encoding="ascii") as file:
        file.write("".join(f"n{i}\n" for i in range(nodes)))
    return ["smpirun", "-np", str(nodes), "-platform", os.path.join(folder, "platform.xml"),
            "-hostfile", os.path.join(folder, "hosts"), "--cfg=smpi/simulate-computation:no", "--log=root.thres:error",
            program, *words]


def ampi_find(run, folder):
    """Have the compiler of a clone of charm found; build it there where it was not."""
    folder = os.path.abspath(folder)
    if not os.path.exists(os.path.join(folder, "bin", "ampicc")):
        run.note(f"peers: AMPI is built in {folder}, some ten minutes")
        try:
            subprocess.run(["./build", "AMPI", "multicore-linux-x86_64", "--with-production", f"-j{os.cpu_count()}"], cwd=folder,
                           capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            run.skipped.append({"what": "peers: AMPI", "why": str(error)})
    os.environ["PATH"] = os.pathsep.join([os.path.join(folder, "bin"), os.environ["PATH"]])


def end(process):
    """End a launcher, which ends its processes; and all of them when it does not."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def last_line(text):
    """The last line of what a program said."""
    return (text.strip().splitlines() or ["nothing said"])[-1]


class Broken(Exception):
    """A peer that does not compile or run: one line."""


def launch_once(run, name, nodes, folder, program, words, careful=False):
    """(standard output, seconds) of one launch; None when it took too long, which is kept."""
    begin = time.monotonic()
    process = subprocess.Popen(launch(run, name, nodes, folder, program, words, careful), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=run.mode["timeout"])
    except KeyboardInterrupt:
        end(process)
        raise
    except subprocess.TimeoutExpired:
        end(process)
        run.skipped.append({"what": f"{name}, P = {nodes}, {' '.join(words)}",
                            "why": f"not done after {run.mode['timeout']} s"})
        return None
    if process.returncode != 0 and name == "Open MPI" and not careful:
        return launch_once(run, name, nodes, folder, program, words, careful=True)
    if process.returncode != 0:
        raise Broken(f"P = {nodes}, {' '.join(words)}: ended with {process.returncode}: {last_line(err or out)}")
    return out, time.monotonic() - begin


def build(name, folder, source="mpi_collectives.c"):
    """Compile one of our programs for a peer; gives (its version, the program)."""
    peer = PEERS[name]
    absent = [tool for tool in (peer["compiler"], peer["launcher"]) if not shutil.which(tool)]
    if absent:
        where = f"packages {peer['packages']}; tools/bench --install" if peer["packages"] else "--ampi=FOLDER, see bench/README.md"
        raise Broken(f"no {absent[0]} ({where})")
    said = subprocess.run(peer["version"], capture_output=True, text=True, check=False)
    version = re.search(r"\d+(\.\d+)+|\d{3,}", said.stdout + said.stderr)
    return version.group(0) if version else "of no known version", compile_with(peer["compiler"], name, folder, source)


def compile_with(compiler, name, folder, source, *words):
    """Compile one of our sources; gives the program."""
    program = os.path.join(folder, "-".join([name.replace(" ", "-").lower(), source[:-2], *(w for w in words if w == "--watch")]))
    made = subprocess.run([compiler, "-O2", os.path.join(HERE, source), *words, "-o", program], capture_output=True,
                          text=True, check=False, cwd=folder)
    if made.returncode != 0:
        raise Broken(f"{os.path.basename(compiler)} failed: {last_line(made.stderr)}")
    return program


def buffers(work, nodes, count):
    """Bytes that the program's buffers take for a call, of all nodes."""
    blocks = {"scatter": 3 * nodes, "gather": 3 * nodes, "reduce-scatter": nodes * (nodes + 1), "halo": 3 * nodes,
              "allgather": nodes * (nodes + 1), "alltoall": 2 * nodes * nodes}.get(work, 2 * nodes)
    return blocks * count


def works_of(run, part, calls, nodes, count, most):
    """The calls that are made with this many nodes and bytes; those whose buffers are larger are left out by name."""
    for work in calls:
        if buffers(work, nodes, count) > most:
            run.skipped.append({"what": f"{part}: P = {nodes}, {work} of {size(count)}",
                                "why": f"{size(buffers(work, nodes, count))} of buffers"})
    return [work for work in calls if buffers(work, nodes, count) <= most and (work != "barrier" or count == 8)]


def peers(run):
    """One program under Peal and under the peers that are there; one that does not work is skipped, and does not fail the run."""
    with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
        try:
            built = {"Peal": compile_with(os.path.join(run.build, "tools", "pealcc"), "Peal", folder, "mpi_shifts.c")}
        except (Broken, OSError) as broken:
            run.skipped.append({"what": "peers", "why": str(broken)})
            built = {}
        for name in PEERS:
            entry = {"name": name, "version": None, "state": "measured", "why": ""}
            run.peers.append(entry)
            try:
                entry["version"], built[name] = build(name, folder, "mpi_shifts.c")
            except Broken as broken:
                entry.update(state="skipped", why=str(broken))
        if "Peal" not in built:
            return
        os.environ.setdefault("PEAL_PLAY", "2")  # collectives are played from the third on, as in any long run
        for nodes, count in run.mode["peers"]:
            cell(run, folder, built, nodes, count)


def cell(run, folder, built, nodes, count):
    """All calls on this many nodes: launches of Peal and of the peers in turns."""
    works = works_of(run, "peers", run.calls or CALLS, nodes, count, MOST_BYTES)
    names = [name for name in built if nodes <= MOST_NODES.get(name, nodes)]
    found = {}  # (name, work): a figure of each turn
    for turn in range(run.repetitions or run.mode["turns"]):
        for name in list(names):
            run.note(f"peers: {name}, P = {nodes}, {size(count)}, turn {turn + 1}")
            try:
                done = launch_once(run, name, nodes, folder, built[name], [str(count), str(run.mode["peer seconds"]), *works])
                for figure in read_figures(done[0]) if done else []:
                    found.setdefault((name, figure["work"]), []).append(figure)
            except Broken as broken:
                done = None
                if name == "Peal":
                    run.fail("peers", "mpi_shifts.c", str(broken))
                else:
                    run.skipped.append({"what": f"peers: {name}", "why": str(broken)})
            if not done:
                names.remove(name)
    for name in names[1:] if "Peal" in names else []:
        for work in works:
            compare(run, name, work, found[("Peal", work)], found[(name, work)])


def compare(run, name, work, ours, theirs):
    """One call's ratios within the turns: of the processors' time and of wall time."""
    ratio, wall = ([a[key] / b[key] for a, b in zip(ours, theirs)] for key in ("processor_us", "median"))
    nodes, count = ours[0]["nodes"], ours[0]["bytes"]
    us = [statistics.median(f["processor_us"] for f in figures) for figures in (ours, theirs)]
    run.figures.append({"part": "peers", "peer": name, "work": work, "unit": "", "nodes": nodes, "bytes": count,
                        "median": statistics.median(ratio), "least": min(ratio), "greatest": max(ratio),
                        "repetitions": len(ratio), "wall": statistics.median(wall), "peal_us": us[0], "peer_us": us[1]})
    if name == "AMPI" or (name == "SMPI" and count == 8):
        run.aim("peers", f"P = {nodes}, {work} of {size(count)}: Peal / {name}", statistics.median(ratio), "",
                LIMITS.get(work, 1) if name == "AMPI" else SMPI_LIMIT, note=f"{number(us[0])} and {number(us[1])} us of the "
                f"processor; {number(min(ratio))} to {number(max(ratio))}, wall {number(statistics.median(wall))}")


def rows_of_peers(figures):
    """The table of ratios: of the processors' time, and of wall time in brackets."""
    rows = [("block", "P", "call", "us", *PEERS)]
    found = {(f["bytes"], f["nodes"], f["work"], f["peer"]): f for f in figures if f["part"] == "peers"}
    for count, nodes, work in sorted({key[:3] for key in found}, key=lambda key: (*key[:2], CALLS.index(key[2]))):
        of = [found.get((count, nodes, work, name)) for name in PEERS]
        rows.append((size(count), str(nodes), work, number(next(f["peal_us"] for f in of if f)),
                     *(f"{number(f['median'])} ({number(f['wall'])})" if f else "-" for f in of)))
    return rows
