#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Interrupt the marking of a class, and go on: what was marked is in the gradebook, whole, and stays.  Mark one slow
submission several times on a busy machine: the marks are equal.

  class.py PEAL ASSIGNMENT"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

wrong = []


def check(name, good, shown=''):
    print('ok' if good else 'FAILED', name, '' if good else shown)
    if not good:
        wrong.append(name)


# Right, and slow: its proofs and their confirmation compute for less than a quarter of the time that it has.
SLOW = """#include <peal/peal.h>
#include <string.h>
void slow(struct peal_node *me, const void *in, size_t m, void *out)
{
    char *all = out;
    int P = peal_size(me), r = peal_rank(me);
    size_t bytes = m * peal_word_bytes(me);
    memcpy(all + (size_t)r * bytes, in, bytes);
    for (volatile int i = 0; i < 200000; i++)
        ;
    for (int t = 1; t < P; t++)
        peal_sendrecv(me, in, m, (r + t) % P, all + (size_t)((r - t + P) % P) * bytes, m, (r - t + P) % P);
}
"""
TESTS = """[assignment]
collective = allgather
symbol = slow
sizes = 1
nodes = 2:6
total_timeout = 8
[test a]
[test b]
delivery = eager:1
[test c]
max_rounds = P-1
[test d]
max_words = m*(P-1)
"""


def mark_equals(peal, folder):
    """Copies of the slow one, of which the last has the free places, while others have the processors."""
    (folder / 'slow.ini').write_text(TESTS)
    names = [f'slow{i}.c' for i in range(4)]
    for name in names:
        (folder / name).write_text(SLOW)
    with contextlib.ExitStack() as stack:
        for _ in range(2 * len(os.sched_getaffinity(0))):
            other = stack.enter_context(subprocess.Popen([sys.executable, '-c', 'while True: pass']))
            stack.callback(other.kill)
        done = subprocess.run([peal, 'grade', 'slow.ini', *names, '--jobs', '4', '--json'], cwd=folder, capture_output=True,
                              text=True, check=False)
    marks = [(one['file'], one['points'], [test['notes'] for test in one['tests']])
             for one in json.loads(done.stdout)['submissions']]
    check('equal files have equal marks on a busy machine', all(points == 4 for _, points, _ in marks), marks)


def read(path):
    """The gradebook: whether it is complete, and its submissions by file."""
    book = json.loads(path.read_text())
    return book['complete'], {one['file']: one for one in book['submissions']}


def main():
    peal, assignment = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    os.environ.setdefault('CFLAGS', '-O0')
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade')
        return 77
    with tempfile.TemporaryDirectory() as place:
        folder, book, rows = pathlib.Path(place), pathlib.Path(place) / 'marks.json', pathlib.Path(place) / 'marks.csv'
        for number in range(8):
            (folder / 'class' / f's{number}').mkdir(parents=True)
            source = (assignment / 'solution.c').read_text() + f'/* {number} */\n'
            (folder / 'class' / f's{number}' / 'mine.c').write_text(source)
        command = [peal, 'grade', assignment / f'{assignment.name}.ini', 'class', f'--json={book.name}',
                   f'--csv={rows.name}', '--jobs', '2']
        with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, start_new_session=True) as process:
            while b'10/10' not in process.stdout.readline():  # the first one is printed after it is written
                pass
            os.killpg(process.pid, signal.SIGINT)
            process.stdout.read()
        check('the signal ends it', process.returncode == -signal.SIGINT, process.returncode)
        complete, before = read(book)
        check('the gradebook is whole and says that it is not complete', not complete and 0 < len(before) < 8, before.keys())
        check('so are the rows', len(rows.read_text().splitlines()) in (len(before), len(before) + 1, len(before) + 2),
              rows.read_text())
        left = sorted(p.name for p in folder.iterdir())
        check('no temporary file is left', left == ['class', 'marks.csv', 'marks.json'], left)
        done = subprocess.run([*command, '--resume'], cwd=place, capture_output=True, text=True, check=False)
        complete, after = read(book)
        check('it goes on to the end', done.returncode == 0 and complete and len(after) == 8, done.stderr)
        check('what was marked is not marked again', all(after[f] == before[f] for f in before))
        check('all have their marks', all(one['points'] == 10 for one in after.values()))
        mark_equals(peal, folder)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
