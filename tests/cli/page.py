#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the blocks of a page of peal beside its document, or these members of it, one per line: page.py PAGE|- [MEMBER]..."""
import json
import re
import sys

with (sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="utf-8")) as file:
    page = json.loads(re.search(r'<script type="application/json" id="peal-page">(.*?)</script>', file.read(), re.S)[1])
for key in sys.argv[2:]:
    print(json.dumps(page.get(key), separators=(",", ":"), ensure_ascii=False))
if len(sys.argv) == 2:
    print(f"{page['name']}, {page['document']['schema']}")
    for key in ("blocks", "observed"):
        if page.get(key):
            print(key, json.dumps(page[key]))
    if page.get("blocks_absent"):
        print("no blocks:", page["blocks_absent"])
