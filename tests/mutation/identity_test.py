#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A mutant's name in survivors.txt does not depend on how the source is formatted."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutate import Catalogue, mutants_of  # noqa: E402
from source import Source  # noqa: E402


def reformatted(source):
    """The same tokens with other white space; directives stay on lines of their own."""
    spaces = (' ', '\n', '\n\t ')
    return ''.join(f'\n{t.text}\n' if t.kind == 'directive' else t.text + spaces[i % 3] for i, t in enumerate(source.tokens))


def main():
    catalogue, wrong, count = Catalogue(), 0, 0
    for path, source in catalogue.sources.items():
        names = [m.identity() for m in mutants_of(catalogue, path)]
        count += len(names)
        catalogue.sources[path] = Source(path, reformatted(source))
        others = [m.identity() for m in mutants_of(catalogue, path)]
        if others != names:
            one, other = next(((a, b) for a, b in zip(names, others) if a != b), (len(names), len(others)))
            print(f'{path}: {one}\nreformatted: {other}')
            wrong += 1
        if len(set(names)) != len(names):
            print(f'{path}: two mutants have one name')
            wrong += 1
        catalogue.sources[path] = source
    print(f'{count} mutants of {len(catalogue.sources)} files, {wrong} wrong')
    return wrong > 0 or count == 0


sys.exit(main())
