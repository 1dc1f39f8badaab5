#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every algorithm of the catalogue under an MPI program's collectives: elements.py BUILD SOURCE.

The program (elements.c) calls all collectives on elements of all types, with all operators of MPI and one of its own that is not
commutative.  Each run names with --coll one algorithm of each collective, so that all come up; one that does not fit a call falls
back.  In the suite each run has one P and a part of the operators; with PEAL_TEST_THOROUGH=1 P = 1 to 17 and all of them."""
import json
import os
import subprocess
import sys
import tempfile

build, source = sys.argv[1:]
tools = os.path.join(build, "tools")
thorough = os.environ.get("PEAL_TEST_THOROUGH") == "1"
listed = subprocess.run([os.path.join(tools, "peal"), "list", "--json"], capture_output=True, text=True, check=True).stdout
algorithms = {}
for one in json.loads(listed)["algorithms"]:
    if one["collective"] not in ("shift", "multicast"):
        algorithms.setdefault(one["collective"], []).append(one["algorithm"])
most = max(len(names) for names in algorithms.values())
errors, runs = [], 0
with tempfile.TemporaryDirectory() as scratch:
    program = os.path.join(scratch, "elements")
    subprocess.run([os.path.join(tools, "pealcc"), "-O1", source, "-o", program, "-lm"], check=True)
    for i in range(most):
        choice = ",".join(f"{collective}={names[i % len(names)]}" for collective, names in algorithms.items())
        for nodes in range(1, 18) if thorough else [(3, 8, 5, 16, 7, 4)[i % 6]]:
            done = subprocess.run([os.path.join(tools, "pealrun"), "-q", "-n", str(nodes), "--coll", choice, program]
                                  + ([] if thorough else [str(i)]), capture_output=True, text=True, timeout=120)
            runs += 1
            noted = [line for line in done.stderr.splitlines() if not line.startswith("peal: note: --coll ")]
            if done.returncode != 0 or done.stdout or noted:
                errors.append(f"--coll {choice} on {nodes} nodes: exit {done.returncode}\n{done.stdout}{done.stderr}")
print("\n".join(errors))
print(f"{runs} runs, {sum(len(names) for names in algorithms.values())} algorithms")
sys.exit(1 if errors else 0)
