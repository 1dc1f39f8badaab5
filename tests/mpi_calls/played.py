#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MPI programs give the same whether collectives are played or not: output, findings, JSON.
played.py [--sanitized] BUILD MIX FAULTS

MIX is a random mix of calls, by seed; FAULTS makes a fault, by number, in a call that would be played.  How long a run
took and what it took of its host is left out; which states a run's end in time finds may depend on the moment.

With --sanitized the other nodes' states at a failure are left out, too: there a node stumbles over a wrong buffer as it
posts it, and not when the round copies it."""
import json
import os
import subprocess
import sys
import tempfile

sanitized = sys.argv[1] == "--sanitized"
build, mix, faults = sys.argv[-3:]
tools = os.path.join(build, "tools")
FAULTS, SEEDS = 14, range(1, 13)
errors = []


def run(play, scratch, program, nodes, argument, *options):
    document = os.path.join(scratch, "run.json")
    done = subprocess.run(["setarch", "-R", os.path.join(tools, "peal"), "run", "-p", str(nodes), f"--json={document}", *options,
                           program, "--", str(argument)], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"PEAL_PLAY": play, "ASAN_OPTIONS": "detect_leaks=0"})
    with open(document, encoding="utf-8") as opened:
        read = json.load(opened)
    for measured in ("seconds", "peak_bytes", "carriers"):
        read["host"].pop(measured, None)
    if sanitized and read["failure"]:
        del read["failure"]["nodes"]
    return done.returncode, done.stdout, done.stderr, read


def compare(scratch, program, nodes, argument, *options):
    ran, played = (run(play, scratch, program, nodes, argument, *options) for play in "02")
    for name, one, other in zip(("exit codes", "output", "messages", "JSON"), ran, played):
        if one != other:
            errors.append(f"{os.path.basename(program)} {argument} on {nodes} nodes, {' '.join(options)}: the {name} differ")
    return played


with tempfile.TemporaryDirectory() as scratch:
    programs = []
    for source in [mix, faults]:
        programs.append(os.path.join(scratch, os.path.basename(source)[:-2]))
        subprocess.run([os.path.join(tools, "pealcc"), "-g", source, "-o", programs[-1]], check=True)
    for seed in SEEDS:
        for nodes, options in [(3, ()), (8, ("--engine", "threads")), (13, ("-t", "ring", "--switching", "wormhole", "--hop", "0.3")),
                               (16, ("-t", "torus:4x4", "--switching", "store-forward"))]:
            if (seed + nodes) % 2 == 0 and compare(scratch, programs[0], nodes, seed, *options)[0] != 0:
                errors.append(f"seed {seed} fails on {nodes} nodes")
    for fault in range(FAULTS):
        code = compare(scratch, programs[1], 4, fault, "--engine", "threads" if fault % 2 else "fibers")[0]
        if (code == 0) != (fault in (0, 10)):
            errors.append(f"fault {fault} ends with {code}")
print("\n".join(errors))
sys.exit(len(errors) > 0)
