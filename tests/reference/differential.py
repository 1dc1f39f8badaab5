#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run random programs on Peal and on the model (model.py), and compare everything: the schedule, every charge, the
cost, the critical path, the failure with its nodes and cycle, and what every receive got.

    differential.py CASES                    a short run; CASES is the program built from cases.c
    differential.py CASES --seconds 3600     a long one
    differential.py CASES --seed 7 --count 1 one program again
    differential.py CASES --sentences        the hand-written cases of sentences.py instead
    differential.py CASES --file FILE        one case from a file
    differential.py --command PEAL           some cases through the command, as a program file

A program that comes out differently is made as small as it goes and printed; the exit status is then 1.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True  # leave no files beside the sources
import model
import sentences

HERE = os.path.dirname(os.path.abspath(__file__))
WIRES = tempfile.TemporaryDirectory(prefix='peal-wires-')  # networks from files
BATCH = 100
ENGINES = ['threads']  # --engines


# ---------------------------------------------------------------------------------------------------- running Peal

class Run(tuple):
    """The JSON document and the output of a run; `raw` is the document as it was written."""


def run_cases(program, texts):
    """Give {name: Run} of the cases, and what the program complained of, a sanitizer's report say.
    The cases after one at which the program dies are missing."""
    with tempfile.TemporaryFile() as given:
        given.write(''.join(texts).encode())
        given.seek(0)
        try:
            done = subprocess.run([program], stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess([], 124, late.stdout or b'', b'no answer in 60 seconds')
    results, rest = {}, done.stdout
    while b'\n' in rest:
        head, _, rest = rest.partition(b'\n')
        name, document_bytes, output_bytes = head.split()
        document, output = int(document_bytes), int(output_bytes)
        if len(rest) < document + output:
            break
        results[name.decode()] = Run((json.loads(rest[:document]), rest[document:document + output].decode()))
        results[name.decode()].raw = rest[:document]
        rest = rest[document + output:]
    trouble = done.stderr.decode(errors='replace').strip()
    if done.returncode:
        trouble += ' (exit status %d)' % done.returncode
    return results, trouble


def run_one(program, options, scripts, **variant):
    results, trouble = run_cases(program, [model.case_text('one', options, scripts, **variant)])
    return results.get('one'), trouble


# ---------------------------------------------------------------------------------------------------- comparing

def coefficients(cost):
    return tuple(cost[key] for key in ('alpha', 'beta', 'hop', 'tau'))


def rounds_of(document):
    return [([tuple(t[key] for key in ('from', 'to', 'words', 'hops', 'k')) for t in r['transfers']],
             coefficients(r['charge'])) for r in document['rounds']]


def failure_of(document):
    failure = document['failure']
    if failure is None:
        return None
    keys = ('rank', 'state', 'for', 'peer', 'words', 'tag', 'line')
    nodes = [model.Waiting(*(w.get(key) for key in keys)) for w in failure['nodes']]
    return model.Failure(failure['kind'], nodes, failure['cycle'])


def findings_of(document):
    """By kind and places: those of one node in one round come in no order that the rules have."""
    return sorted((f['kind'], [(p['rank'], p['line']) for p in f['places']], f['cycle'], f['times'])
                  for f in document.get('findings', []))


def same_node(expected, found):
    """Whether an entry of a failure's nodes is right.  The model gives None where there is nothing to compare."""
    for key in ('rank', 'state', 'what', 'line'):
        if getattr(expected, key) != getattr(found, key):
            return False
    if expected.what is None:
        return True
    peer = -1 if found.peer in (None, 'any') else found.peer
    tag = -1 if found.tag in (None, 'any') else found.tag
    return (expected.peer, expected.words) == (peer, found.words) and expected.tag in (None, tag)


def differences(expected, document, output):
    """What in a run of Peal differs from the model's result, one line each."""
    wrong = []

    def check(what, ours, theirs):
        if ours != theirs:
            wrong.append('%s: the model has %s, Peal %s' % (what, ours, theirs))

    ours = [([tuple(t) for t in r.transfers], r.charge) for r in expected.rounds]
    theirs = rounds_of(document)
    for i, (a, b) in enumerate(zip(ours, theirs)):
        check('round %d' % i, a, b)
    check('number of rounds', len(ours), len(theirs))
    check('cost', expected.cost, coefficients(document['cost']))
    check('critical path', expected.critical_path, coefficients(document['critical_path']))
    failure = failure_of(document)
    check('failure', expected.failure and expected.failure.kind, failure and failure.kind)
    if expected.failure and failure:
        check('cycle', expected.failure.cycle, failure.cycle)
        check('number of waiting nodes', len(expected.failure.nodes), len(failure.nodes))
        for a, b in zip(expected.failure.nodes, failure.nodes):
            if not same_node(a, b):
                check('waiting node', a, b)
    check('findings', sorted(map(tuple, expected.findings)), findings_of(document))
    check('output', '\n'.join(expected.output), output.rstrip('\n'))
    return wrong


def same_runs(a, b):
    """Whether two runs of Peal are the same to the byte but for the engine and what they took of the host."""
    def bare(run):
        document = re.sub(rb'"engine": *"[a-z]*"', b'', run.raw, count=1)
        return document[:document.rindex(b'"host"')], run[1]
    return bare(a) == bare(b)


# ---------------------------------------------------------------------------------------------------- random programs

class Generator:
    """A random machine and a random program for it, both from one number."""

    def __init__(self, seed, nodes=None):
        self.random = random.Random(seed)
        self.options = self.make_options(nodes)
        if nodes:
            self.options.groups = None
        self.nodes = self.options.nodes
        self.scripts = [[] for _ in range(self.nodes)]
        self.handles = [0] * self.nodes
        self.inside = False  # of a strand
        self.longest = self.random.choice([3, 6, 20])
        if self.chance(0.15) and not nodes:
            self.wild()
        else:
            for _ in range(self.random.randint(1, 4)):
                self.phase()
            if self.options.groups:
                self.regroup()
            if self.chance(0.45):
                for _ in range(self.random.randint(1, 4)):
                    self.mutate()
        self.variant = {'carriers': self.random.choice([1, 1, 2, 3]), 'wake_all': self.chance(0.15),
                        'engine': ENGINES[int(seed) % len(ENGINES)]}
        self.variant['wake_all'] &= self.variant['engine'] == 'threads'

    def chance(self, p):
        return self.random.random() < p

    def make_wires(self, nodes):
        """A connected network of links of different capacities, in a file that is named after its contents."""
        pairs = {(self.random.randrange(b), b) for b in range(1, nodes)}
        pairs |= {tuple(sorted(self.random.sample(range(nodes), 2))) for _ in range(self.random.randrange(nodes))}
        lines = ['%d %d %d' % (a, b, self.random.choice([1, 1, 2, 2, 3, 7])) for a, b in sorted(pairs)]
        path = os.path.join(WIRES.name, '%08x' % zlib.crc32('\n'.join(lines).encode()))
        with open(path, 'w') as file:
            file.write('\n'.join(lines) + '\n')
        return path

    def make_options(self, nodes):
        pick = self.random.choice
        nodes = nodes or pick([1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 8, 9, 12])
        pairs = [(a, nodes // a) for a in range(1, nodes + 1) if nodes % a == 0]
        specs = ['full', 'full', 'line:%d' % nodes, 'ring:%d' % nodes,
                 'mesh:%dx%d' % pick(pairs), 'torus:%dx%d' % pick(pairs)]
        if nodes & (nodes - 1) == 0:
            specs.append('hypercube:%d' % (nodes.bit_length() - 1))
        if nodes in (8, 12):
            specs += ['mesh:2x2x%d' % (nodes // 4), 'torus:2x2x%d' % (nodes // 4)]
        if nodes == 8:
            specs += ['dgx1', 'dgx1', 'dgx-a100']
        if nodes > 1:
            specs.append('file:' + self.make_wires(nodes))
        topology = pick(specs)
        routing = pick(['', 'xy', 'yx']) if topology.startswith(('mesh', 'torus')) else ''
        return model.Options(nodes, topology=topology, routing=routing, ports=pick([1, 1, 1, 2, 3, 'all', 'all']),
                             half_duplex=self.chance(0.3), switching=pick(['ideal', 'wormhole', 'store-forward']),
                             congestion=pick(['count', 'count', 'volume']),
                             parameters=pick([(1000, 1, 0, 0), (10, 1, 2, 1), (1, 1, 1, 1), (2, 0, 0, 5),
                                              (0, 0, 0, 0)]),
                             eager=pick([None, None, None, 0, 2, 5, 100]),
                             mailbox=pick([65536, 65536, 1, 2, 3]), lend=pick([0, 0, 0, 0, 1, 4, 100]),
                             groups=[(self.random.randint(0, 1), self.random.randint(0, 2)) for _ in range(nodes)]
                             if self.chance(0.15) else None)

    # ---- programs that are meant to complete: phase after phase

    def rank(self):
        return self.random.randrange(self.nodes)

    def words(self):
        return self.random.choice([0, 1, self.random.randint(0, self.longest)])

    def tag(self):
        return self.random.choice([0, 0, 0, 1, 2])

    def handle(self, rank):
        self.handles[rank] = (self.handles[rank] + 1) % 60
        return self.handles[rank]

    def put(self, rank, *words):
        self.scripts[rank].append(' '.join(map(str, words)))

    def phase(self):
        self.random.choice([self.messages, self.messages, self.messages, self.messages, self.chain, self.shift,
                            self.serve, self.barrier, self.pause, self.posts, self.posts, self.unsafe, self.meet,
                            self.strand, self.strand, self.one_sided, self.one_sided])()

    def strand(self):
        """Strands that all nodes start in one order and join in any, with other operations meanwhile."""
        if self.inside:
            self.barrier()
            return
        names = list(range(self.random.randint(1, 3)))
        prefix = 'g:' if self.options.groups and self.chance(0.2) else ''
        for name in names:
            outer, self.scripts = self.scripts, [[] for _ in range(self.nodes)]
            self.inside = True
            for _ in range(self.random.randint(0, 2)):
                self.random.choice([self.messages, self.chain, self.shift, self.barrier, self.pause, self.unsafe])()
            self.inside = False
            inner, self.scripts = self.scripts, outer
            for rank in range(self.nodes):
                own = [] if prefix else inner[rank]
                if prefix and self.chance(0.5):
                    own = ['compute 3']
                self.put(rank, prefix + 'start', name, len(own))
                self.scripts[rank] += own
        if self.chance(0.6):
            self.phase()
        for rank in range(self.nodes):
            self.random.shuffle(names)
            for name in names if self.chance(0.9) else []:
                if self.chance(0.3):
                    self.put(rank, 'jointest', name)
                    self.put(rank, 'skip 1')
                    self.put(rank, 'skip 1' if self.chance(0.05) else 'rest')
                    self.put(rank, 'waitall')
                    break
                self.put(rank, 'join', name)
            else:
                continue
            self.put(rank, prefix + 'waitall')

    def posts(self):
        """A heap of messages, posted and received in all the ways there are."""
        posts = [[] for _ in range(self.nodes)]
        for _ in range(self.random.randint(1, 2 * self.nodes)):
            source, dest, words, tag = self.rank(), self.rank(), self.words(), self.tag()
            posts[source].append(('post', dest, words, tag, self.random.randint(0, 9),
                                  self.random.choice([0, 0, 0, 1, 2, 3])))
            posts[dest].append((self.random.choice(['take', 'take', 'take', 'cut', 'probe', 'keep', 'look']),
                                'any' if self.chance(0.2) else source, 'any' if self.chance(0.2) else tag))
        for rank in range(self.nodes):
            opened = []
            if self.chance(0.7):  # sends first: then probes find what they look for
                posts[rank].sort(key=lambda post: post[0] != 'post')
            for name, *rest in posts[rank]:
                self.put_post(rank, name, rest, opened)
                if self.chance(0.1):
                    self.put(rank, self.random.choice(['rest', 'sleep', 'look any any']))
            self.put_ends(rank, opened)

    def one_sided(self):
        """Puts, gets, updates and locks, beside messages."""
        busy = [self.rank() for _ in range(self.random.randint(1, 3))]
        for rank in range(self.nodes):
            opened, held = [], []
            for _ in range(self.random.randint(0, 5)):
                handle, peer = self.handle(rank), self.random.choice(busy)
                what = self.random.choice(['put', 'put', 'get', 'get', 'add', 'add', 'lock', 'send'])
                if what == 'lock':
                    if held and self.chance(0.9):
                        continue
                    self.put(rank, 'lock', handle, peer, self.random.choice([0, 0, 1]), int(self.chance(0.4)))
                    self.put(rank, 'finish', handle)
                    held.append(handle)
                    continue
                if what == 'send':
                    self.put(rank, 'post', handle, peer, self.words(), self.tag(), 0, 0)
                    self.put(peer, 'recv', rank if self.chance(0.7) else 'any', self.longest, 'any')
                else:
                    self.put(rank, what, handle, peer, self.words(), self.random.randint(0, 15),
                             *[self.random.randint(0, 1)] if what == 'add' else [])
                opened.append(handle)
                if self.chance(0.2):
                    self.put(rank, self.random.choice(['rest', 'memory', 'compute 3', 'clock']))
            if self.chance(0.3):
                self.random.shuffle(opened)
            for handle in opened:
                self.put(rank, self.random.choice(['finish', 'finish', 'wait', 'poll', 'let-go', 'cancel']), handle)
            for lock in held:
                handle = self.handle(rank)
                self.put(rank, 'unlock', handle, lock)
                self.put(rank, self.random.choice(['let-go', 'let-go', 'finish']), handle)
            self.put(rank, 'waitall')
            self.put(rank, self.random.choice(['memory', 'rest']))
        if self.chance(0.5):
            self.barrier()

    def put_post(self, rank, name, rest, opened):
        handle, longest = self.handle(rank), self.longest + 1
        if name == 'post':
            self.put(rank, 'post', handle, *rest)
        elif name in ('take', 'cut'):
            source, tag = rest
            self.put(rank, 'take', handle, source, self.random.randint(0, longest) if name == 'cut' else longest, tag,
                     int(name == 'cut'))
        elif name == 'look':
            self.put(rank, 'look', *rest)
            self.put(rank, 'skip', self.random.randint(0, 1))
            self.put(rank, 'recv', rest[0], longest, rest[1])
            return
        else:
            self.put(rank, 'probe', handle, *rest, int(name == 'keep'))
            self.put(rank, 'finish', handle)
            if name == 'probe':
                self.put(rank, 'recv', '@%d' % handle, longest, rest[1])
                return
            taken = self.handle(rank)
            self.put(rank, 'receive', taken, longest, handle)
            handle = taken
        opened.append(handle)

    def put_ends(self, rank, opened):
        style = self.random.choice(['finish', 'finish', 'any', 'ask', 'mixed', 'all'])
        for handle in opened:
            others = [self.random.choice(opened + [0]) for _ in range(2)]
            if style == 'any' and not set(others) - {0} - set(opened[opened.index(handle):]):
                self.put(rank, 'any', handle, *others)
            elif style == 'ask' and not set(others) - {0} - set(opened[opened.index(handle):]):
                self.put(rank, 'ask', self.random.randint(0, 3), handle, *others)
            elif style == 'mixed' and self.chance(0.2):
                self.put(rank, 'cancel', handle)
            if style == 'mixed' and self.chance(0.3):
                self.put(rank, 'let-go', handle)
            elif style != 'all':
                self.put(rank, self.random.choice(['finish', 'finish', 'finish', 'wait', 'poll']), handle)
        if style == 'all':
            self.put(rank, 'waitall')
        if style == 'mixed' and self.chance(0.5):
            self.put(rank, 'settle')

    def unsafe(self):
        """Everybody sends before it receives."""
        by = self.random.randint(0, self.nodes)
        words, tag = self.words(), self.tag()
        for rank in range(self.nodes):
            handle = self.handle(rank)
            how = self.random.choice(['send', 'send', 'wait', 'poll', 'finish'])
            if how == 'send':
                self.put(rank, 'send', (rank + by) % self.nodes, words, tag)
            else:
                self.put(rank, 'isend', handle, (rank + by) % self.nodes, words, tag, self.random.choice([0, 2]))
                self.put(rank, how, handle)
            self.put(rank, 'recv', (rank - by) % self.nodes, self.longest, tag)

    def meet(self):
        number = self.random.randint(0, 1)
        for rank in range(self.nodes):
            self.put(rank, 'meet', number)

    def messages(self):
        """A heap of messages, posted by every node in one common order, or in any."""
        crowd = [self.rank() for _ in range(self.random.randint(1, 4))]  # some nodes are busier than others
        wild = self.random.choice([0, 0, 0.2, 0.6])
        posts = [[] for _ in range(self.nodes)]
        for _ in range(self.random.randint(1, 3 * self.nodes)):
            source = self.random.choice(crowd) if self.chance(0.5) else self.rank()
            dest = self.random.choice(crowd) if self.chance(0.5) else self.rank()
            words, tag = self.words(), self.tag()
            room = words if self.chance(0.3) and not wild else self.longest + 1
            room = max(0, words - 1) if self.chance(0.004) else room
            pieces = self.random.choice([0, 0, 0, 1, 2, 4])
            posts[source].append(('isend', dest, words, tag, pieces))
            posts[dest].append(('irecv', 'any' if self.chance(wild) else source, room,
                                'any' if self.chance(wild) else tag, pieces))
        mixed = self.chance(0.3)
        style = self.random.choice(['all', 'all', 'each', 'poll', 'early'])
        for rank in range(self.nodes):
            if mixed:
                self.random.shuffle(posts[rank])
            opened = []
            for name, *rest in posts[rank]:
                handle = self.handle(rank)
                self.put(rank, name, handle, *rest)
                opened.append(handle)
                self.interlude(rank, opened if style == 'all' else None)
                if style == 'early' and self.chance(0.4):
                    self.put(rank, 'wait', opened.pop(0))
            if style in ('each', 'poll') and mixed:
                self.random.shuffle(opened)
            for handle in opened if style != 'all' else []:
                self.put(rank, 'poll' if style == 'poll' else 'wait', handle)
            if style == 'all':
                self.put(rank, 'waitall')

    def interlude(self, rank, opened):
        if self.chance(0.1):
            self.put(rank, 'compute', self.random.randint(0, 30))
        if self.chance(0.06):
            self.put(rank, 'rest')
        if self.chance(0.05):
            self.put(rank, 'clock')
        if opened and self.chance(0.08):
            self.put(rank, 'test', self.random.choice(opened))
            self.put(rank, 'skip 1')
            self.put(rank, self.random.choice(['rest', 'compute 4', 'clock']))
            opened.clear()  # a request is tested once at most, for it may be consumed

    def chain(self):
        """Blocking calls along a path."""
        path = self.random.sample(range(self.nodes), self.random.randint(1, self.nodes))
        words, tag = self.words(), self.tag()
        for at, (source, dest) in enumerate(zip(path, path[1:])):
            self.put(source, 'send', dest, words, tag)
            self.put(dest, 'recv', 'any' if self.chance(0.1) else source, words + self.random.randint(0, 2), tag)

    def shift(self):
        by, words, tag = self.random.randint(0, self.nodes), self.words(), self.tag()
        for _ in range(self.random.randint(1, 3)):
            for rank in range(self.nodes):
                self.put(rank, 'sendrecv', (rank + by) % self.nodes, words, tag,
                         (rank - by) % self.nodes, words + 1, tag)

    def serve(self):
        """One node answers whoever asks."""
        server, words = self.rank(), self.words()
        clients = [rank for rank in range(self.nodes) if rank != server and self.chance(0.7)]
        for rank in clients:
            if self.chance(0.3):
                self.put(rank, self.random.choice(['rest', 'compute 9']))
            self.put(rank, 'send', server, words, 3)
            self.put(rank, 'recv', server, self.longest, 4)
        for _ in clients:
            ask, answer = self.handle(server), self.handle(server)
            self.put(server, 'irecv', ask, 'any', words, 3, 0)
            self.put(server, self.random.choice(['wait', 'poll']), ask)
            self.put(server, 'isend', answer, '@%d' % ask, self.words(), 4, 0)
            if self.chance(0.7):
                self.put(server, 'wait', answer)
        self.put(server, 'waitall')

    def barrier(self):
        for rank in range(self.nodes):
            self.put(rank, 'barrier')

    def pause(self):
        for rank in range(self.nodes):
            for _ in range(self.random.randint(0, 2)):
                self.put(rank, self.random.choice(['rest', 'clock', 'compute %d' % self.random.randint(1, 40)]))

    def regroup(self):
        """Make some of the operations in the node's group: as they are, or all of them with the group's ranks."""
        colors = [color for color, _ in self.options.groups]
        for script in self.scripts:
            for i, op in enumerate(script):
                if not op.startswith('g:') and (self.chance(0.02) or op == 'barrier' and self.chance(0.5)):
                    script[i] = 'g:' + op
        for color in set(colors):
            if self.chance(0.8):
                members = [rank for rank in range(self.nodes) if colors[rank] == color]
                inner = Generator(self.random.random(), nodes=len(members))
                members.sort(key=lambda rank: (self.options.groups[rank][1], rank))
                for rank, script in zip(members, inner.scripts):
                    self.scripts[rank] += ['g:' + op for op in script]

    # ---- programs that are meant to go wrong

    def operation(self, rank):
        posted = [op.split()[1] for op in self.scripts[rank] if op.startswith(('isend', 'irecv'))]
        waited = [op.split()[1] for op in self.scripts[rank] if op.startswith(('wait ', 'poll', 'test'))]
        good = [handle for handle in posted if handle not in waited]
        fresh = self.handle(rank)
        handle = int(self.random.choice(good)) if good and self.chance(0.97) else fresh
        finish = self.random.choice(['wait', 'wait', 'test', 'poll']) if good or self.chance(0.05) else 'isend'
        peer = self.rank() if self.chance(0.97) else self.random.choice([-2, self.nodes])
        any_peer = 'any' if self.chance(0.2) else peer
        any_tag = 'any' if self.chance(0.2) else self.tag()
        return self.random.choice([
            'isend %d %d %d %d 0' % (fresh, peer, self.words(), self.tag()),
            'isend %d %d %d %d 0' % (fresh, peer, self.words(), self.tag()),
            'irecv %d %s %d %s 0' % (fresh, any_peer, self.longest, any_tag),
            'irecv %d %s %d %s 0' % (fresh, any_peer, self.longest, any_tag),
            'send %d %d %d' % (peer, self.words(), self.tag()),
            'recv %s %d %s' % (any_peer, self.longest, any_tag),
            finish + (' %d' % handle if finish != 'isend' else ' %d %d 1 0 0' % (fresh, peer)), 'rest', 'barrier',
            'compute %d' % self.random.randint(0, 20), 'clock', 'skip 1', 'sleep', 'meet 0', 'settle',
            'post %d %d %d %d 3 %d' % (fresh, peer, self.words(), self.tag(), self.random.randint(0, 3)),
            'take %d %s %d %s 1' % (fresh, any_peer, self.random.randint(0, self.longest), any_tag),
            'probe %d %s %s %d' % (fresh, any_peer, any_tag, self.random.randint(0, 1)),
            'receive %d %d %d' % (fresh, self.longest, handle), 'look %s %s' % (any_peer, any_tag),
            'finish %d' % handle, 'cancel %d' % handle, 'let-go %d' % handle, 'any %d 0 0' % handle,
            'ask 1 %d 0 0' % handle,
            'put %d %d %d %d' % (fresh, peer, self.words(), self.random.randint(0, 15)),
            'get %d %d %d %d' % (fresh, peer, self.words(), self.random.randint(0, 15)),
            'add %d %d %d %d 1' % (fresh, peer, self.words(), self.random.randint(0, 15)),
            'lock %d %d 0 %d' % (fresh, peer, self.random.randint(0, 1)), 'unlock %d %d' % (fresh, handle), 'memory',
            'start %d %d' % (self.random.randint(0, 2), self.random.randint(0, 3)),
            'join %d' % self.random.randint(0, 2), 'jointest %d' % self.random.randint(0, 2)])

    def wild(self):
        for rank in range(self.nodes):
            for _ in range(self.random.randint(0, 12)):
                self.put(rank, self.operation(rank))
            if self.chance(0.8):
                self.put(rank, 'waitall')

    def mutate(self):
        rank = self.rank()
        script = self.scripts[rank]
        at = self.random.randint(0, len(script))
        how = self.random.choice(['drop', 'drop', 'swap', 'number', 'number', 'insert', 'double', 'abort', 'move'])
        if how == 'insert' or not script:
            script.insert(at, self.operation(rank))
            return
        at = min(at, len(script) - 1)
        if how == 'drop':
            del script[at]
        elif how == 'swap':
            other = self.random.randrange(len(script))
            script[at], script[other] = script[other], script[at]
        elif how == 'double':
            script.insert(at, script[at])
        elif how == 'abort':
            if self.chance(0.2):
                script.insert(at, 'abort')
        elif how == 'move':
            self.scripts[self.rank()].append(script.pop(at))
        else:
            words = script[at].split()
            if words[0].startswith('g:'):
                return
            changeable = [i for i in range(1, len(words)) if words[i].isdigit()]
            if changeable:
                i = self.random.choice(changeable)
                words[i] = str(max(0, int(words[i]) + self.random.choice([-1, 1])))
                if words[0] in ('isend', 'irecv') and i == 5 or words[0] == 'post' and i == 6 or \
                        i == 1 and int(words[i]) > 60:
                    return
                script[at] = ' '.join(words)


# ---------------------------------------------------------------------------------------------------- a smaller case

def judge(program, options, scripts, variant):
    """The differences of one case, or None when they agree."""
    expected = model.run(options, scripts)
    found, trouble = run_one(program, options, scripts, **variant)
    if found is None:
        return ['Peal: ' + trouble]
    return differences(expected, *found) or None


def minimise(program, options, scripts, variant):
    """Take away operations and options while the case still differs."""
    def differs(o, s):
        return judge(program, o, s, variant) is not None

    changed = True
    while changed:
        changed = False
        for rank in range(len(scripts)):
            size = max(1, len(scripts[rank]) // 2)
            while size:
                at = 0
                while at < len(scripts[rank]):
                    smaller = [list(s) for s in scripts]
                    del smaller[rank][at:at + size]
                    if differs(options, smaller):
                        scripts, changed = smaller, True
                    else:
                        at += size
                size //= 2
        plain = vars(model.Options(options.nodes))
        for key in plain:
            if getattr(options, key) != plain[key]:
                simpler = model.Options(**dict(vars(options), **{key: plain[key]}))
                if not (key == 'topology' and options.routing) and differs(simpler, scripts):
                    options, changed = simpler, True
    return options, scripts


def report(program, name, options, scripts, variant, wrong):
    print('--- %s: Peal and the model differ' % name)
    for line in wrong:
        print('    ' + line)
    if judge(program, options, scripts, variant):
        options, scripts = minimise(program, options, scripts, variant)
        print('--- made smaller:')
        print(model.case_text(name, options, scripts, **variant), end='')
        for line in judge(program, options, scripts, variant) or []:
            print('    ' + line)
        print('--- the model says:\n' + model.show(model.run(options, scripts)))
    else:
        print('--- alone it does not differ; run the seeds before it too')
    sys.stdout.flush()


# ---------------------------------------------------------------------------------------------------- the runs

def run_random(program, first, count, seconds, stop_after):
    """Compare programs made from the seeds first, first + 1, ...; give back how many differ."""
    end = time.monotonic() + seconds if seconds else None
    kinds, differ, seed = {}, 0, first
    while (seed < first + count if end is None else time.monotonic() < end) and differ < stop_after:
        batch = range(seed, seed + BATCH if end else min(seed + BATCH, first + count))
        cases = {str(s): Generator(s) for s in batch}
        texts = []
        for name, case in cases.items():
            texts.append(model.case_text(name, case.options, case.scripts, **case.variant))
            if int(name) % 5 == 0:  # the same again on one carrier and the other engine: rule 4
                other = [e for e in ENGINES if e != case.variant['engine']] or ENGINES
                texts.append(model.case_text(name + '-again', case.options, case.scripts, engine=other[0]))
        results, trouble = run_cases(program, texts)
        for name, case in cases.items():
            if name not in results or int(name) % 5 == 0 and name + '-again' not in results:
                report(program, 'seed ' + name, case.options, case.scripts, case.variant, ['Peal: ' + trouble])
                differ += 1
                break
            expected = model.run(case.options, case.scripts)
            kind = expected.failure.kind if expected.failure else 'ends well'
            kinds[kind] = kinds.get(kind, 0) + 1
            wrong = differences(expected, *results[name])
            if not wrong and name + '-again' in results and not same_runs(results[name], results[name + '-again']):
                wrong = ['%s differs from one carrier of another engine' % (case.variant,)]
            if wrong:
                report(program, 'seed ' + name, case.options, case.scripts, case.variant, wrong)
                differ += 1
                if differ >= stop_after:
                    break
        if trouble and not differ:
            print('--- seeds %d to %d: Peal: %s' % (batch[0], batch[-1], trouble))
            differ += 1
        seed = batch[-1] + 1
    print('seeds %d to %d: %s; %d differ' % (first, seed - 1, ', '.join(
        '%d %s' % (n, kind) for kind, n in sorted(kinds.items())), differ))
    return differ


def hold_to_sentence(case, document, output):
    return case.differences(rounds_of(document), coefficients(document['cost']),
                            coefficients(document['critical_path']), normal_failure(document), output.splitlines())


def normal_failure(document):
    """The failure with any source as -1, as the sentences write it."""
    failure = failure_of(document)
    if failure is None:
        return None
    return failure._replace(nodes=[w if w.what is None or w.peer not in (None, 'any') else w._replace(peer=-1)
                                   for w in failure.nodes])


def run_sentences(program):
    """Hold Peal to every hand-written case on one carrier and on two of each engine."""
    failed = 0
    ways = [(carriers, engine) for carriers in (1, 2) for engine in ENGINES]
    for carriers, engine in ways:
        texts = [model.case_text(i, c.options, c.scripts, carriers=carriers, engine=engine)
                 for i, c in enumerate(sentences.CASES)]
        results, trouble = run_cases(program, texts)
        for i, c in enumerate(sentences.CASES):
            wrong = hold_to_sentence(c, *results[str(i)]) if str(i) in results else ['no result: ' + trouble]
            for line in wrong:
                print('%s, %d carriers of %s (%s): %s' % (c.name, carriers, engine, c.sentence, line))
            failed += bool(wrong)
        if trouble and not failed:
            print('Peal: ' + trouble)
            failed += 1
    print('%d cases, %d ways each, %d failed' % (len(sentences.CASES), len(ways), failed))
    return failed


def run_file(program, path):
    with open(path) as file:
        options, scripts = model.read_case(file.read())
    print(model.show(model.run(options, scripts)))
    wrong = judge(program, options, scripts, {}) or []
    print('\n'.join(wrong) if wrong else 'Peal agrees.')
    return len(wrong)


def run_command(peal, count):
    """Run some sentences and some random programs as a program file through the command."""
    failed = 0
    cases = [(c.name, c.options, c.scripts) for c in sentences.CASES[::12]]
    cases += [('seed %d' % seed, case.options, case.scripts) for seed in range(count) for case in [Generator(seed)]]
    for name, options, scripts in cases:
        with tempfile.TemporaryDirectory() as folder:
            case, document = os.path.join(folder, 'case'), os.path.join(folder, 'run.json')
            with open(case, 'w') as file:
                file.write(model.case_text('one', options, scripts))
            alpha, beta, hop, tau = map(str, options.parameters)
            line = [peal, 'run', os.path.join(HERE, 'script.c'), os.path.join(HERE, 'operations.c'),
                    '-p', str(options.nodes), '-t', options.topology, '--ports', str(options.ports), '--switching', options.switching, '--congestion', options.congestion,
                    '--alpha', alpha, '--beta', beta, '--hop', hop, '--tau', tau, '--mailbox', str(options.mailbox),
                    '--delivery', 'rendezvous' if options.eager is None else 'eager:%d' % options.eager,
                    '--json=' + document]
            line += ['--routing', options.routing] if options.routing else []
            line += ['--half-duplex'] if options.half_duplex else []
            line += ['--lend', str(8 * options.lend)] if options.lend else []
            done = subprocess.run(line + ['--', case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            expected = model.run(options, scripts)
            wrong = []
            try:
                with open(document) as file:
                    written = json.load(file)
                wrong = differences(expected, written, '\n'.join(expected.output))
            except (OSError, ValueError) as error:
                wrong = ['no document: %s; %s' % (error, done.stderr.decode(errors='replace'))]
            if done.returncode != (1 if expected.failure else 0):
                wrong.append('exit status %d' % done.returncode)
            if wrong:
                failed += 1
                print('%s, through the command: %s' % (name, '\n    '.join(wrong)))
                print(model.case_text(name.replace(' ', '-'), options, scripts), end='')
    print('%d cases through the command, %d failed' % (len(cases), failed))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cases', nargs='?', help='the program built from cases.c')
    parser.add_argument('--seed', type=int, default=1, help='the first seed (1)')
    parser.add_argument('--count', type=int, default=1000, help='how many programs (1000)')
    parser.add_argument('--seconds', type=float, help='as many programs as this time allows')
    parser.add_argument('--stop-after', type=int, default=3, help='how many differing programs end the run (3)')
    parser.add_argument('--sentences', action='store_true', help='the hand-written cases')
    parser.add_argument('--file', help='one case from a file')
    parser.add_argument('--engines', default='threads', help='of these each program takes one (threads)')
    parser.add_argument('--command', metavar='PEAL', help='run some cases through this command')
    a = parser.parse_args()
    ENGINES[:] = a.engines.split(',')
    if a.command:
        failed = run_command(a.command, 10)
    elif a.cases is None:
        parser.error('the program built from cases.c is needed')
    elif a.sentences:
        failed = run_sentences(a.cases)
    elif a.file:
        failed = run_file(a.cases, a.file)
    else:
        failed = run_random(a.cases, a.seed, a.count, a.seconds, a.stop_after)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
