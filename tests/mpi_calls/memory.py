#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MPI program without memory: memory.py BUILD PRELOADED PROGRAM.C.

Each call for memory, address space or a thread that Peal's code makes during a run fails once, one after another (memory.c).  Each time
the program either does its work all the same, or the run ends at once with 4 and one line that names what it had no memory for.
Every fourth call on each engine, and the last four; every call on both with PEAL_TEST_THOROUGH=1."""
import os
import subprocess
import sys
import tempfile

build, preloaded, source = sys.argv[1:]
tools = os.path.join(build, "tools")
step = 1 if os.environ.get("PEAL_TEST_THOROUGH") == "1" else 4
errors, runs, failed = [], 0, 0


def run(program, engine, number, count):
    """(exit code, output, standard error) of a run whose call `number` fails."""
    done = subprocess.run([os.path.join(tools, "pealrun"), "-q", "-n", "3", "--engine", engine, program], text=True,
                          capture_output=True, timeout=60, check=False,
                          env={**os.environ, "LD_PRELOAD": preloaded, "PEAL_TEST_FAIL": str(number),
                               "PEAL_TEST_COUNT": count})
    return done.returncode, done.stdout, done.stderr


with tempfile.TemporaryDirectory() as scratch:
    program, count = os.path.join(scratch, "program"), os.path.join(scratch, "count")
    subprocess.run([os.path.join(tools, "pealcc"), "-O1", source, "-o", program], check=True)
    for first, engine in enumerate(["fibers", "threads"]):
        with open(count, "w", encoding="utf-8"):
            pass
        whole = run(program, engine, 0, count)
        with open(count, encoding="utf-8") as lines:
            calls = max(map(int, lines.read().split()))
        if whole != (0, "done\n", "") or calls < 200:
            errors.append(f"{engine}, {calls} calls, none fails: {whole}")
        for number in sorted({*range(1 + first * (step // 2), calls, step), *range(calls - 3, calls + 1)}):
            code, out, said = run(program, engine, number, count)
            runs += 1
            failed += code != 0
            clear = said.startswith("peal: ") and said.count("\n") == 1 and ("memory" in said or "threads" in said
                                                                            or "address space" in said)
            if (code, out, said) != (0, "done\n", "") and not (code == 4 and clear):
                errors.append(f"{engine}, call {number} of {calls} fails: exit {code}\n{out}{said}")
print("\n".join(errors))
print(f"{runs} runs, {failed} ended for want of memory")
sys.exit(1 if errors or failed < 50 else 0)
