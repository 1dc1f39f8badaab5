#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make usual mistakes in the solutions of assignments, and see that what is said of them does not mislead.

  feedback.py PEAL ASSIGNMENTS [NAME...]"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GATHER, TREE = 'bucket-allgather', 'tree-reduce'
SPECS = {
    GATHER: 'collective = allgather\nsymbol = my_allgather\nsizes = {sizes}\nnodes = {nodes}\n',
    TREE: 'collective = reduce\nsymbol = my_reduce\nsizes = {sizes}\nnodes = {nodes}\nroots = 0\n',
}
LAST = re.compile(r'\n\}\n\Z')  # the end of a solution
# name: (assignment, nodes, sizes, what is replaced, by what, what is said, what is not)
MISTAKES = {
    # loops
    'steps_of_two': (GATHER, 2, 0, 't < P - 1; t++', 't != P - 1 + P % 2; t += 2', r'rounds: see that the loops', r'size_t'),
    'counts_down': (TREE, 2, 1, 'for (int mask', 'for (size_t i = n; i >= 0; i--)\n        (void)i;\n    for (int mask',
                    r'a size_t is never below 0', r'ends on node'),
    'from_the_last': (TREE, 1, 0, 'for (int mask', 'for (size_t i = n - 1; i > 0; i--) ((uint64_t *)a)[i]++;\n    for (int mask',
                      r'n - 1 is not -1', r'the first word is number 0'),
    # accesses
    'far_beyond': (GATHER, 2, 1, LAST, '\n    blocks[(size_t)P * m + 5] = 1;\n}\n',
                   r'node 0 writes word 7 of its `out`, which has 2 words', r'node 1\'s|-\d'),
    'beyond_the_last': (GATHER, 1, 1, LAST, '\n    blocks[(size_t)P * m + 8] = 1;\n}\n',
                        r'node 0 writes word 9 of its `out`, which has 1 word', r'crash'),
    'where_none_are': (GATHER, 1, 0, LAST, '\n    blocks[(size_t)P * m + 5] = 1;\n}\n', r'no words here, so no word 5', r'leave out the access then'),
    # free
    'frees_out': (GATHER, 1, 1, LAST, '\n    free(out);\n}\n', r':\d+: node 0 passes its `out` to free, but it is the caller\'s', r'abort'),
    'reallocates_out': (GATHER, 1, 1, LAST, '\n    out = realloc(out, 99);\n    (void)out;\n}\n', r'passes its `out` to realloc', r'abort'),
    'peal_frees_in': (GATHER, 1, 1, LAST, '\n    peal_free(me, (void *)(uintptr_t)in);\n}\n', r'passes its `in` to peal_free', r'crash'),
    'frees_the_words': (TREE, 1, 1, 'peal_free(me, sum);', 'free(sum);', r'frees by free what it allocated with peal_alloc at', r'NULL'),
    'peal_frees_malloc': (TREE, 1, 1, '*part = peal_alloc(me, n);', '*part = malloc(8 * n);',
                          r'frees by peal_free what it allocated with malloc at', r'crash'),
    'peal_frees_an_array': (TREE, 1, 1, 'void *sum = peal_alloc(me, n), *part = peal_alloc(me, n);',
                            'uint64_t room[9];\n    void *sum = peal_alloc(me, n), *part = room;',
                            r'frees memory that does not begin a block from peal_alloc: its stack', r'crash'),
    'frees_the_middle': (TREE, 1, 1, LAST, '\n    char *b = malloc(9);\n    free(b + 1);\n}\n',
                         r'byte 1 of the 9 bytes that it allocated with malloc', r'abort'),
    'peal_frees_twice': (TREE, 1, 1, 'peal_free(me, part);', 'peal_free(me, part);\n    peal_free(me, part);',
                         r'with peal_alloc at \S+ a second time; the first time at \S+:\d', r'crash'),
}


def write(folder, assignments, names):
    """The submissions, and an assignment for each pair of nodes and sizes; gives them by assignment."""
    by_spec = {}
    for name in names:
        assignment, nodes, sizes, old, new, *_ = MISTAKES[name]
        source = (assignments / assignment / 'solution.c').read_text()
        made = old.sub(lambda _, new=new: new, source) if isinstance(old, re.Pattern) else source.replace(old, new)
        assert made != source, name
        path = folder / f'{name}.c'
        path.write_text('#include <stdlib.h>\n' + made)
        spec = folder / f'{assignment}-{nodes}-{sizes}.ini'
        spec.write_text('[assignment]\n' + SPECS[assignment].format(nodes=nodes, sizes=sizes) + 'timeout = 1\n[test all]\n')
        by_spec.setdefault(spec, []).append(path)
    return by_spec


def main():
    peal, assignments = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    os.environ.setdefault('CFLAGS', '-O0')
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade')
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        for spec, files in write(pathlib.Path(place), assignments, sys.argv[3:] or MISTAKES).items():
            done = subprocess.run([peal, 'grade', spec, *files, '--json'], capture_output=True, text=True, check=False)
            for one in json.loads(done.stdout)['submissions']:
                said, unsaid = MISTAKES[pathlib.Path(one['file']).stem][5:]
                notes = (one['messages'] or '') + '\n'.join(test['notes'] for test in one['tests'])
                text = '\n'.join(line for line in notes.splitlines() if 'rerun:' not in line)
                if one['points'] or not re.search(said, text) or re.search(unsaid, text):
                    print(f'{one["file"]}: expected {said}, and not {unsaid}, got:\n{notes}')
                    bad += 1
    print(f'{len(MISTAKES)} mistakes; of {bad} something else is said')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
