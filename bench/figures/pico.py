#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a file of measured times, which peal fit reads, from a clone of github.com/HLC-Lab/pico (MIT licence).

    python3 bench/figures/pico.py CLONE SYSTEM > SYSTEM.csv        SYSTEM: fugaku, leonardo, lumi or mare_nostrum
    python3 bench/figures/pico.py CLONE fugaku utofu > utofu.csv   the algorithms that pico wrote for Fugaku's network

One line for each algorithm, number of nodes and size: the median of all repetitions after the warm-up, as pico's own
summary takes it, in microseconds.  Runs with several processes a node, or on GPUs, are left out.  Of several runs of the
same the least median is kept.  pico's own algorithms on uTofu, without MPI, have another start-up: a table has MPI's, or
those of one port and without segments, beside the library's own choice.
"""
import csv
import io
import pathlib
import re
import statistics
import sys
import tarfile

# What has the times of the library's own choice at every size: the library did not take it.
NOT_TAKEN = {("fugaku", "BCAST", "default-basic-linear")}
WARM_UP = 0.2  # of the repetitions, which pico's summary leaves out; Fugaku's files have none


def times_of(text, system):
    """The times of a file of repetitions, in nanoseconds: the slowest process of each."""
    rows = text.splitlines()
    column = rows[0].split(",").index("highest")
    fields = [row.split(",") for row in rows[1:-1 if system == "fugaku" else None]]  # there the last line is the mean
    times = [float(row[column]) for row in fields if len(row) > column and row[column].strip()]
    return times if system == "fugaku" else times[int(len(times) * WARM_UP):]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    results, system = pathlib.Path(sys.argv[1]) / "results", sys.argv[2]
    with open(results / f"{system}_metadata.csv", newline="") as file:
        tests = {(row["timestamp"], row["test_id"]): row for row in csv.DictReader(file)
                 if row["tasks_per_node"] == "1" and row["gpu_awareness"] == "no"}
    least = {}
    for path in sorted((results / system).glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in archive:
                found = re.fullmatch(r"(?:\./)?([^/]+)/(\d+)/(\d+)_(.+)_int32\.csv", member.name)
                test = found and tests.get((found[1], found[2]))
                of_network = found and "-UTOFU-" in found[4]
                if of_network != (len(sys.argv) > 3) and not (found and found[4] == "default-default"):
                    continue
                if not test or not member.size or (system, test["collective_type"], found[4]) in NOT_TAKEN:
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
                least[key] = min(least.get(key, float("inf")), statistics.median(times) / 1000)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["nodes", "collective", "algorithm", "bytes", "time"])
    for key in sorted(least):
        out.writerow([*key, f"{least[key]:.3f}"])


if __name__ == "__main__":
    main()
