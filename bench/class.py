#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mark a class: ordinary submissions, the solution, the starter and the wrong ones in turns, each a file of its own.

  class.py PEAL ASSIGNMENT-FOLDER [SUBMISSIONS] [--stuck] [--jobs N]        150 of them, twice as many at once as processors

--stuck: one more sleeps, and one computes, for ever.

Prints the wall time, the processor time of all processes, the most memory that one process of any submission
had, times the processes that mark at once, and how many submissions have how many points."""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

STUCK = {'sleeps': 'for (;;)\n        sleep(1000);', 'computes': 'for (volatile int on = 1; on;)\n        on++;'}


def stuck(source, body):
    """The source, whose first own function begins with the body."""
    return re.sub(r'(?m)^(my_\w+\([^{;]*\)\n\{\n)', r'\1    ' + body.replace('\n', '\\n') + '\n',
                  '#include <unistd.h>\n' + source, count=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('peal', type=os.path.abspath)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('submissions', type=int, nargs='?', default=150)
    parser.add_argument('--stuck', action='store_true')
    parser.add_argument('--jobs', type=int, default=2 * len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    folder = given.folder.resolve()
    solution = (folder / 'solution.c').read_text()
    kinds = [solution, *(path.read_text() for path in (folder / 'starter.c', *sorted((folder / 'wrong').glob('*.c'))))]
    sources = [kinds[i % len(kinds)] + f'/* {i} */\n' for i in range(given.submissions)]
    sources[1:1] = [stuck(solution, body) for body in STUCK.values()] if given.stuck else []
    with tempfile.TemporaryDirectory() as name:
        submissions = pathlib.Path(name) / 'class'
        for i, source in enumerate(sources):
            student = submissions / f's{i:03}'
            student.mkdir(parents=True)
            (student / 'mine.c').write_text(source)
        begin = time.monotonic()
        done = subprocess.run([given.peal, 'grade', folder / f'{folder.name}.ini', submissions, '--jobs', str(given.jobs),
                               '--json'], capture_output=True, text=True, check=False)
        wall = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    marks = json.loads(done.stdout)['submissions']
    assert len(marks) == len(sources) and all(one['compiles'] for one in marks), done.stderr
    print(f'{len(marks)} submissions, {given.jobs} at once: {wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor '
          f'time ({used.ru_utime:.1f} user), {given.jobs} x {max(one["peak_bytes"] for one in marks) / 2**20:.0f} MiB at most')
    for points, count in sorted(collections.Counter(one['points'] for one in marks).items()):
        print(f'{count:4} with {points:g} points')


if __name__ == '__main__':
    main()
