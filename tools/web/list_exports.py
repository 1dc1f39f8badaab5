#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print what the module exports for node programs, for emcc: list_exports.py NAMES HEADER...

NAMES lists the functions of the C library and the module's own.  A header exports what it declares for programs; of the functions
that mpi.h lists, the names with a P, by which program.js finds both.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'tests', 'headers'))
from exports import names_of  # noqa: E402  # pylint: disable=wrong-import-position

with open(sys.argv[1], encoding='utf-8') as text:
    names = {name for line in text if not line.startswith('#') for name in line.split()}
names.update(names_of([path for path in sys.argv[2:] if path.endswith('.h')]))
for path in (path for path in sys.argv[2:] if path.endswith('.def')):
    with open(path, encoding='utf-8') as text:
        names.update('PMPI_' + name for name in re.findall(r'^PEAL_MPI(?:_ABSENT)?\([^,]*, (\w+),', text.read(), re.MULTILINE))
print(json.dumps(['_' + name for name in sorted(names)]))
