# SPDX-License-Identifier: MIT
"""The peers: the same calls in the MPIs that are installed."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from figures import HERE, best_figure, read_figures

PEERS = {
    "Open MPI": {"compiler": "mpicc.openmpi", "launcher": "mpirun.openmpi", "version": ["mpirun.openmpi", "--version"],
                 "packages": "openmpi-bin libopenmpi-dev"},
    "MPICH": {"compiler": "mpicc.mpich", "launcher": "mpiexec.mpich", "version": ["mpichversion"],
              "packages": "mpich libmpich-dev"},
    "SMPI": {"compiler": "smpicc", "launcher": "smpirun", "version": ["smpirun", "--version"],
             "packages": "libsimgrid-dev"},
}

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>
"""


def launch(run, name, nodes, folder, program, words, careful):
    """The command that runs an MPI program on so many processes; `careful` after it has failed once."""
    if name == "Peal":
        return [os.path.join(run.build, "tools", "pealrun"), "-q", "-n", str(nodes), program, *words]
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
    return ["smpirun", "-np", str(nodes), "-platform", os.path.join(folder, "platform.xml"),
            "-hostfile", os.path.join(folder, "hosts"), "--cfg=smpi/simulate-computation:no", "--log=root.thres:error",
            program, *words]


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


def build(name, folder):
    """Compile our program for a peer; gives (its version, the program)."""
    peer = PEERS[name]
    absent = [tool for tool in (peer["compiler"], peer["launcher"]) if not shutil.which(tool)]
    if absent:
        raise Broken(f"no {absent[0]} (packages {peer['packages']}; tools/bench --install)")
    said = subprocess.run(peer["version"], capture_output=True, text=True, check=False)
    version = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
    program = os.path.join(folder, name.replace(" ", "-").lower())
    made = subprocess.run([peer["compiler"], "-O2", "-o", program, os.path.join(HERE, "mpi_collectives.c")],
                          capture_output=True, text=True, check=False, cwd=folder)
    if made.returncode != 0:
        raise Broken(f"{peer['compiler']} failed: {last_line(made.stderr)}")
    return version.group(0) if version else "of no known version", program


def measure_peer(run, name, nodes, folder, program):
    """An empty program and the collectives on so many processes."""
    launched = launch_once(run, name, nodes, folder, program, ["empty"])
    if launched:
        run.figures.append({"part": "peers", "peer": name, "work": "empty program", "unit": "ms", "nodes": nodes,
                            "median": launched[1] * 1e3, "repetitions": 1})
    large = nodes == run.mode["large"] and name != "MPICH"  # whose processes spin: minutes
    for count in [8, 65536] if large else [8]:
        words = ["figures", str(count), str(run.mode["seconds"])]
        launched = launch_once(run, name, nodes, folder, program, words)
        for figure in read_figures(launched[0]) if launched else []:
            run.figures.append({"part": "peers", "peer": name, **figure})


def peers(run):
    """The same calls in the MPIs that are installed; one that does not work is skipped, and does not fail the run."""
    for name, sizes in run.mode["peers"].items():
        entry = {"name": name, "version": None, "state": "measured", "why": ""}
        run.peers.append(entry)
        with tempfile.TemporaryDirectory(prefix="peal-bench-") as folder:
            try:
                entry["version"], program = build(name, folder)
                for nodes in sizes:
                    run.note(f"peers: {name}, P = {nodes}")
                    measure_peer(run, name, nodes, folder, program)
            except Broken as broken:
                entry.update(state="skipped", why=str(broken))


def peers_figure(figures, name, work, nodes, count):
    """A peer's figure of this run: of a scatter the better of its own and the tree written out."""
    found = [best_figure(figures, "peers", w, peer=name, nodes=nodes, bytes=count)
             for w in {work, work.replace("scatter", "tree")}]
    return min((us for us in found if us is not None), default=None)
