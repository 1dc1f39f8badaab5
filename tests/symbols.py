#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check who calls whom in the built library: symbols.py BUILD [PLANTED.a].

A layer may use names of layers before it only; the order is the one written in layers.sh.  Prints each name that a layer
takes from a later one and exits 1 if there is any.  PLANTED.a is one more archive of the first layer: its names must be refused.
"""
import os
import re
import subprocess
import sys


def order():
    """The layers as layers.sh lists them, first to last."""
    with open(os.path.join(os.path.dirname(__file__), 'layers.sh'), encoding='utf-8') as script:
        return re.search(r"^layers='([^']*)'", script.read(), re.MULTILINE).group(1).split()


def archive(build, layer):
    if layer == 'algorithms':
        return os.path.join(build, 'algorithms', 'libalgorithms.a')
    return os.path.join(build, 'lib', layer, f'lib{layer}.a')


def symbols(path):
    """The global names that an archive defines, and those that it uses."""
    defined, used = set(), set()
    for line in subprocess.run(['nm', '-g', path], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3:
            defined.add(words[2])
        elif len(words) == 2 and words[0] == 'U':
            used.add(words[1])
    return defined, used


def main():
    build, planted = sys.argv[1], sys.argv[2:]
    layers = order()
    place, uses = {}, []
    for number, layer in enumerate(layers):
        for path in [archive(build, layer)] + (planted if number == 0 else []):
            defined, used = symbols(path)
            for name in defined:
                place.setdefault(name, number)
            uses.append((number, used))
    if not any(used for _, used in uses):
        sys.exit(f'symbols.py: {build} has no archives of the layers')
    broken = sorted((layers[number], name, layers[place[name]]) for number, used in uses for name in used
                    if place.get(name, -1) > number)
    for layer, name, other in broken:
        print(f'{layer} uses {name}, which {other} defines: {other} comes after {layer}')
    return 1 if broken else 0


sys.exit(main())
