#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run a command that is to fail, and look whether it does for this reason: fails.py TEXT COMMAND..."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
print(done.stdout + done.stderr, end="")
if done.returncode == 0 or sys.argv[1] not in done.stdout + done.stderr:
    sys.exit(f"status {done.returncode}; expected a failure that says \"{sys.argv[1]}\"")
