#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a file of measured times, which peal fit reads, from a clone of github.com/HLC-Lab/pico (MIT licence).

    python3 bench/figures/pico.py CLONE SYSTEM > SYSTEM.csv        SYSTEM: fugaku, leonardo, lumi or mare_nostrum
    python3 bench/figures/pico.py CLONE fugaku utofu > utofu.csv   the algorithms that pico wrote for Fugaku's network
    python3 bench/figures/pico.py CLONE leonardo runs              what the best of one run costs in another

One line for each algorithm, number of nodes and size: the median of all repetitions after the warm-up, as pico's own
summary takes it, in microseconds.  Runs with several processes a node, or on GPUs, are left out.  Of several runs of the
same the least median is kept.  pico's own algorithms on uTofu, without MPI, have another start-up: a table has MPI's, or
those of one port and without segments, beside the library's own choice.
"""
import collections
import csv
import io
import itertools
import math
import pathlib
import re
import statistics
import sys
import tarfile

# Algorithms with the times of the library's own choice at every size: the library did not take them.
NOT_TAKEN = {("fugaku", "BCAST", "default-basic-linear")}
# Algorithms that on at most 512 nodes are faster, by the factor, than their messages on a link of 6.8 GB/s: in segments, or on several links.
NOT_ITS_NAME = {("fugaku", "ALLREDUCE", "default-rdbc"): 2.49, ("fugaku", "REDUCE", "default-binary"): 1.98,
                ("fugaku", "REDUCE", "default-chain"): 2.19, ("fugaku", "BCAST", "default-chain"): 2.18}
WARM_UP = 0.2  # of the repetitions, which pico's summary leaves out; Fugaku's files have none


def times_of(text, system):
    """The times of a file of repetitions, in nanoseconds: the slowest process of each."""
    rows = text.splitlines()
    column = rows[0].split(",").index("highest")
    fields = [row.split(",") for row in rows[1:-1 if system == "fugaku" else None]]  # there the last line is the mean
    times = [float(row[column]) for row in fields if len(row) > column and row[column].strip()]
    return times if system == "fugaku" else times[int(len(times) * WARM_UP):]


def say_runs(measured):
    """Of each two runs with two algorithms or more in common: the time of the best of one in the other, by that of the best there."""
    runs, costs = collections.defaultdict(lambda: collections.defaultdict(dict)), collections.defaultdict(list)
    for (nodes, collective, name, size), times in measured.items():
        for run, time in times.items():
            if not name.startswith("default"):
                runs[nodes, collective, size][run][name] = time
    for (nodes, collective, _), by_run in runs.items():
        for one, other in itertools.permutations(by_run.values(), 2):
            both = one.keys() & other.keys()
            if len(both) > 1:
                cost = math.log(other[min(both, key=one.get)] / min(other[name] for name in both))
                for key in (nodes, collective), ("all", ""):
                    costs[key].append(cost)
    for (nodes, collective), logs in sorted(costs.items()):
        print(f"{nodes} {collective}: {len(logs)} pairs, {100 * math.expm1(statistics.mean(logs)):+.1f} %, worst {math.exp(max(logs)):.2f}")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    results, system = pathlib.Path(sys.argv[1]) / "results", sys.argv[2]
    with open(results / f"{system}_metadata.csv", newline="") as file:
        tests = {(row["timestamp"], row["test_id"]): row for row in csv.DictReader(file)
                 if row["tasks_per_node"] == "1" and row["gpu_awareness"] == "no"}
    measured = collections.defaultdict(dict)  # by what is measured, then by run
    of_utofu = sys.argv[3:] == ["utofu"]
    for path in sorted((results / system).glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in archive:
                found = re.fullmatch(r"(?:\./)?([^/]+)/(\d+)/(\d+)_(.+)_int32\.csv", member.name)
                test = found and tests.get((found[1], found[2]))
                of_network = found and "-UTOFU-" in found[4]
                if of_network != of_utofu and not (found and found[4] == "default-default"):
                    continue
                if not test or not member.size or (system, test["collective_type"], found[4]) in [*NOT_TAKEN, *NOT_ITS_NAME]:
                    continue
                text = io.TextIOWrapper(archive.extractfile(member), errors="replace").read()
                try:
                    times = times_of(text, system)
                except (ValueError, IndexError) as wrong:
                    print(f"{member.name}: left out: {wrong}", file=sys.stderr)
                    continue
                if not times:
                    continue
                key = (test["nnodes"], test["collective_type"].lower().replace("_", "-"), found[4], int(found[3]) * 4)
                measured[key][found[1], found[2]] = statistics.median(times) / 1000
    if sys.argv[3:] == ["runs"]:
        say_runs(measured)
        return
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["nodes", "collective", "algorithm", "bytes", "time"])
    for key in sorted(measured):
        out.writerow([*key, f"{min(measured[key].values()):.3f}"])


if __name__ == "__main__":
    main()
