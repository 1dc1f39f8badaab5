#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutants of MSCCL schedules: each is found by `peal import`, or changes nothing.

    mutants.py PEAL [--mutants N] [--table FILE] FILE.xml...

Of each schedule N mutants are made: a step removed, an offset changed, a dependency dropped, a peer swapped. `peal import` gives a
verdict on each. A second machine, here, carries every mutant out in random orders on sets of contributions. The schedule's own
verdict must agree with it, and:

    found      import reports it, or refuses the file
    equal      import proves the mutant, and no random order gave another result than the collective's
    missed     import proves it, and an order is wrong: a fault of Peal; the test fails
"""
import argparse, copy, json, os, random, subprocess, sys, tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict, deque

ORDERS = 5  # random orders of each mutant that is proved
PROVED = ('allgather', 'allreduce', 'reducescatter', 'alltoall', 'broadcast', 'reduce', 'gather', 'scatter')


class Stuck(Exception):
    """No step can go on."""


def name_of(coll):
    return ''.join(c for c in coll.lower() if c.isalnum())


class Schedule:
    """A schedule as it is carried out here: nothing of Peal is used."""

    def __init__(self, root):
        self.coll, self.inplace = name_of(root.get('coll')), root.get('inplace') == '1'
        self.root = int(root.get('root', '0'))
        self.gpus = {int(g.get('id')): g for g in root.findall('gpu')}
        self.nodes = len(self.gpus)
        first = self.gpus[self.root]
        i, o = int(first.get('i_chunks')), int(first.get('o_chunks'))
        whole = self.coll in ('reducescatter', 'alltoall', 'scatter')
        self.chunks = (i // self.nodes if whole else i) or (o if self.coll in ('allreduce', 'broadcast', 'reduce') else o // self.nodes)
        self.strands = []
        for rank, gpu in self.gpus.items():
            for tb in gpu.findall('tb'):
                self.strands.append((rank, int(tb.get('id')), int(tb.get('send')), int(tb.get('recv')), int(tb.get('chan')),
                                     [{k: (v if k in ('type', 'srcbuf', 'dstbuf') else int(v)) for k, v in s.attrib.items()}
                                      for s in tb.findall('step')]))

    def place(self, rank, buffer, index):
        """Chunks that are the same memory have the same key."""
        c = self.chunks
        if not self.inplace or buffer == 's':
            return buffer, index
        if self.coll in ('allreduce', 'alltoall', 'broadcast', 'reduce'):
            return 'x', index
        if self.coll == 'allgather' and buffer == 'i':
            return 'o', rank * c + index
        if self.coll == 'reducescatter' and buffer == 'o':
            return 'i', rank * c + index
        if self.coll == 'gather' and buffer == 'i' and rank == self.root:
            return 'o', rank * c + index
        if self.coll == 'scatter' and buffer == 'o' and rank == self.root:
            return 'i', rank * c + index
        return buffer, index

    def begin(self):
        memory = [dict() for _ in range(self.nodes)]
        for rank in range(self.nodes):
            whole = self.coll in ('reducescatter', 'alltoall', 'scatter')
            count = self.chunks * (self.nodes if whole else 1)
            if self.coll in ('broadcast', 'scatter') and rank != self.root:
                count = 0
            for i in range(count):
                memory[rank][self.place(rank, 'i', i)] = ((rank, i),)
        return memory

    def wrong(self, memory):
        """The first chunk of a result that is wrong; None."""
        P, c = self.nodes, self.chunks

        def holds(rank, index, *expected):
            got = memory[rank].get(self.place(rank, 'o', index))
            return None if got == tuple(sorted(expected)) else f'node {rank}, chunk {index}: {got}'

        for rank in range(P):
            for j in range(c):
                tests = []
                if self.coll == 'allgather':
                    tests = [holds(rank, n * c + j, (n, j)) for n in range(P)]
                elif self.coll == 'allreduce' or (self.coll == 'reduce' and rank == self.root):
                    tests = [holds(rank, j, *[(n, j) for n in range(P)])]
                elif self.coll == 'reducescatter':
                    tests = [holds(rank, j, *[(n, rank * c + j) for n in range(P)])]
                elif self.coll == 'alltoall':
                    tests = [holds(rank, n * c + j, (n, rank * c + j)) for n in range(P)]
                elif self.coll == 'broadcast':
                    tests = [holds(rank, j, (self.root, j))]
                elif self.coll == 'gather' and rank == self.root:
                    tests = [holds(rank, n * c + j, (n, j)) for n in range(P)]
                elif self.coll == 'scatter':
                    tests = [holds(rank, j, (self.root, rank * c + j))]
                for test in tests:
                    if test:
                        return test
        return None

    def carry_out(self, chance):
        """Carry out all steps in a random order; return the first difference, or None."""
        memory, wires, done = self.begin(), defaultdict(deque), set()
        at = [0] * len(self.strands)
        ready = list(range(len(self.strands)))
        left = sum(len(s[5]) for s in self.strands)
        while left:
            moved = False
            chance.shuffle(ready)
            for b in ready:
                rank, block, send, recv, chan, steps = self.strands[b]
                for _ in range(chance.randint(1, 4)):
                    if at[b] == len(steps):
                        break
                    step = steps[at[b]]
                    if step['depid'] >= 0 and (rank, step['depid'], step['deps']) not in done:
                        break
                    if step['type'] in ('r', 'rcs', 'rrs', 'rrc', 'rrcs') and not wires[recv, rank, chan]:
                        break
                    self.step(memory[rank], wires, rank, send, recv, chan, step)
                    done.add((rank, block, at[b]))
                    at[b] += 1
                    left -= 1
                    moved = True
            if not moved:
                return 'stuck'
        if any(wires.values()):
            return 'a message is left'
        return self.wrong(memory)

    def step(self, memory, wires, rank, send, recv, chan, step):
        kind, count = step['type'], step['cnt']
        if kind == 'nop':
            return
        source = [self.place(rank, step['srcbuf'], step['srcoff'] + c) for c in range(count)]
        target = [self.place(rank, step['dstbuf'], step['dstoff'] + c) for c in range(count)]
        if kind[0] == 'r' and kind != 're':
            came = wires[recv, rank, chan].popleft()
            values = (came + [()] * count)[:count]
        else:
            values = [memory.get(p, ()) for p in source]
        for c in range(count):
            if kind in ('rrs', 'rrc', 'rrcs'):
                values[c] = tuple(sorted(memory.get(source[c], ()) + values[c]))
            if kind == 're':
                values[c] = tuple(sorted(memory.get(target[c], ()) + values[c]))
            if kind in ('r', 'rcs', 'rrc', 'rrcs', 'cpy', 're'):
                memory[target[c]] = values[c]
        if kind[-1] == 's':
            wires[rank, send, chan].append(list(values))


# ---------------------------------------------------------------- mutants

def steps_of(root):
    return [(gpu, tb, step) for gpu in root.findall('gpu') for tb in gpu.findall('tb') for step in tb.findall('step')]


def remove_step(root, chance):
    gpu, tb, step = chance.choice(steps_of(root))
    index, block = int(step.get('s')), tb.get('id')
    tb.remove(step)
    for _, other, later in steps_of(root):
        if other is tb and int(later.get('s')) > index:
            later.set('s', str(int(later.get('s')) - 1))
    for other in gpu.findall('tb'):
        for user in other.findall('step'):
            if user.get('depid') == block and int(user.get('deps')) >= index:
                user.set('deps', str(int(user.get('deps')) - 1))
                if user.get('deps') == '-1':
                    user.set('depid', '-1')
    return f'step {index} of tb {block} of gpu {gpu.get("id")} removed'


def change_offset(root, chance):
    gpu, tb, step = chance.choice([s for s in steps_of(root) if s[2].get('type') != 'nop'])
    which = chance.choice(['srcoff', 'dstoff'])
    by = chance.choice([-1, 1])
    step.set(which, str(max(0, int(step.get(which)) + by)))
    return f'{which} of step {step.get("s")} of tb {tb.get("id")} of gpu {gpu.get("id")} moved by {by}'


def drop_dependency(root, chance):
    having = [s for s in steps_of(root) if int(s[2].get('depid')) >= 0]
    if not having:
        return None
    gpu, tb, step = chance.choice(having)
    step.set('depid', '-1')
    step.set('deps', '-1')
    return f'dependency of step {step.get("s")} of tb {tb.get("id")} of gpu {gpu.get("id")} dropped'


def swap_peers(root, chance):
    gpu = chance.choice(root.findall('gpu'))
    which = chance.choice(['send', 'recv'])
    having = [tb for tb in gpu.findall('tb') if int(tb.get(which)) >= 0]
    if not having:
        return None
    if len(having) > 1:
        one, other = chance.sample(having, 2)
        a, b = one.get(which), other.get(which)
        one.set(which, b)
        other.set(which, a)
        return f'{which} of tb {one.get("id")} and {other.get("id")} of gpu {gpu.get("id")} swapped'
    peers = [str(p) for p in range(len(root.findall('gpu'))) if str(p) not in (gpu.get('id'), having[0].get(which))]
    if not peers:
        return None
    having[0].set(which, chance.choice(peers))
    return f'{which} of tb {having[0].get("id")} of gpu {gpu.get("id")} is another node'


KINDS = [remove_step, change_offset, drop_dependency, swap_peers]


def mutants(root, count, chance):
    made, tries = 0, 0
    while made < count and tries < 50 * count:
        mutant = copy.deepcopy(root)
        what = KINDS[(made + tries) % len(KINDS)](mutant, chance)
        tries += 1
        if what:
            made += 1
            yield what, mutant


# ---------------------------------------------------------------- verdicts

def judge(peal, path):
    """(exit code, kinds of findings that are errors, first message)."""
    run = subprocess.run([peal, 'import', path, '--json'], capture_output=True, text=True)
    if run.returncode == 2:
        return 2, ['refused'], run.stderr.strip()
    try:
        document = json.loads(run.stdout)
    except ValueError:
        return 4, [], run.stderr.strip() or f'exit code {run.returncode}'
    wrong = [f for f in document['findings'] if not f['warning']]
    return run.returncode, [f['kind'] for f in wrong], wrong[0]['message'] if wrong else ''


def check_file(peal, path, count, work):
    root = ET.parse(path).getroot()
    name, chance = os.path.basename(path), random.Random(os.path.basename(path))
    code, kinds, message = judge(peal, path)
    known = name_of(root.get('coll')) in PROVED
    verdict = kinds[0] if kinds else 'proved' if known else 'order right'
    missed = []
    if code not in (0, 1, 2):
        missed.append(f'{name}: {message}')
    if code == 0 and known:
        wrong = [w for w in (Schedule(root).carry_out(chance) for _ in range(ORDERS)) if w]
        if wrong:
            missed.append(f'{name}: proved, and carried out here: {wrong[0]}')
    found = equal = 0
    by_kind = defaultdict(int)
    for i, (what, mutant) in enumerate(mutants(root, count, chance)):
        changed = os.path.join(work, f'{i}-{name}')
        ET.ElementTree(mutant).write(changed)
        code, kinds, message = judge(peal, changed)
        os.unlink(changed)
        if code in (1, 2) and kinds:
            found += 1
            by_kind[kinds[0]] += 1
            continue
        wrong = []
        if code == 0 and known:
            wrong = [w for w in (Schedule(mutant).carry_out(chance) for _ in range(ORDERS)) if w]
        elif code != 0:
            wrong = [message]
        if wrong:
            missed.append(f'{name}: {what}: {wrong[0]}')
        else:
            equal += 1
    return {'file': name, 'collective': root.get('coll'), 'nodes': len(root.findall('gpu')), 'steps': len(steps_of(root)),
            'verdict': verdict, 'message': message if verdict not in ('proved', 'order right') else '', 'found': found,
            'equal': equal, 'kinds': dict(by_kind), 'missed': missed}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('peal')
    parser.add_argument('--mutants', type=int, default=20)
    parser.add_argument('--table')
    parser.add_argument('files', nargs='+')
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in options.files:
            rows.append(check_file(options.peal, path, options.mutants, work))
            row = rows[-1]
            print(f"{row['file']}: {row['collective']} on {row['nodes']}, {row['steps']} steps: {row['verdict']}; "
                  f"{row['found']} mutants found, {row['equal']} equal, {len(row['missed'])} missed", flush=True)
    if options.table:
        with open(options.table, 'w') as out:
            out.write('| file | collective | nodes | steps | verdict | mutants found | equal |\n|---|---|---:|---:|---|---:|---:|\n')
            for row in rows:
                out.write(f"| {row['file']} | {row['collective']} | {row['nodes']} | {row['steps']} | {row['verdict']} | "
                          f"{row['found']} | {row['equal']} |\n")
    missed = [m for row in rows for m in row['missed']]
    for line in missed:
        print('missed:', line)
    total = sum(row['found'] + row['equal'] for row in rows) + len(missed)
    print(f'{len(rows)} schedules, {total} mutants: {sum(r["found"] for r in rows)} found, '
          f'{sum(r["equal"] for r in rows)} equal, {len(missed)} missed')
    sys.exit(1 if missed else 0)


if __name__ == '__main__':
    main()
