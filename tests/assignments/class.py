#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Interrupt the marking of a class, and go on: what was marked is in the gradebook, whole, and stays.

  class.py PEAL ASSIGNMENT"""
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
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
