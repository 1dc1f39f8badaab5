#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print members of the document in a page of peal report, one a line: page.py FILE|- MEMBER..."""
import json
import re
import sys

with (sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="utf-8")) as file:
    text = re.search(r'<script type="application/json" id="peal-page">(.*?)</script>', file.read(), re.S).group(1)
for key in sys.argv[2:]:
    print(json.dumps(json.loads(text).get(key), separators=(",", ":"), ensure_ascii=False))
