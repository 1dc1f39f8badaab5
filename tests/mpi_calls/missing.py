#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives that one of four nodes does not call: missing.py BUILD SOURCE.

Each run has one failure, collective-mismatch, which names the call and the node that is elsewhere, and nothing of messages.
"""
import os
import subprocess
import sys
import tempfile

build, source = sys.argv[1:]
tools = os.path.join(build, "tools")
both = ["Barrier", "Bcast", "Scatter", "Scatterv", "Gather", "Gatherv", "Allgather", "Allgatherv", "Reduce", "Allreduce",
        "Reduce_scatter", "Reduce_scatter_block", "Alltoall", "Alltoallv", "Alltoallw", "Scan", "Exscan", "Neighbor_allgather",
        "Neighbor_alltoall"]
making = ["Comm_split", "Comm_dup", "Comm_create", "Comm_create_group", "Win_create"]
errors, count = [], 0

with tempfile.TemporaryDirectory() as scratch:
    program = os.path.join(scratch, "missing")
    subprocess.run([os.path.join(tools, "pealcc"), source, "-o", program], check=True, timeout=60)
    for i, called in enumerate(both + ["I" + name.lower() for name in both] + making):
        for after in range(4):
            for skip in [0, 1, 3] if after == 0 else [[0, 1, 3][(i + after) % 3]]:
                if after == 2 and called in making:
                    continue
                done = subprocess.run([os.path.join(tools, "pealrun"), "-q", "-n", "4", program, called, str(skip), str(after)],
                                      capture_output=True, text=True, timeout=60)
                report, count = done.stderr, count + 1
                first = report.partition("\n")[0]
                wrong = [word for word in ["deadlock", "finding:", "with tag", "to send", "to receive"] if word in report]
                if done.returncode != 1 or not first.startswith("peal: collective-mismatch: ") or wrong:
                    errors.append(f"{called}, without node {skip}, then {after}: exit {done.returncode}\n{report}")
                elif f"MPI_{called}" not in first or f"node {skip}" not in first and "is not one call" not in first:
                    errors.append(f"{called}, without node {skip}, then {after}: does not say who or what\n{report}")
print("\n".join(errors))
print(f"{count} runs")
sys.exit(1 if errors or count < 200 else 0)
