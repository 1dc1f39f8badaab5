#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print C source that defines the text of each file: new_program for program.c.in, ...: embed.py FILE..."""
import json
import os
import sys

print('/* Made of tools/peal/new/ by embed.py. */\n#include "new/template.h"')
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    print(f"\nconst char new_{os.path.basename(path).split('.')[0]}[] =")
    print("\n".join("    " + json.dumps(line + "\n", ensure_ascii=False) for line in lines) + ";")
