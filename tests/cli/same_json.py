#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exit with 1, and say so, when two JSON files do not say the same: same_json.py FILE FILE"""
import json
import sys

one, other = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
if one != other:
    sys.exit(f"{sys.argv[1]} and {sys.argv[2]} differ")
