#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check who calls whom in the built library: symbols.py BUILD [PLANTED.a].

A layer may use names of layers before it only; the order is the one written in layers.sh.  Files of one room use one another
without a circle, except for those of CIRCLES.  Prints each name that a layer takes from a later one, and each circle, and exits
1 if there is any.  PLANTED.a is one more archive of the first layer, and a room of its own: its names must be refused.
"""
import os
import re
import subprocess
import sys

# Circles that stay: the files, and why.
CIRCLES = {
    ('breakpoints', 'prover'): 'cases that are found while cases are run: breakpoints runs them as prover does',
    ('call_computing', 'call_prelude'): 'what every call of MPI begins with charges computing, and so do calls of the program itself',
    ('call_mpi_node', 'coll_judged'): 'a node that a check makes calls as a program does, from MPI_Init to MPI_Finalize',
}

OPTIONAL = {'marking'}  # not in every build


def order():
    """The layers as layers.sh lists them, first to last."""
    with open(os.path.join(os.path.dirname(__file__), 'layers.sh'), encoding='utf-8') as script:
        return re.search(r"^layers='([^']*)'", script.read(), re.MULTILINE).group(1).split()


def archive(build, layer):
    if layer == 'algorithms':
        return os.path.join(build, 'algorithms', 'libalgorithms.a')
    return os.path.join(build, 'lib', layer, f'lib{layer}.a')


def symbols(paths):
    """Of each object in these files, or archives, the global names that it defines, and those that it uses."""
    names = {}
    for line in subprocess.run(['nm', '-g', '-A', *paths], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, words = line.rpartition(':')
        words = words.split()
        defined, used = names.setdefault(path, (set(), set()))
        if len(words) == 3:
            defined.add(words[2])
        elif len(words) == 2 and words[0] == 'U':
            used.add(words[1])
    return names


def upwards(build, planted):
    """The names that layers take from later ones."""
    layers = order()
    place, uses = {}, []
    for number, layer in enumerate(layers):
        if layer in OPTIONAL and not os.path.exists(archive(build, layer)):
            continue
        for defined, used in symbols([archive(build, layer)] + (planted if number == 0 else [])).values():
            for name in defined:
                place.setdefault(name, number)
            uses.append((number, used))
    if not any(used for _, used in uses):
        sys.exit(f'symbols.py: {build} has no archives of the layers')
    broken = sorted((layers[number], name, layers[place[name]]) for number, used in uses for name in used
                    if place.get(name, -1) > number)
    return [f'{layer} uses {name}, which {other} defines: {other} comes after {layer}' for layer, name, other in broken]


def rooms(build):
    """The objects of each layer, of mpi, and of the command."""
    folders = [archive(build, layer) for layer in order()]
    for folder in folders + [os.path.join(build, 'mpi', 'libpealmpi.so'), os.path.join(build, 'tools', 'peal')]:
        if os.path.isdir(folder + '.p'):
            paths = [os.path.join(folder + '.p', name) for name in os.listdir(folder + '.p')]
            yield os.path.basename(os.path.dirname(folder)), [path for path in paths if path.endswith('.o')]


def circles(paths):
    """The sets of objects that reach one another by the names they use: the names of their files."""
    names = symbols(paths)
    definer = {name: path for path, (defined, _) in names.items() for name in defined}
    reached = {path: {definer[name] for name in used if name in definer} - {path} for path, (_, used) in names.items()}
    for through in names:
        for path in names:
            if through in reached[path]:
                reached[path] |= reached[through]
    found = {frozenset([path] + [other for other in reached[path] if path in reached[other]]) for path in names}
    return sorted(sorted(re.sub(r'^peal_|\.c\.o$', '', re.split('[/:]', path)[-1]) for path in circle)
                  for circle in found if len(circle) > 1)


def main():
    build, planted = sys.argv[1], sys.argv[2:]
    broken = upwards(build, planted)
    kept = set()
    for room, paths in [*rooms(build), *(('planted', [path]) for path in planted)]:
        for circle in circles(paths):
            kept.add(tuple(circle))
            if tuple(circle) not in CIRCLES:
                broken.append(f'{room}: {", ".join(circle)} use one another in a circle')
    broken += [f'{", ".join(circle)} are no longer a circle: take them off the list' for circle in CIRCLES if circle not in kept]
    print(*broken, sep='\n', end='\n' if broken else '')
    return 1 if broken else 0


sys.exit(main())
