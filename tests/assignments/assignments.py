#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grade the files in an assignment's folder, and check that each gets the expected points.

  assignments.py PEAL FOLDER...

The solution must have full marks and the starter must compile and have none.  Each file in wrong/ says in its head which
tests it loses, a line each, and must lose exactly these.  The commands of the handout must run: they may find something
wrong, but not be misused."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MISUSED = (2, 3, 4)


def head_of(path):
    return path.read_text().split('"""' if path.suffix == '.py' else '*/', 2)[1]


def ending_of(folder):
    return '.py' if (folder / 'solution.py').exists() else '.c'


def losses_told(path):
    """The tests that a wrong file says it loses."""
    return {line.strip() for line in re.findall(r'^(?: \*)?  +loses    (.*)$', head_of(path), re.M)}


def grade(peal, folder, files):
    spec = folder / f'{folder.name}.ini'
    done = subprocess.run([peal, 'grade', spec, *files, '--json'], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f'{spec}: peal grade ended with {done.returncode}: {done.stderr}')
    return json.loads(done.stdout)


def compare(peal, folder):
    """Print each difference; return the numbers of checks and of differences."""
    ending = ending_of(folder)
    wrongs = sorted((folder / 'wrong').glob('*' + ending))
    files = [folder / ('solution' + ending), folder / ('starter' + ending), *wrongs]
    marks, bad = grade(peal, folder, files), 0
    names = {t['name'] for t in marks['submissions'][0]['tests']}
    if len(wrongs) < 5:
        print(f'{folder.name}: only {len(wrongs)} wrong submissions')
        bad += 1
    for path, marked in zip(files, marks['submissions']):
        lost = {t['name'] for t in marked['tests'] if not t['passed']}
        should = set() if path.stem == 'solution' else names if path.stem == 'starter' else losses_told(path)
        if not marked['compiles']:
            print(f'{path}: does not compile: {marked["messages"]}')
        elif lost != should:
            print(f'{path}: loses {sorted(lost)}, and should lose {sorted(should)}')
            for t in marked['tests']:
                if t['name'] in lost - should:
                    print(f'    {t["name"]}: {t["notes"]}')
        bad += not marked['compiles'] or lost != should
    for path in wrongs:
        if not losses_told(path) or not losses_told(path) <= names:
            print(f'{path}: its head must say which tests it loses, of {sorted(names)}')
            bad += 1
    table = ''.join((folder / 'README.md').read_text().split('## Marks')[1:])
    points = sum(int(n) for n in re.findall(r'^\| (\d+) \|', table, re.M)) * (2 if 'each of the two' in table else 1)
    if points != marks['max_points']:
        print(f'{folder}/README.md: its marks add up to {points}, not to {marks["max_points"]}')
        bad += 1
    return len(files) + 1, bad


def run_handout(peal, folder):
    """Run the commands of the handout that are not about grading: that is done above."""
    lines = re.findall(r'^(peal (?!grade).*)$', (folder / 'README.md').read_text(), re.M)
    bad = 0
    for line in lines:
        done = subprocess.run([peal, *line.split()[1:]], capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode in MISUSED:
            print(f'{folder.name}: {line}\nends with {done.returncode}: {done.stderr}')
            bad += 1
    return len(lines), bad


def grade_given(peal, folder):
    """Grade the starter with nothing but the files that are given out: it is marked as beside the solution."""
    with tempfile.TemporaryDirectory() as name:
        given = pathlib.Path(name) / folder.name
        given.mkdir()
        ending = ending_of(folder)
        for file in ('README.md', 'starter' + ending, 'driver' + ending, 'reference' + ending, f'{folder.name}.ini'):
            if (folder / file).exists():
                shutil.copy(folder / file, given)
        marks = grade(peal, given, [given / ('starter' + ending)])['submissions'][0]
    if marks['compiles'] and marks['points'] == 0:
        return 1, 0
    print(f'{folder.name}: with the files given out the starter gets {marks["points"]}: {marks["messages"]}')
    return 1, 1


def main():
    peal, looked, bad = os.path.abspath(sys.argv[1]), 0, 0
    os.environ.setdefault('CFLAGS', '-O0')  # most of the time is the compiler's
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade')
        return 77
    for name in sys.argv[2:]:
        folder = pathlib.Path(name).resolve()
        for count, wrong in (compare(peal, folder), run_handout(peal, folder), grade_given(peal, folder)):
            looked, bad = looked + count, bad + wrong
    print(f'{looked} looked at, {bad} wrong')
    return 1 if bad or not looked else 0


if __name__ == '__main__':
    sys.exit(main())
