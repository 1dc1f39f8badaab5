# SPDX-License-Identifier: MIT
"""Random machines and random programs for them."""

import os
import random
import tempfile
import zlib

import model

WIRES = tempfile.TemporaryDirectory(prefix='peal-wires-')  # networks from files
ENGINES = ['threads']  # --engines


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

    def place(self, whole, nodes):
        """The nodes on hosts: of a network that has a host for each, or on larger or smaller ones."""
        pick, each = self.random.choice, self.random.choice([1, 1, 2, 3, 4, 12])
        hosts = [spec for spec, count in (('line:7', 7), ('ring:9', 9), ('mesh:3x4', 12), ('torus:4x4', 16), ('torus:3x3x2', 18),
                                          ('hypercube:3', 8), ('dgx1', 8), ('full', 12), ('full:5', 5), (whole, nodes))
                 if count * each >= nodes]
        spec = pick(hosts)
        size = model.Network.size(*spec.partition(':')[::2]) or -(-nodes // each)
        places = self.random.sample([host for host in range(size) for _ in range(each)], nodes)
        order = pick(['block', 'cyclic', 'random:%d' % self.random.randrange(2 ** 64), 'map:' + ','.join(map(str, places))])
        return '%s@%s%s' % (spec, '%d:' % each if each > 1 or self.chance(0.3) else '', order)

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
        topology = self.place(pick(specs), nodes) if self.chance(0.25) else pick(specs)
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
            if self.chance(0.7):  # sends first: then probes find a message
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
