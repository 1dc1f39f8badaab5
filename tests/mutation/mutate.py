#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make mutants of the catalogue's algorithms, and see whether the checker finds each wrong.

  mutate.py BUILD                    every file: a table by file and
                                     by kind; exit 1 if a mutant survives that survivors.txt does not list, or one is
                                     listed that is found wrong
  mutate.py BUILD FILE...            only these: scatter/binomial.c, trees.c
  mutate.py BUILD --sample N         N mutants, the same every time
  mutate.py BUILD --show FILE        list the mutants of a file
  mutate.py BUILD --json OUT         write the verdict of each, after every file
  mutate.py BUILD --json OUT --resume
                                     mutants in OUT are not run again
  mutate.py BUILD --minutes M        files in a random order, always the same, until the time is up

BUILD is a directory built with meson, without sanitizers.  A file's mutants are compiled into one shared object, in which
every function has a copy for each of its mutants and a number chooses among them; copies that compile to the same
instructions as the original, or as an earlier mutant, are left out.  runner.c then checks each as `peal check` does.
Files beside the collectives' folders are shared by several algorithms: their mutants are checked by all
algorithms that call the mutated function, until one finds it wrong."""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kinds import KINDS  # noqa: E402
from source import STATEMENTS, Source, tokens_of  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / 'algorithms'
FRAME = TOP / 'lib' / 'collective'
FRAME_FILES = ['blocks.c', 'shape.c', 'closed.c']  # of which algorithms call functions
ROOMS = {'peal_alloc', 'peal_scratch', 'pieces_room', 'list_with_room', 'bundle_with_room', 'ints_room'}
SAME = ('survived same', 'survived elsewhere')


# ---------------------------------------------------------------- callers and callees

def file_of(path):
    """The file with this path in the catalogue."""
    return FRAME / path if path in FRAME_FILES else HERE / path


class Catalogue:
    """All files of algorithms, and which algorithm runs which function."""

    def __init__(self):
        lines = (HERE / 'catalog.def').read_text()
        self.names = re.findall(r'^ALGORITHM\((\w+), (\w+)\)', lines, re.M)
        paths = [f'{c}/{a}.c' for c, a in self.names]
        paths += sorted(f'patterns/{p.name}' for p in (HERE / 'patterns').glob('*.c')) + FRAME_FILES
        self.sources = {p: Source(p, file_of(p).read_text()) for p in paths}
        self.public = {f.name: (p, f.name) for p, s in self.sources.items() for f in s.functions.values() if not f.static}
        self.runs = {f'{c}_{a}': (f'{c}/{a}.c', self.run_of(self.sources[f'{c}/{a}.c'])) for c, a in self.names}
        self.used_by = collections.defaultdict(list)  # when they run
        self.priced_by = collections.defaultdict(list)  # in their closed forms
        for collective, algorithm in self.names:
            text = '\n'.join(self.sources[f'{collective}/{algorithm}.c'].lines)
            name = re.search(r'\.name\s*=\s*"([^"]+)"', text).group(1)
            named = f'{collective.replace("_", "-")}/{name}'
            numbered = [named] + [f'{named}:{number}' for number in self.numbers_of(text)]
            path = f'{collective}/{algorithm}.c'
            for function in self.reached(self.runs[f'{collective}_{algorithm}']):
                self.used_by[function] += numbered
            other = re.search(r'\.costs_as\s*=\s*&(\w+)', text)
            if other:
                path, text = self.runs[other.group(1)][0], '\n'.join(self.sources[self.runs[other.group(1)][0]].lines)
            cost = re.search(r'\.cost\s*=\s*(\w+)', text).group(1)
            for function in self.reached((path, cost) if cost in self.sources[path].functions else self.public[cost]):
                self.priced_by[function] += numbered[:1] + [f'{named}:{n}' for n in (3, 4, 5) if len(numbered) > 1]

    @staticmethod
    def numbers_of(text):
        """Numbers to try after the name of an algorithm that takes one, besides its own choice."""
        least = re.search(r'\.parameter\s*=.*?\.least = (\d+)', text)
        return sorted({max(int(least.group(1)), n) for n in (1, 2, 3, 5)}) if least else []

    @staticmethod
    def run_of(source):
        """The name after .run.COLLECTIVE = ."""
        texts = [t.text for t in source.tokens]
        at = next(i for i in range(1, len(texts)) if texts[i:i + 3] == ['.', 'run', '.'] and texts[i - 1] in '{,')
        return texts[at + 5]

    def reached(self, start):
        seen, todo = set(), [start]
        while todo:
            path, name = function = todo.pop()
            source = self.sources[path]
            if function in seen or name not in source.functions:
                continue
            seen.add(function)
            for other in source.functions[name].names:
                if other in source.functions:
                    todo.append((path, other))
                elif other in self.public:
                    todo.append(self.public[other])
                elif other in self.runs:
                    todo.append(self.runs[other])
        return seen

    def functions_of(self, path):
        """The functions of a file that some algorithm runs unchanged."""
        return [f for f in self.sources[path].functions.values() if self.users_of(path, f)[1]]

    def users_of(self, path, function):
        """What a function is part of, `run` or `cost` alone, and the algorithms."""
        place = (path, function.name)
        return ('run', self.used_by[place]) if self.used_by[place] else ('cost', self.priced_by[place])


# ---------------------------------------------------------------- one file's mutants

TIGHT = {'(', '[', '!', '~', '->', '.', '++', '--'}  # no space after these, and none before the next
LOOSE = {')', ']', ',', ';', '->', '.', '++', '--'}


def plain(texts):
    """Tokens with the same white space whatever it was in the source; an edit, [-old-]{+new+}, is one of them."""
    out, before = '', '('
    for text in texts:
        first, last = (text[2:].split(' ')[0], text[:-2].split(' ')[-1]) if text.startswith('[-') else (text, text)
        call = first in ('(', '[') and re.fullmatch(r'\w+|[)\]]', before) and before not in STATEMENTS
        out += ('' if before in TIGHT or first in LOOSE or call else ' ') + text
        before = last
    return out


class Mutant:
    def __init__(self, number, function, kind, edits):
        self.number, self.function, self.kind, self.edits = number, function, kind, edits
        self.again = 0  # so many before it have the same text
        self.fate = None
        self.part = None  # 'run', or 'cost': of a closed form alone

    def survives(self):
        return self.fate.startswith('survived')

    def is_same(self):
        """Whether it sent the same as the original, or gave the same closed forms, in every run in which they were compared;
        or gave other closed forms, all of which hold, and all that are promised."""
        return self.fate.startswith(SAME)

    def difference(self):
        """The pieces it changes, with [-the old text-] and {+the new text+}.  White space has no meaning, so that the
        text is the same however the source is formatted."""
        source, pieces = self.function.source, self.function.pieces
        changed = sorted({pieces[i] for i in self.edits})
        out, i, end = [], self.function.body, self.function.end
        while i < end:
            last = i + 1
            if i in self.edits:
                while last in self.edits:
                    last += 1
                new = ' '.join(self.edits[k].strip() for k in range(i, last) if self.edits[k].strip())
                old = plain(source.tokens[k].text for k in range(i, last))
                out.append(f'[-{old}-]{{+{plain(t.text for t in tokens_of(new))}+}}')
            elif pieces[i] in changed:
                out.append(source.tokens[i].text)
            i = last
        return plain(out).replace('{+;+}', '')

    def identity(self):
        again = f' (#{self.again + 1})' if self.again else ''
        return f'{self.function.source.path} {self.function.name}, {self.kind}: {self.difference()}{again}'


def rooms(function):
    """The tokens that say how much memory is taken: more of it is as right, less is a matter of memory."""
    found = {i for c in function.calls if c.name in ROOMS for i in range(c.arguments[0][1] + 1, c.end)}
    for s in function.statements:
        if s.kind == 'declaration':
            found |= {i + 1 for i in range(s.first, s.end) if function.text(i) == '[' and function.text(i + 3) in ',;'}
    return found


def mutants_of(catalogue, path):
    mutants, seen = [], set()
    for function in catalogue.functions_of(path):
        if function.parameters() is None:
            continue
        room = rooms(function)
        for kind, make in KINDS.items():
            for edits in make(function):
                key = (function.name, tuple(sorted(edits.items())))
                if key not in seen and not set(edits) & room:
                    seen.add(key)
                    mutants.append(Mutant(len(mutants) + 1, function, kind, edits))
    seen = collections.Counter()
    for mutant in mutants:
        name = mutant.identity()
        mutant.again = seen[name]
        seen[name] += 1
    return mutants


def signature(function, name):
    """`static` and the function's signature under another name."""
    at = next(i for i in range(function.first, function.body) if function.text(i) == function.name)
    text = function.source.render(function.first, function.body, rename=(at, name))
    return '__attribute__((noinline)) ' + (text if function.static else 'static ' + text)


