#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mark a class of tree-reduce: ordinary submissions, the solution and the wrong ones in turns, each a file of its own.

  class.py PEAL TREE-REDUCE-FOLDER [SUBMISSIONS]        150 of them

Prints the wall time, the processor time of all processes, and the most memory that one process of any submission
had, times the processes that mark at once."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time


def main():
    peal, folder, count = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), int((sys.argv[3:] or [150])[0])
    sources = [folder / 'solution.c', folder / 'starter.c', *sorted((folder / 'wrong').glob('*.c'))]
    jobs = 2 * len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        submissions = pathlib.Path(name) / 'class'
        for i in range(count):
            student = submissions / f's{i:03}'
            student.mkdir(parents=True)
            (student / 'reduce.c').write_text(sources[i % len(sources)].read_text() + f'/* {i} */\n')
        begin = time.monotonic()
        done = subprocess.run([peal, 'grade', folder / 'tree-reduce.ini', submissions, '--jobs', str(jobs), '--json'],
                              capture_output=True, text=True, check=False)
        wall = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    marks = json.loads(done.stdout)['submissions']
    assert len(marks) == count and all(one['compiles'] for one in marks)
    print(f'{count} submissions, {jobs} at once: {wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor time '
          f'({used.ru_utime:.1f} user), {jobs} x {max(one["peak_bytes"] for one in marks) / 2**20:.0f} MiB at most')


if __name__ == '__main__':
    main()
