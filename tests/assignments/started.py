#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write assignments by peal new, and grade what it wrote: the solution has full marks, the starter compiles, and the
wrong one loses what its head says.

  started.py PEAL [OPTIONS...]        each one word: "--collective reduce --mpi\""""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from assignments import MISUSED, grade, run_handout

PROOFS = ('broadcast', 'scatter', 'gather', 'reduce', 'allgather', 'reduce-scatter', 'allreduce', 'alltoall', 'scan',
          'exscan', 'shift', 'multicast', 'barrier')
OTHERS = ('scatter --mpi', 'reduce --mpi', 'exscan --mpi', 'allgather -t torus:2x2', 'broadcast -t hypercube:2',
          'allreduce --mpi -t ring:3')


def differs(peal, folder, options):
    """What is wrong with this assignment: a list of sentences."""
    done = subprocess.run([peal, 'new', 'assignment', folder.name, *options.split()], capture_output=True, text=True,
                          check=False, cwd=folder.parent)
    if done.returncode != 0:
        return [f'peal new ends with {done.returncode}: {done.stderr}']
    files = [folder / name for name in ('solution.c', 'starter.c', 'wrong/first.c')]
    marks, bad = grade(peal, folder, files), []
    losses = set(re.findall(r'^ \*   loses    (.*)$', files[-1].read_text(), re.M))
    names = {test['name'] for test in marks['submissions'][0]['tests']}
    for path, marked in zip(files, marks['submissions']):
        lost = {test['name'] for test in marked['tests'] if not test['passed']}
        should = {'solution.c': set(), 'starter.c': names, 'first.c': losses}[path.name]
        if not marked['compiles'] or lost != should or not set() < losses <= names:
            bad.append(f'{path.name} loses {sorted(lost)}, expected {sorted(should)}: {marked["messages"]} '
                       f'{[test["notes"] for test in marked["tests"] if test["name"] in lost ^ should]}')
    count, wrong = run_handout(peal, folder)
    if wrong or (count == 0 and '--mpi' not in options):
        bad.append(f'{wrong} of {count} commands of the handout are misused')
    return bad


def main():
    peal, bad = os.path.abspath(sys.argv[1]), 0
    os.environ.setdefault('CFLAGS', '-O0 -Wall -Wextra -Werror')
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode in MISUSED:
        print('this build has no peal grade')
        return 77
    asked = sys.argv[2:] or [f'--collective {options}' for options in PROOFS + OTHERS]
    with tempfile.TemporaryDirectory() as name:
        for number, options in enumerate(asked):
            for sentence in differs(peal, pathlib.Path(name) / f'a{number}', options):
                print(f'{options}: {sentence}')
                bad += 1
    print(f'{len(asked)} assignments, {bad} wrong')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