def schemata(source, mutants):
    """The file with every function as a choice among its mutants."""
    of = collections.defaultdict(list)
    for mutant in mutants:
        of[mutant.function.name].append(mutant)
    out, at = ['extern int mutant;\n'], 0
    for function in source.functions.values():
        if function.name not in of:
            continue
        out.append(source.render(at, function.first) + '\n')
        head = source.render(function.first, function.body)
        out.append(head + ';\n')
        for number, edits in [(0, {})] + [(m.number, m.edits) for m in of[function.name]]:
            body = source.render(function.body, function.end, edits)
            out.append(f'#line 1 "mutant {number}"\n{signature(function, f"{function.name}__{number}")}\n{body}\n')
        call = ', '.join(function.parameters())
        back = 'return ' if function.returns() != ['void'] else ''
        out.append('#line 1 "choice"\n__attribute__((noinline)) ' + head + '{ switch (mutant) {\n')
        for m in of[function.name]:
            out.append(f'case {m.number}: {back}{function.name}__{m.number}({call}); {"return;" if not back else ""}\n')
        out.append(f'default: {back}{function.name}__0({call}); {"return;" if not back else ""}\n}} }}\n')
        at = function.end
    out.append(source.render(at, len(source.tokens)) + '\nint mutant;\n')
    return ''.join(out).replace('\n#line', '\n#line')


