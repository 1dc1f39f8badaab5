#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The test of tally.py: what it counts in a log of meson's, and that a leak in a process of a test that passed is a failure."""
import json
import os
import subprocess
import sys
import tempfile

TALLY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tally.py")
PASSED, FAILED = ("[====] Synthesis: Tested: 5 | Passing: %d | Failing: %d | Crashing: 0\n" % numbers for numbers in ((5, 0), (4, 1)))
LEAK = "==7==ERROR: LeakSanitizer: detected memory leaks\n"
LOG = (("right", "OK", "", PASSED), ("leaks", "OK", "", LEAK + PASSED), ("wrong", "FAIL", "", FAILED), ("script", "OK", "fine\n", ""),
       ("script leaks", "OK", LEAK, ""), ("left out", "SKIP", "", ""))

expected = ["15 3 1\n", "leaks\nwrong\nscript leaks\n"]
for form in "peal:tree+both / %s", "tree+both - peal:%s":  # of older mesons, and of newer ones
    with tempfile.TemporaryDirectory() as build:
        os.mkdir(os.path.join(build, "meson-logs"))
        with open(os.path.join(build, "meson-logs", "testlog.json"), "w", encoding="utf-8") as log:
            for name, result, out, error in LOG:
                print(json.dumps({"name": form % name, "result": result, "stdout": out, "stderr": error}), file=log)
        got = [subprocess.run([TALLY, what, build], capture_output=True, text=True, check=True).stdout for what in ("count", "failed")]
    if got != expected:
        sys.exit(f"{form}: expected {expected}, got {got}")