def instructions(assembly):
    """The instructions of each copy, labels numbered as they come and strings by their text."""
    strings = dict(re.findall(r'^(\.LC\d+):\n((?:\t\.(?:string|ascii|long|quad|byte|value).*\n)+)', assembly, re.M))
    bodies = {}
    for name, body in re.findall(r'^(\w+__\d+):\n(.*?)^\t\.size\t\1', assembly, re.M | re.S):
        order = {}

        def rename(match):
            label = match.group()
            if label.startswith('.LC'):
                text = strings.get(label, label)
                return 'here' if 'mutant ' in text else text
            return order.setdefault(label, f'L{len(order)}')
        body = re.sub(r'^\t\.(loc|cfi|p2align|section|text|align).*\n', '', body, flags=re.M)
        body = re.sub(r'^\.L(FB|FE|VL|BB|BE|M)\w*:\n', '', body, flags=re.M)
        bodies[name] = re.sub(r'\.L\w+', rename, body)
    return bodies


def compile_mutants(build, library, path, source, mutants, directory):
    """Compile them, drop those that are not C or change nothing; give (shared object, mutants, how many were dropped)."""
    stem = directory / path.replace('/', '_')[:-2]
    flags = ['-std=gnu17', '-O2', '-w', '-fPIC', '-D_GNU_SOURCE', '-fvisibility=hidden', '-fno-ipa-icf', '-fno-ipa-cp',
             '-fno-ipa-ra', '-fno-ipa-sra', '-fno-partial-inlining', '-fno-ipa-pure-const', '-fno-ipa-modref', '-fmax-errors=0',
             '-Werror=incompatible-pointer-types', '-Werror=int-conversion', f'-I{TOP}/include',
             f'-I{TOP}', f'-I{file_of(path).parent}']
    made = len(mutants)
    while True:
        text = schemata(source, mutants).replace('\nint mutant;\n', '\n__attribute__((visibility("default"))) int mutant;\n')
        stem.with_suffix('.c').write_text(text)
        done = subprocess.run(['gcc', *flags, '-S', '-o', stem.with_suffix('.s'), stem.with_suffix('.c')],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        wrong = {int(n) for n in re.findall(r'^mutant (\d+):\d+:\d+: error', done.stderr, re.M)}
        if not wrong or 0 in wrong:
            sys.exit(f'mutate.py: {path} cannot be compiled with its mutants:\n{done.stderr[:2000]}')
        mutants = [m for m in mutants if m.number not in wrong]
    no_c = made - len(mutants)
    bodies, seen, kept = instructions(stem.with_suffix('.s').read_text()), set(), []
    for m in mutants:
        body = bodies[f'{m.function.name}__{m.number}']
        if body != bodies[f'{m.function.name}__0'] and (m.function.name, body) not in seen:
            kept.append(m)
        seen.add((m.function.name, body))
    same = len(mutants) - len(kept)
    link(build, library, path, stem)
    return stem.with_suffix('.so'), kept, (made, no_c, same)


def link(build, library, path, stem):
    """Link them with the catalogue's other objects, and a table of the algorithms."""
    objects = sorted((build / 'algorithms' / 'libalgorithms.a.p').glob('*.c.o'))
    objects += [build / 'lib' / 'collective' / 'libcollective.a.p' / f'{p}.o' for p in FRAME_FILES]
    objects += [build / 'lib' / 'base' / 'libbase.a.p' / 'unbacked.c.o']  # which blocks.c calls
    others = [o for o in objects if o.name not in (path.replace('/', '_') + '.o', 'catalog.c.o')]
    table = stem.parent / 'table.o'
    if not table.exists():
        text = ('#include <peal/author.h>\n#define ALGORITHM(c, n) extern const struct peal_algorithm c##_##n;\n'
                '#include "catalog.def"\n#undef ALGORITHM\n#define ALGORITHM(c, n) &c##_##n,\n'
                'const struct peal_algorithm *const mutated_algorithms[] = {\n#include "catalog.def"\nNULL};\n')
        subprocess.run(['gcc', '-w', '-fPIC', '-c', '-xc', '-', f'-I{HERE}', f'-I{TOP}/include', '-o', table], input=text,
                       text=True, check=True)
    subprocess.run(['gcc', '-shared', '-o', stem.with_suffix('.so'), stem.with_suffix('.s'), table, *others,
                    '-L', library, '-lpeal', '-lm'], check=True)


def peal_directory(build):
    """Where libpeal is, under a build directory."""
    return next(p.parent for p in build.rglob('libpeal.so'))


def examine(build, library, runner, catalogue, path, chosen, directory):
    """Make the mutants of a file, check those chosen (None: all), fill in their fates."""
    source = catalogue.sources[path]
    mutants = mutants_of(catalogue, path)
    if chosen is not None:
        mutants = [m for m in mutants if chosen(m)]
    if not mutants:
        return path, [], (0, 0, 0)
    shared, mutants, counts = compile_mutants(build, library, path, source, mutants, directory)
    lines = ''
    for m in mutants:
        part, users = catalogue.users_of(path, m.function)
        m.part = part
        both = part == 'run' and catalogue.priced_by[(path, m.function.name)]
        lines += f'{"both" if both else part} {m.number} {" ".join(users)}\n'
    env = dict(os.environ, LD_LIBRARY_PATH=str(library))
    done = subprocess.run([runner, shared], input=lines, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        sys.exit(f'mutate.py: the runner failed on {path}: {done.stderr[:2000]}')
    fates = {int(line.split()[0]): line.split(maxsplit=1)[1] for line in done.stdout.splitlines()}
    for m in mutants:
        m.fate = fates[m.number]
    return path, mutants, counts


# ---------------------------------------------------------------- the report

def read_survivors():
    """The mutants that are known not to be found: identity -> reason."""
    known, name = {}, None
    for line in (pathlib.Path(__file__).parent / 'survivors.txt').read_text().splitlines():
        if line.startswith('#') or not line.strip():
            continue
        if line.startswith('    '):
            known[name] = (known[name] + ' ' + line.strip()).strip()
        else:
            name = line
            known[name] = ''
    return known


def gone(catalogue, known):
    """Those listed that are not mutants any more, since the algorithm was changed."""
    named = {name.split(' ', 1)[0] for name in known}
    there = {m.identity() for path in named & set(catalogue.sources) for m in mutants_of(catalogue, path)}
    return [name for name in known if name not in there]


def table(title, rows):
    print(f'\n{title:32}   made  found  survive  the same')
    for name, fates in rows:
        survive = sum(f.startswith('survived') for f in fates)
        same = sum(f.startswith(SAME) for f in fates)
        print(f'{name:32} {len(fates):6} {len(fates) - survive:6} {survive:8} {same:8}')


def report(results, known, whole, past=()):
    everything = [m for _, mutants, _ in results for m in mutants]
    made, no_c, compiled_same = (sum(counts[i] for _, _, counts in results) for i in range(3))
    survivors = [m for m in everything if m.survives()]
    same = [m for m in survivors if m.is_same()]
    unknown = [m for m in survivors if m.identity() not in known and not m.is_same()]
    wrong = [m for m in everything if not m.survives() and m.identity() in known]
    if whole:
        table('file', [(path, [m.fate for m in mutants]) for path, mutants, _ in results if mutants])
        by_kind = collections.defaultdict(list)
        for m in everything:
            by_kind[m.kind].append(m.fate)
        table('kind', [(k, by_kind[k]) for k in KINDS if k in by_kind])
        table('part', [(name, [m.fate for m in everything if m.part == part]) for part, name in
                       (('run', 'of runs'), ('cost', 'of closed forms alone'))])
        ways = collections.Counter(m.fate.split()[0] for m in everything)
        print('\nfound as')
        for way, count in ways.most_common():
            print(f'{way:32} {count:6}')
        print(f'\n{made} made, {no_c} are not C, {compiled_same} compile to the same instructions as the original or another')
    reasons = collections.Counter(known.get(m.identity(), '').split('.')[0].split(':')[0] for m in survivors
                                  if not m.is_same())
    if whole and survivors:
        print('\nreasons in survivors.txt')
        for reason, count in reasons.most_common():
            print(f'{count:6}  {reason or "none"}')
    found, rest = len(everything) - len(survivors), len(survivors) - len(same)
    print(f'{len(everything)} mutants: {found} found wrong, {len(survivors)} survive'
          f' ({100 * len(survivors) / max(1, len(everything)):.2f} %)')
    alike = sum(m.fate.startswith('survived alike') for m in survivors)
    print(f'{len(same)} of these send the same as the original in every run, to P = 33, or give true closed forms: without'
          f' them {found + rest} mutants, {found} found wrong, {rest} survive ({100 * rest / max(1, found + rest):.2f} %),'
          f' {rest - len(unknown)} of them listed in survivors.txt; {alike} send the same messages in other rounds at no more'
          f' cost')
    for m in unknown:
        print(f'SURVIVES\n{m.identity()}\n    {m.fate}')
    for m in wrong:
        print(f'FOUND, though listed: {m.identity()}\n    {m.fate}')
    for name in past:
        print(f'LISTED, but no mutant: {name}')
    return 1 if unknown or wrong or past else 0


def write_json(path, results):
    """Write the verdicts so far, with --json; the file is whole at any time."""
    if path:
        document = [{'file': p, 'made': counts[0], 'no C': counts[1], 'same instructions': counts[2],
                     'mutants': [{'number': m.number, 'function': m.function.name, 'part': m.part, 'kind': m.kind,
                                  'mutant': m.identity(), 'fate': m.fate} for m in mutants]}
                    for p, mutants, counts in results]
        part = path.with_name(path.name + '.part')
        part.write_text(json.dumps(document, indent=1, ensure_ascii=False))
        part.replace(path)


def read_json(path, catalogue):
    """The results that a file has, as they were when it was written; of mutants that are no more, none."""
    results = []
    for entry in json.loads(path.read_text()):
        if entry['file'] not in catalogue.sources:
            continue
        now = {m.identity(): m for m in mutants_of(catalogue, entry['file'])}
        mutants = []
        for row in entry['mutants']:
            if row['mutant'] in now:
                m = now[row['mutant']]
                m.part, m.fate = row['part'], row['fate']
                mutants.append(m)
        results.append((entry['file'], mutants, (entry['made'], entry['no C'], entry['same instructions'])))
    return results


def choose_sample(catalogue, count, known):
    """The same few mutants every time, of a few files so that little is compiled: each kind has its turn."""
    draw = random.Random(count)
    files = ['scatter/binomial.c', 'gather/linear.c', 'allreduce/recursive_doubling.c', 'allgather/ring.c',
             'alltoall/bruck.c', 'scan/shift_doubling.c']
    kinds = collections.defaultdict(list)
    for path in files:
        for m in mutants_of(catalogue, path):
            if catalogue.users_of(path, m.function)[0] == 'run' and m.identity() not in known:  # others take longest
                kinds[m.kind].append(m.identity())
    chosen = set()
    while len(chosen) < count and any(kinds.values()):
        for identities in kinds.values():
            if identities and len(chosen) < count:
                chosen.add(identities.pop(draw.randrange(len(identities))))
    return files, lambda m: m.identity() in chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('files', nargs='*')
    parser.add_argument('--runner', type=pathlib.Path)
    parser.add_argument('--sample', type=int)
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--listed', action='store_true')
    parser.add_argument('--json', type=pathlib.Path)
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--minutes', type=float)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    catalogue = Catalogue()
    files, chosen = options.files or list(catalogue.sources), None
    if unknown := [f for f in files if f not in catalogue.sources]:
        sys.exit(f'mutate.py: {unknown[0]} is not a file of the catalogue, as scatter/binomial.c is')
    if options.sample:
        files, chosen = choose_sample(catalogue, options.sample, read_survivors())
    if options.listed:
        known = read_survivors()
        named = {name.split(' ', 1)[0] for name in known}
        files, chosen = [f for f in files if f in named], lambda m: m.identity() in known
    if options.show:
        for path in files:
            for m in mutants_of(catalogue, path):
                print(m.identity())
        return 0
    library = peal_directory(build)
    runner = options.runner or build / 'tests' / 'mutation' / 'mutation_runner'
    results = read_json(options.json, catalogue) if options.resume and options.json and options.json.exists() else []
    done = {r[0] for r in results}
    until = time.monotonic() + 60 * options.minutes if options.minutes else math.inf
    files += [f for f in done if f not in files]
    order = [f for f in (random.Random(1).sample(files, len(files)) if options.minutes else files) if f not in done]

    def examine_in_time(*arguments):
        return examine(*arguments) if time.monotonic() < until else None

    with tempfile.TemporaryDirectory(prefix='peal-mutants-') as temporary:
        directory = pathlib.Path(temporary)
        first, rest = order[:1], order[1:]
        results += [examine(build, library, runner, catalogue, p, chosen, directory) for p in first]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(examine_in_time, build, library, runner, catalogue, p, chosen, directory) for p in rest]
            for job in concurrent.futures.as_completed(jobs):
                results += [job.result()] if job.result() else []
                write_json(options.json, results)
                if sys.stderr.isatty():
                    print(f'{len(results)} of {len(files)} files', end='\r', file=sys.stderr)
    if len(results) < len(files):
        print(f'{len(results)} of {len(files)} files, drawn at random, until the time was up')
    results.sort(key=lambda r: files.index(r[0]))
    write_json(options.json, results)
    known = read_survivors()
    return report(results, known, options.sample is None, [] if options.sample else gone(catalogue, known))


if __name__ == '__main__':
    sys.exit(main())
