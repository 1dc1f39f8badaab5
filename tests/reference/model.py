#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model of the machine, written from the sentences of its rules alone: plain, slow, and without a line of Peal in it.

It runs a script a node (see OPERATIONS below), and says which rounds the machine makes, what each is charged, the cost,
the critical path, how the run failed, and what every receive got.  differential.py compares all of it with Peal.

Where a sentence leaves room, this is how it is read here:

 1. "Rounds made before it was posted" counts every round, also those that carried nothing and are not written.
 2. "The number of sends its node posted" counts those of collectives too, and those that were complete at the post.
 3. A message carried ahead keeps its place in the order of admission when a receive looks for the first it may take.
 4. A receive that takes a message carried ahead gives its place free in that round's match, before admission.
 5. An outbox place is free when the send was carried, also that of an eager send, which was complete before.
 6. A post that is blocked is no request yet: it is not a node's "first incomplete request", nobody is waited for by it,
    and it does not move the clock.  Arguments are checked before it blocks.
 7. peal_sendrecv posts the send, then the receive, then waits for both.  So does every step of the barrier, to
    rank + 2^i and from rank - 2^i, i = 0, 1, ...
 8. A wait never sets a clock back.  An eager send has no end to wait for.  A test that is true sets the clock like a
    wait.
 9. Under store-forward the critical path's "own words" of a transfer are words · hops.  With congestion by volume they
    are what a round of this transfer alone would be charged: on a link of capacity c a c-th of the words.
10. With congestion by volume a transfer is charged the words on its fullest link (store-forward: the sum of the words
    on each of its links), its own words when it has no link.
11. A round is made, charged and, if charged, written before it is found that nothing more can happen: operations that
    were declared before a deadlock or livelock are charged.  Those before any other failure are not, but for
    unmatched-message, which is found after the last node has finished.
12. Truncation stops a round at its match: nothing of that round has happened, receives that would complete in it are
    incomplete.  Of several the lowest receiving rank's wins, its first in the order of posting.
13. A failure's nodes are those that are parked, and those that failed in a call before they finished ("failed").  A
    deadlock and livelock have a cycle if their parked nodes have one, other failures have none: of the nodes on any cycle the lowest
    rank, from it the shortest cycle, then the lowest next rank at each step.  A node that waits for a message to
    itself is a cycle of one.  A receive from any source in a group waits for all others of the group.
14. Half duplex with ports=all: a place is (node, wire), at the transfer's two end nodes.
    With ports=all a link of capacity c has c places at either end.
15. The critical path's result is the latest of all nodes' clocks and all transfers' ends.
16. When all nodes have finished, the run ends at once, without further rounds for eager messages nobody received.
17. Splitting a group takes no round.  What a failure says of a node in a group names ranks of the whole machine; what a
    wait says of a message names ranks of the group.
18. livelock is found after the 100th of its rounds on end.
19. A look finds at once what was unmatched after the last round, unless its node has posted a receive or a probe since
    then.
20. A probe ends on the critical path when both it and the message's send were posted; if the message was carried ahead,
    when it had come.  A send that is lent, and one that is taken back, has no end to wait for.
21. A node that has let requests go waits for them when its script ends, at its last line.
22. A one-sided request is posted like a send, takes a place in the outbox until its first message is carried, and waits for no
    receive.  What it does at its peer is done after the words of the round's other messages, in the order of admission.
23. An answer's place in the order is (rounds made when its cause has been delivered, before all sends, the order of the causes).  It
    takes no place in an outbox.  A lock is granted by the round that delivers the message that asks for it, or that gives it back: the
    answer begins on the critical path when both messages have ended.
24. A node that waits for a lock waits for those that have it, and for those that asked before it.  One that still has a lock at the end
    fails as lost-request.
25. A node whose strands wait for different things is in the first of these states that one of them is in: tests, rests,
    sleeps, posts, meets, waits.  It is parked until as many requests are complete as the strand that lacks least still needs; a strand
    that waits for another one's end needs none.  Its line in a report is that of its program's own call.
26. A strand that fails fails its node, at its line and with its clock.
27. What is complete when its strand ends, and was not waited for, is consumed.
"""

from collections import Counter, defaultdict, namedtuple

ANY = -1
MEMORY = 16  # words of a node that others put to and get from
ONE_SIDED = ('put', 'get', 'add', 'update', 'lock', 'unlock')
NO_COST = (0, 0, 0, 0)
LIVELOCK_ROUNDS = 100
STANDARD, SYNCHRONOUS, READY, BUFFERED = range(4)  # modes of post

# A script is a list of operations a node, each a string.  H is a number that names a request, DEST and SOURCE a rank
# (@H: the source of the message that came with request H), SOURCE and TAG may be `any`.
OPERATIONS = """
    isend H DEST WORDS TAG PIECES       irecv H SOURCE WORDS TAG PIECES     post; PIECES > 0: the vectored form
    wait H   waitall                    test H   poll H                     poll: test until it is true
    rest                                compute OPERATIONS                  rest: peal_next_round
    send DEST WORDS TAG                 recv SOURCE WORDS TAG               post and wait
    sendrecv DEST WORDS TAG SOURCE WORDS TAG
    barrier                             clock                               clock: print the model's time
    skip N                              abort                               skip N operations if the last test was false
    post H DEST WORDS TAG NOTE MODE     take H SOURCE WORDS TAG LENIENT     peal_post: a send, a receive
    probe H SOURCE TAG KEEPS            receive H WORDS PROBE               KEEPS: a matched probe; PROBE: its H
    look SOURCE TAG                     finish H                            finish: peal_finish, also of isend and irecv
    any H H H                           ask ENOUGH H H H                    0 is no handle
    cancel H   let-go H   settle        sleep   meet NUMBER
    put H PEER WORDS AT                 get H PEER WORDS AT                 with the peer's MEMORY words, from word AT on
    add H PEER WORDS AT FETCHES         memory                              FETCHES: what was there comes back; memory: print the own one
    lock H PEER NUMBER SHARED           unlock H LOCK                       LOCK: its H
    start S N                           join S   jointest S                 start: the next N operations are a strand's
"""
# An operation that begins with "g:" is made on the node as seen in its group: where Options.groups is given, every node
# begins with peal_split(me, color, key).


class Options:
    """What a machine is made of; the names are the command's."""

    def __init__(self, nodes, topology='full', routing='', ports=1, half_duplex=False, switching='ideal',
                 congestion='count', parameters=(1000, 1, 0, 0), eager=None, mailbox=65536,
                 groups=None, lend=0):
        self.nodes, self.topology, self.routing = nodes, topology, routing
        self.ports, self.half_duplex = ports, half_duplex  # ports: a number or 'all'
        self.switching, self.congestion, self.parameters = switching, congestion, parameters
        self.eager, self.mailbox = eager, mailbox          # eager: None for rendezvous, else W
        self.lend = lend      # words
        self.groups = groups  # None, or a list of (color, key), one a node


# ---------------------------------------------------------------------------------------------------- costs and clocks

def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


class Clockwork:
    """The order of times: "larger in time at the run's parameters, then in (alpha, beta, hop, tau)"."""

    def __init__(self, parameters):
        self.parameters = parameters

    def time(self, cost):
        alpha, beta, hop, tau = self.parameters
        return alpha * cost[0] + beta * cost[1] + hop * cost[2] + tau * cost[3]

    def order(self, cost):
        return (self.time(cost), cost)

    def latest(self, *costs):
        return max(costs, key=self.order)

    def earliest(self, costs):
        return min(costs, key=self.order)


# ---------------------------------------------------------------------------------------------------- networks

# GPUs and the NVLinks between each two: row = from, as its makers draw it.
DGX1 = """0 2 1 1 2 0 0 0
          2 0 1 2 0 1 0 0
          1 1 0 2 0 0 2 0
          1 2 2 0 0 0 0 1
          2 0 0 0 0 2 1 1
          0 1 0 0 2 0 1 2
          0 0 2 0 1 1 0 2
          0 0 0 1 1 2 2 0"""


class Network:
    """Routes as lists of links; a link is a pair of neighbours, one direction of the wire between them.  A network of
    listed wires has `capacity`: that of each link; every other link has 1."""

    def __init__(self, topology, routing, nodes):
        kind, _, numbers = topology.partition(':')
        self.kind, self.routing, self.nodes = kind, routing, nodes
        self.capacity = self.listed(kind, numbers)
        if self.capacity is not None:
            self.distances = [self.search(dest) for dest in range(nodes)]
            return
        if kind == 'hypercube':
            self.extents = [2] * (nodes.bit_length() - 1)
        elif numbers and kind in ('mesh', 'torus'):
            self.extents = [int(n) for n in numbers.split('x')]
        else:
            self.extents = [nodes]
        product = 1
        for extent in self.extents:
            product *= extent
        assert product == nodes, topology

    @staticmethod
    def listed(kind, path):
        """The capacity of every link of a network that is a list of wires; None for the others."""
        if kind == 'dgx1':
            rows = [[int(n) for n in row.split()] for row in DGX1.splitlines()]
            return {(a, b): c for a, row in enumerate(rows) for b, c in enumerate(row) if c}
        if kind == 'dgx-a100':
            return {(a, b): 12 for a in range(8) for b in range(8) if a != b}
        if kind != 'file':
            return None
        capacity = {}
        with open(path) as file:
            for a, b, c in (map(int, line.split()) for line in file):
                capacity[a, b] = capacity[b, a] = c
        return capacity

    def search(self, dest):
        """How many hops it is from each node to `dest`."""
        hops, frontier = {dest: 0}, [dest]
        while frontier:
            frontier = [u for u in range(self.nodes) if u not in hops and any((u, v) in self.capacity for v in frontier)]
            reached = max(hops.values()) + 1
            hops.update((u, reached) for u in frontier)
        return hops

    def wires(self, link):
        return self.capacity[link] if self.capacity else 1

    def coordinates(self, rank):
        where = []
        for extent in reversed(self.extents):
            where.insert(0, rank % extent)
            rank //= extent
        return where

    def rank(self, where):
        rank = 0
        for extent, x in zip(self.extents, where):
            rank = rank * extent + x
        return rank

    def steps(self, dimension, here, there):
        """The coordinates after `here` on the way to `there`: the shortest way round a ring, upwards in a tie."""
        extent = self.extents[dimension]
        wraps = self.kind in ('ring', 'torus')
        up = (there - here) % extent if wraps else there - here
        step = 1 if (2 * up <= extent if wraps else up > 0) else -1
        while here != there:
            here = (here + step) % extent
            yield here

    def route(self, source, dest):
        if source == dest:
            return []
        if self.kind == 'full':
            return [(source, dest)]
        if self.capacity is not None:  # at each step the lowest next rank that is nearer
            links, hops = [], self.distances[dest]
            while source != dest:
                to = min(v for v in range(self.nodes) if (source, v) in self.capacity and hops[v] == hops[source] - 1)
                links.append((source, to))
                source = to
            return links
        # Mesh and torus: the last coordinate first (xy), or the first one first (yx).  Hypercube: the lowest dimension
        # first, which is the lowest bit of the rank, the last coordinate.
        dimensions = list(range(len(self.extents)))
        if self.routing != 'yx':
            dimensions.reverse()
        here, there = self.coordinates(source), self.coordinates(dest)
        links, at = [], source
        for d in dimensions:
            for x in self.steps(d, here[d], there[d]):
                here[d] = x
                links.append((at, self.rank(here)))
                at = links[-1][1]
        assert at == dest
        return links


# ---------------------------------------------------------------------------------------------------- nodes

class View:
    """A group of nodes: a node's rank in it is its place in `ranks`, which are those of the whole machine."""

    def __init__(self, ranks, context):
        self.ranks, self.context = list(ranks), context

    def rank(self, node):
        return self.ranks.index(node.rank)


class Request:
    def __init__(self, kind, node, view, peer, words, tag, collective):
        self.kind, self.node, self.view, self.words, self.tag = kind, node, view, words, tag
        self.peer = ANY if peer == ANY else view.ranks[peer]  # in the whole machine
        self.collective = collective
        self.strand = node.strand
        self.context = (view.context, collective, node.strand.number)
        self.eager = False     # a send that was complete at the post, and may be carried ahead
        self.kept = False      # a send that is complete before it is carried: eager, buffered or lent
        self.mode, self.note, self.lenient = STANDARD, 0, False
        self.noted = False     # a receive that says the note
        self.source = None     # of a receive: the matched probe whose message it takes
        self.found = None      # of a probe: the send
        self.taken = False     # what it has found has a receive
        self.asked_back = False
        self.held = False      # a send that a matched probe has found
        self.let_go = self.cancels = self.cancelled = False
        self.complete = False
        self.consumed = False  # waited for
        self.line = node.line  # of its script
        self.carried = False   # a send whose words are at the receiver
        self.partner = None    # the other half of the pair, once matched
        self.end = None        # when its transfer ends on the critical path
        self.order = None      # a send's place in the order of admission
        self.at = 0            # one-sided: the first word of the peer's memory
        self.values = []       # and the words that were put or got
        self.asked = False     # its first message was carried: an answer is on its way, or a lock is waited for
        self.granted = False   # a lock
        self.shared = False
        self.lock = None       # of an unlock
        self.given_back = False
        self.clock = None      # its node's clock when it was posted

    def ends(self):
        """From where to where its next message goes."""
        here, there = self.node.rank, self.peer
        return (there, here) if self.kind == 'get' or self.asked else (here, there)

    def load(self):
        """The words of its next message."""
        return 0 if self.kind in ('lock', 'unlock') else self.words

    def may_take(self, send):
        return (send.context == self.context and self.peer in (ANY, send.node.rank)
                and self.tag in (ANY, send.tag))


class Strand:
    """One flow of control of a node; number 0 is its program, n the n-th that it has started."""

    kind = 'strand'

    def __init__(self, number, view, line, clock):
        self.number, self.view, self.line, self.clock = number, view, line, clock
        self.started_on = view
        self.body = None
        self.tested = True
        self.last_line = line
        self.parked = None
        self.rested = False      # a round was made since it began to rest
        self.complete = False    # it has ended
        self.claimed = False     # a strand waits for it
        self.joined = False

    def can_go_on(self):
        park = self.parked
        if park is None:
            return True
        if park.state in RESTING:
            return self.rested
        if park.state == 'waits':
            return self.needs() <= 0
        return park.ready()

    def needs(self):
        """How many of what it waits for it still needs."""
        awaited = self.parked.awaited
        need = len(awaited) if self.parked.need is None else self.parked.need
        return need - sum(r.complete for r in awaited)


RESTING = ('tests', 'rests', 'sleeps')

# state as a failure reports it; ready() says whether the node may go on; so many of `awaited` it needs, None: all
Park = namedtuple('Park', 'state ready awaited need', defaults=((), None))
Transfer = namedtuple('Transfer', 'source dest words hops k')
Round = namedtuple('Round', 'transfers charge')
Waiting = namedtuple('Waiting', 'rank state what peer words tag line')
Failure = namedtuple('Failure', 'kind nodes cycle')
Finding = namedtuple('Finding', 'kind places cycle times')  # places: (rank, line)
Result = namedtuple('Result', 'rounds cost critical_path failure output findings')


class Failed(Exception):
    """A failure of one node."""


class Node:
    """A node and its program: the operations are generators that yield a Park where they rest until a later round."""

    def __init__(self, machine, rank, script):
        self.machine, self.rank, self.script = machine, rank, script
        self.strand = None           # that runs
        self.operations = 0          # declared since the last round
        self.sends_since_round = 0
        self.outbox = []             # sends not yet carried
        self.mailbox = []            # receives not yet complete
        self.standing = []           # receives not yet matched, and probes that have found nothing, as they were posted
        self.posted = False          # something of these since the last round
        self.meeting = None          # (context, number, count of this node's meetings so)
        self.meetings = Counter()
        self.requests = []           # all, in the order of posting
        self.handles = {}            # of isend and irecv, by H
        self.memory = [(rank + 1 << 40) + i for i in range(MEMORY)]
        self.sources = {}            # where the message of request H came from, once a wait or test told
        self.parked = None
        self.finished = False
        self.failed = None           # the kind of failure
        self.world = View(range(machine.options.nodes), -1)
        self.group = self.world
        if machine.options.groups:
            groups = machine.options.groups
            color = groups[rank][0]
            members = [r for r, (c, _) in enumerate(groups) if c == color]
            self.group = View(sorted(members, key=lambda r: (groups[r][1], r)), color)
        self.program_strand = self.strand = Strand(0, self.world, 0, NO_COST)
        self.strand.body = self.program(script, 1)
        self.strands = [self.strand]  # that have not ended
        self.started = {}            # strands, by S
        self.all_started = []
        self.calls = Counter()       # of collectives, by context

    # What the strand that runs, or else the program, has of its own.
    clock = property(lambda self: self.strand.clock, lambda self, clock: setattr(self.strand, 'clock', clock))
    view = property(lambda self: self.strand.view, lambda self, view: setattr(self.strand, 'view', view))
    line = property(lambda self: self.strand.line, lambda self, line: setattr(self.strand, 'line', line))
    tested = property(lambda self: self.strand.tested, lambda self, tested: setattr(self.strand, 'tested', tested))

    # ---- running

    def resume(self):
        """Run until the node parks, finishes or fails."""
        self.parked = None
        for strand in self.strands:
            strand.rested = True
        try:
            while not self.finished:
                strand = next((s for s in self.strands[1:] + self.strands[:1] if s.can_go_on()), None)
                if strand is None:
                    self.park()
                    return
                self.advance(strand)
        except Failed as failure:
            self.failed = str(failure)

    def advance(self, strand):
        """Let a strand run until it waits or has ended."""
        self.strand, strand.parked = strand, None
        try:
            strand.parked = next(strand.body)
            strand.rested = False
        except StopIteration:
            self.end(strand)
        self.strand = self.program_strand

    def end(self, strand):
        """Its operations are over."""
        program = strand is self.program_strand
        own = [r for r in self.requests if (program or r.strand is strand) and not r.complete]
        self.line = strand.last_line
        if any(r.let_go for r in own):
            strand.body = self.settle()
            strand.parked = next(strand.body)
            strand.rested = False
            return
        self.finished = program
        locks = [r for r in self.requests if (program or r.strand is strand) and r.kind == 'lock' and not r.given_back]
        if own or locks or program and len(self.strands) > 1:
            raise Failed('lost-request')
        for r in self.requests:
            if r.strand is strand:
                r.consumed = r.taken = True
        strand.complete = True
        self.strands.remove(strand)

    def park(self):
        """No strand can go on."""
        parks = [s.parked for s in self.strands]
        state = next((s for s in ('tests', 'rests', 'sleeps', 'posts', 'meets') if any(p.state == s for p in parks)),
                     'waits')
        waiting = [s for s in self.strands if s.parked.state == 'waits']
        open_ = {s: [r for r in s.parked.awaited if not r.complete and isinstance(r, Request)] for s in waiting}
        needs = [(s.needs(), open_[s]) for s in waiting if s.needs() <= len(open_[s])]
        least = min((need for need, _ in needs), default=None)
        counted = [r for requests in open_.values() for r in requests]
        others = [p for p in parks if p.state not in ('waits',) + RESTING]

        def ready():
            if state in RESTING:
                return True
            return (least is not None and sum(r.complete for r in counted) >= least or any(p.ready() for p in others))
        self.parked = Park(state, ready)

    def program(self, script, first_line):
        """The operations of the program, or of a strand."""
        at, strand = 0, self.strand
        while at < len(script):
            self.line = at + first_line
            name, *words = script[at].split()
            if strand is self.program_strand:
                self.view = self.group if name.startswith('g:') else self.world
            name = name.replace('g:', '')
            at += 1
            if name not in ('skip', 'clock', 'memory'):
                strand.last_line = self.line
            if name == 'skip':
                at += 0 if self.tested else int(words[0])
            elif name == 'start':
                count = int(words[1])
                self.start(int(words[0]), script[at:at + count], self.line + 1)
                at += count
            else:
                yield from getattr(self, 'do_' + name.replace('-', '_'))(*map(self.number, words)) or ()

    def start(self, name, script, line):
        if self.strand is not self.program_strand:
            raise Failed('bad-request')
        number = self.call('strand')
        strand = Strand(number, View(self.view.ranks, self.view.context), self.line, self.clock)
        strand.started_on = self.view
        self.strand = strand
        self.all_started.append(strand)
        self.started.pop(name, None)  # nobody knows it yet
        strand.body = self.program(script, line)
        self.strands.append(strand)
        self.advance(strand)
        self.started[name] = strand

    def call(self, what):
        """Make a collective call, which all of the group must make as their n-th; gives n, from 1."""
        context = self.view.context
        if self.strand is self.program_strand:
            self.calls[context] += 1
            self.machine.calls.setdefault((context, self.calls[context]), {})[self.rank] = (what, self.view)
        return self.calls[context]

    def number(self, word):
        if word.startswith('@'):
            return self.sources.get(int(word[1:]), 0)
        return ANY if word == 'any' else int(word)

    def first_incomplete(self):
        return next((r for r in self.requests if not r.complete), None)

    def settle(self):
        awaited = [r for r in self.requests if r.let_go and not r.complete
                   and (self.strand is self.program_strand or r.strand is self.strand)]
        if awaited:
            yield Park('waits', lambda: all(r.complete for r in awaited), awaited)

    def waits_for(self):
        peers = set()
        for r in self.requests:
            if r.kind == 'lock' and not r.complete:
                peers |= self.machine.before(r)
            elif not r.complete:
                peers |= set(r.view.ranks) - {self.rank} if r.peer == ANY else {r.peer}
        if self.meeting:
            peers |= {r for r in self.view.ranks if self.machine.nodes[r].meeting != self.meeting}
        return peers

    def say(self, *words):
        self.machine.output.append(' '.join(map(str, (self.rank, self.line) + words)))

    # ---- the pieces the operations are made of

    def post(self, kind, peer, words, tag, collective=False, mode=STANDARD):
        machine, view = self.machine, self.view
        if not (0 <= peer < len(view.ranks) or kind == 'receive' and peer == ANY):
            raise Failed('bad-rank')
        box = self.mailbox if kind == 'receive' else self.outbox
        if len(box) >= machine.options.mailbox:
            yield Park('posts', lambda: len(box) < machine.options.mailbox)
        request = Request(kind, self, view, peer, words, tag, collective)
        request.clock = self.clock
        box.append(request)
        self.requests.append(request)
        if kind == 'send':
            request.order = (machine.rounds_made, self.sends_since_round, self.rank)
            self.sends_since_round += 1
            request.mode = mode
            request.eager = machine.options.eager is not None and words <= machine.options.eager and mode != SYNCHRONOUS
            request.kept = request.complete = request.eager or mode == BUFFERED
            if mode == READY:
                machine.ready.append(request)
        elif kind in ONE_SIDED:
            request.order = (machine.rounds_made, self.sends_since_round, self.rank)
            self.sends_since_round += 1
        else:
            self.standing.append(request)
            self.posted = True
        return request

    def post_probe(self, source, tag, keeps):
        view = self.view
        if not (0 <= source < len(view.ranks) or source == ANY):
            raise Failed('bad-rank')
        request = Request('keep' if keeps else 'probe', self, view, source, 0, tag, False)
        request.clock = self.clock
        self.requests.append(request)
        return request

    def wait_for(self, requests):
        awaited = [r for r in requests if not r.complete]
        if awaited:
            yield Park('waits', lambda: all(r.complete for r in requests), awaited)
        for r in requests:
            self.consume(r)

    def consume(self, request):
        request.consumed = True
        if request.end is not None and not request.kept:
            self.clock = self.machine.clockwork.latest(self.clock, request.end)

    def open_request(self, handle):
        request = self.handles.get(handle)
        if request is None or request.consumed or self.is_claimed(request):
            raise Failed('bad-request')
        return request

    def is_claimed(self, request):
        """Whether another strand waits for it, or tests it."""
        return any(s is not self.strand and s.parked and request in s.parked.awaited for s in self.strands)

    def plain_request(self, handle):
        request = self.open_request(handle)
        if request.kind in ('keep', 'lock'):
            raise Failed('bad-request')
        return request

    def tell_all(self, request, handle=None):
        """All of an envelope."""
        self.tested = not request.cancelled
        if request.cancelled:
            self.say('cancelled')
        elif request.kind in ONE_SIDED:
            self.say('accessed', self.checksum(request.values) if request.kind in ('get', 'update') else 0)
        elif request.kind == 'send':
            self.say('done', request.view.rank(self), request.tag, request.words, request.words, request.note)
        else:
            send = request.found or request.partner
            fits = 0 if request.found else min(send.words, request.words)
            self.sources[handle] = send.view.rank(send.node)
            self.say('got', self.sources[handle], send.tag, send.words, fits,
                     send.note if request.found or request.noted else 0,
                     *[] if request.found else [self.content(send) if fits else '-'])

    def tell(self, request, handle=None):
        if request.kind == 'send':
            self.say('sent', request.view.rank(self), request.tag, request.words)
        else:
            send = request.partner
            self.sources[handle] = send.view.rank(send.node)
            self.say('received', self.sources[handle], send.tag, send.words, self.content(send))

    @staticmethod
    def checksum(values):
        sum = 0
        for value in values:
            sum = (sum * 31 + value) % 2**64
        return sum

    @staticmethod
    def content(send):
        """Whose words arrived: the rank and the line of the send."""
        return '%d.%d' % (send.node.rank, send.line) if send.words else '-'

    # ---- the operations

    def do_isend(self, handle, dest, words, tag, pieces):
        self.sources.pop(handle, None)
        self.handles[handle] = yield from self.post('send', dest, words, tag)

    def do_irecv(self, handle, source, words, tag, pieces):
        self.sources.pop(handle, None)
        self.handles[handle] = yield from self.post('receive', source, words, tag)

    def do_wait(self, handle):
        request = self.plain_request(handle)
        yield from self.wait_for([request])
        self.tell_plainly(request, handle)

    def tell_plainly(self, request, handle):
        """What Peal's plain waits say: of what they do not know, the operation says only that it is over."""
        if request.asked_back or request.kind == 'probe' or request.lenient or request.kind in ONE_SIDED:
            self.say('over')
        else:
            self.tell(request, handle)

    def do_waitall(self):
        requests = [r for r in self.requests if not r.consumed and r.view is self.view and not r.let_go
                    and r.kind not in ('keep', 'lock') and not self.is_claimed(r)]
        strands = [s for s in self.all_started if s.started_on is self.view and not s.joined and not s.claimed]
        awaited = [r for r in requests + strands if not r.complete]
        for s in strands:
            s.claimed = not s.complete
        if awaited:
            yield Park('waits', None, awaited)
        for s in strands:
            if s.joined:
                continue
            s.joined = True
            self.clock = self.machine.clockwork.latest(self.clock, s.clock)
        yield from self.wait_for(requests)
        for r in requests:
            if r.kind == 'receive' and not r.asked_back:
                fits = min(r.partner.words, r.words)
                self.say('holds', fits, self.content(r.partner) if fits else '-')
        self.say('all')

    def do_test(self, handle):
        request = self.plain_request(handle)
        if not request.complete:
            yield Park('tests', lambda: True, [request], 1)
        self.tested = request.complete
        if self.tested:
            self.consume(request)
            self.tell_plainly(request, handle)
        else:
            self.say('false')

    def do_poll(self, handle):
        request = self.plain_request(handle)
        while not request.complete:
            yield Park('tests', lambda: True, [request], 1)
        self.consume(request)
        self.tell_plainly(request, handle)

    def do_rest(self):
        yield Park('rests', lambda: True)

    def do_compute(self, operations):
        self.operations += operations
        self.clock = add(self.clock, (0, 0, 0, operations))

    def do_send(self, dest, words, tag):
        request = yield from self.post('send', dest, words, tag)
        yield from self.wait_for([request])

    def do_recv(self, source, words, tag):
        request = yield from self.post('receive', source, words, tag)
        yield from self.wait_for([request])
        self.tell(request)

    def do_sendrecv(self, dest, out_words, out_tag, source, in_words, in_tag):
        send = yield from self.post('send', dest, out_words, out_tag)
        receive = yield from self.post('receive', source, in_words, in_tag)
        yield from self.wait_for([send, receive])
        self.tell(receive)

    def do_barrier(self):
        self.call('barrier')
        nodes, rank, distance = len(self.view.ranks), self.view.rank(self), 1
        while distance < nodes:
            send = yield from self.post('send', (rank + distance) % nodes, 0, 0, collective=True)
            receive = yield from self.post('receive', (rank - distance) % nodes, 0, 0, collective=True)
            yield from self.wait_for([send, receive])
            distance *= 2

    def do_clock(self):
        made = self.machine.clockwork.time(add(self.machine.cost, (0, 0, 0, self.operations)))
        self.say('clock', '%.17g' % made)

    def do_post(self, handle, dest, words, tag, note, mode):
        self.sources.pop(handle, None)
        request = yield from self.post('send', dest, words, tag, mode=mode)
        request.note = note
        self.handles[handle] = request

    def do_take(self, handle, source, words, tag, lenient):
        self.sources.pop(handle, None)
        request = yield from self.post('receive', source, words, tag)
        request.lenient, request.noted = bool(lenient), True
        self.handles[handle] = request

    def do_probe(self, handle, source, tag, keeps):
        self.sources.pop(handle, None)
        request = self.post_probe(source, tag, keeps)
        self.standing.append(request)
        self.posted = True
        self.handles[handle] = request

    def do_receive(self, handle, words, probe):
        found = self.handles.get(probe)
        if found is None or found.kind != 'keep' or not found.consumed or found.taken or not found.found:
            raise Failed('bad-request')
        self.sources.pop(handle, None)
        request = yield from self.post('receive', 0, words, 0)
        request.source, request.noted = found.found, True
        request.peer, request.tag = found.found.node.rank, found.found.tag
        found.taken = True
        self.handles[handle] = request

    def do_look(self, source, tag):
        request = self.post_probe(source, tag, False)
        at_once = None if self.posted else next((s for s in self.machine.sends() if self.machine.is_there(s)
                                                 and s.peer == self.rank and request.may_take(s)), None)
        if at_once:
            self.machine.find(request, at_once)
        else:
            self.posted = True
            self.standing.append(request)
            yield Park('tests', lambda: True)
        if request.complete:
            self.consume(request)
            self.tell_all(request)
        else:
            self.standing.remove(request)
            self.requests.remove(request)
            self.say('false')
        self.tested = request.complete

    def do_finish(self, handle):
        request = self.open_request(handle)
        yield from self.wait_for([request])
        self.tell_all(request, handle)

    def chosen(self, handles):
        return [self.open_request(h) for h in handles if h]

    def do_any(self, *handles):
        requests = self.chosen(handles)
        if requests and not any(r.complete for r in requests):
            yield Park('waits', lambda: any(r.complete for r in requests), requests, 1)
        self.say('any', next((i for i, h in enumerate(handles) if h and self.handles[h].complete), -1))

    def do_ask(self, enough, *handles):
        requests = self.chosen(handles)
        complete = sum(r.complete for r in requests)
        if complete < enough:
            yield Park('tests', lambda: True, [r for r in requests if not r.complete], enough - complete)
        self.tested = sum(r.complete for r in requests) >= enough
        self.say('asked', sum(r.complete for r in requests))

    def do_cancel(self, handle):
        request = self.open_request(handle)
        request.asked_back = True
        if not request.complete and request.partner is None and request.kind not in ONE_SIDED:
            request.cancels = True

    def do_let_go(self, handle):
        request = self.plain_request(handle)
        if request.complete:
            self.consume(request)
        else:
            request.let_go = request.consumed = True

    def do_settle(self):
        yield from self.settle()

    def view_of(self, meeting):
        return self.world if meeting[0] == self.world.context else self.group

    def do_sleep(self):
        yield Park('sleeps', lambda: True)

    def do_meet(self, number):
        view = self.view
        self.meetings[view.context, number] += 1
        self.meeting = key = (view.context, number, self.meetings[view.context, number])
        self.machine.come[key].append(self.rank)
        yield Park('meets', lambda: key in self.machine.held)
        self.meeting = None
        self.say('met')

    def access(self, kind, handle, peer, words, at, tag=0):
        self.sources.pop(handle, None)
        at %= MEMORY
        words = min(words, MEMORY - at)
        request = yield from self.post(kind, peer, words, tag)
        request.at = at
        request.values = [(self.rank + 1 << 40) + (self.line << 20) + i for i in range(words)]
        self.handles[handle] = request
        return request

    def do_put(self, handle, peer, words, at):
        yield from self.access('put', handle, peer, words, at)

    def do_get(self, handle, peer, words, at):
        yield from self.access('get', handle, peer, words, at)

    def do_add(self, handle, peer, words, at, fetches):
        yield from self.access('update' if fetches else 'add', handle, peer, words, at)

    def do_lock(self, handle, peer, number, shared):
        request = yield from self.access('lock', handle, peer, 0, 0, tag=number)
        request.shared = bool(shared)

    def do_unlock(self, handle, lock):
        held = self.handles.get(lock)
        if held is None or held.kind != 'lock' or not held.consumed or held.given_back:
            raise Failed('bad-request')
        peer = held.view.ranks.index(held.peer)
        self.sources.pop(handle, None)
        view, self.view = self.view, held.view
        request = yield from self.post('unlock', peer, 0, held.tag)
        self.view = view
        request.view = view
        request.lock = held
        held.given_back = True
        self.handles[handle] = request

    def do_memory(self):
        self.say('memory', self.checksum(self.memory))
    def do_join(self, name):
        strand = self.started.get(name)
        if strand is None or strand.joined or strand.claimed:
            raise Failed('bad-request')
        strand.claimed = True
        if not strand.complete:
            yield Park('waits', None, [strand], 1)
        self.join(strand)

    def do_jointest(self, name):
        strand = self.started.get(name)
        if strand is None or strand.joined or strand.claimed:
            raise Failed('bad-request')
        if not strand.complete:
            strand.claimed = True
            yield Park('tests', lambda: True, [strand], 1)
            strand.claimed = False
        self.tested = strand.complete
        if strand.complete:
            self.join(strand)
        else:
            self.say('false')

    def join(self, strand):
        strand.joined = True
        self.clock = self.machine.clockwork.latest(self.clock, strand.clock)
        self.say('joined')

    def do_abort(self):
        raise Failed('crash')


# ---------------------------------------------------------------------------------------------------- the machine

class Stop(Exception):
    """A failure of the run."""


class Machine:
    def __init__(self, options, scripts):
        self.options = options
        self.network = Network(options.topology, options.routing, options.nodes)
        self.clockwork = Clockwork(options.parameters)
        self.nodes = [Node(self, rank, script) for rank, script in enumerate(scripts)]
        self.rounds_made = 0
        self.rounds = []
        self.cost = NO_COST
        self.output = []
        self.latest_end = NO_COST
        self.places = {}       # pool -> the clock of each of its places
        self.slept = 0         # rounds in which a node slept, since one of them counted
        self.quiet_rounds = 0  # on end, that carried nothing and released only tests and rests
        self.come = defaultdict(list)  # nodes that have come to each meeting
        self.held = set()      # meetings
        self.calls = {}        # (context, n) -> {rank: (what, view)} of collective calls
        self.ready = []        # ready sends since the last round
        self.locks = {}        # (context, owner, number) -> its requests, those that have it first, in the order of arrival
        self.findings = []

    def run(self):
        failure = None
        try:
            while self.compute():
                self.round()
            self.finish()
        except Stop as stop:
            failure = self.failure(str(stop))
        path = self.clockwork.latest(self.latest_end, *(node.clock for node in self.nodes))
        return Result(self.rounds, self.cost, path, failure, self.output, self.findings)

    def compute(self):
        """Let every node run until it waits or has finished; give back whether a round is wanted."""
        for node in self.nodes:
            if not node.finished and node.parked is None:
                node.resume()
        failed = [(node.rank, 0, node.failed) for node in self.nodes if node.failed]
        for made in self.calls.values():
            first, _ = made[min(made)]
            failed += [(rank, 1, 'collective-mismatch') for rank, (what, _) in made.items() if what != first]
        if failed:
            raise Stop(min(failed)[2])
        return not all(node.finished for node in self.nodes)

    def finish(self):
        self.write([], self.charge([]))
        if any(len(made) < len(next(iter(made.values()))[1].ranks) for made in self.calls.values()):
            raise Stop('collective-mismatch')
        if any(send.partner is None and not send.cancelled for send in self.sends()):
            raise Stop('unmatched-message')

    def sends(self):
        """Every send of the run in the order of admission."""
        return sorted((r for node in self.nodes for r in node.requests if r.kind == 'send'), key=lambda s: s.order)

    def posts(self):
        """The same with one-sided requests."""
        return sorted((r for node in self.nodes for r in node.requests if r.kind == 'send' or r.kind in ONE_SIDED),
                      key=lambda s: s.order)

    # ---- one round

    def round(self):
        self.match()
        self.take_back()
        for send in self.ready:
            if send.partner is None:
                self.note('bad-request', [send.node], [], send.line)
        self.ready = []
        carried = self.admit()
        transfers = self.route([(*s.ends(), s.load()) for s in carried])
        self.write(transfers, self.charge(transfers))
        self.deliver(carried)
        self.rounds_made += 1
        for node in self.nodes:
            node.sends_since_round = 0
            node.posted = False
        self.release(carried)

    def match(self):
        sends = [s for s in self.sends() if s.partner is None and not s.cancelled]
        found = []  # what probes find they have found when the round is made
        for node in self.nodes:
            for receive in list(node.standing):
                send = receive.source or next((s for s in sends if s.peer == node.rank and s.partner is None
                                               and not s.held and receive.may_take(s)), None)
                if send is None:
                    continue
                node.standing.remove(receive)
                if receive.kind in ('probe', 'keep'):
                    send.held = receive.kind == 'keep'
                    found.append((receive, send))
                    continue
                if send.words > receive.words and not receive.lenient:
                    raise Stop('truncation')
                send.partner, receive.partner = receive, send
        for probe, send in found:
            self.find(probe, send)

    def is_there(self, send):
        """Whether it was unmatched after the last round."""
        return send.partner is None and not send.held and not send.cancelled and send.order[0] < self.rounds_made

    def find(self, probe, send):
        probe.found, probe.complete = send, True
        probe.end = self.clockwork.latest(probe.clock, send.end if send.carried else send.clock)
        send.held = probe.kind == 'keep'

    def take_back(self):
        for node in self.nodes:
            for r in node.requests:
                if not r.cancels:
                    continue
                r.cancels = False
                if r.complete or r.partner or r.held:
                    continue
                r.complete = r.cancelled = True
                for box in (node.outbox, node.mailbox, node.standing):
                    if r in box:
                        box.remove(r)

    def note(self, kind, nodes, cycle, line=None):
        """A finding; one at the same places is counted."""
        places = [(node.rank, node.line if line is None else line) for node in nodes]
        for i, f in enumerate(self.findings):
            if (f.kind, f.places) == (kind, places):
                self.findings[i] = f._replace(times=f.times + 1)
                return
        self.findings.append(Finding(kind, places, cycle, 1))

    def lend(self):
        """Nothing moves: lend what helps a node; give back whether one is helped."""
        def lendable(strand):
            return [r for r in strand.parked.awaited if r.kind == 'send' and not r.complete and r.partner is None
                    and r.mode != SYNCHRONOUS and r.words <= self.options.lend]

        def strands(node):
            return [s for s in node.strands if lendable(s) and len(lendable(s)) >= s.needs()]
        helped = [node for node in self.nodes if self.options.lend and node.parked and strands(node)]
        if not helped:
            return False
        cycle = self.cycle()
        self.note('deadlock-if-unbuffered', [self.nodes[r] for r in cycle] or helped[:1], cycle)
        for node in helped:
            for strand in strands(node):
                for send in lendable(strand):
                    send.complete = send.kept = True
        return True

    def admit(self):
        """Go once through the order and take every send whose ports are free at that moment."""
        taken, carried = Counter(), []
        ahead = Counter(s.peer for s in self.sends() if s.carried and s.partner is None)
        for send in self.posts():
            one_sided = send.kind in ONE_SIDED
            if send.carried or not (send.partner or send.eager or one_sided):
                continue
            if send.kind == 'lock' and send.asked and not send.granted:
                continue
            if send.partner is None and not one_sided and ahead[send.peer] >= self.options.mailbox:
                continue
            pools = self.pools(*send.ends())
            if all(taken[pool] < self.places_of(pool) for pool in pools):
                taken.update(pools)
                carried.append(send)
                if send.partner is None and not one_sided:
                    ahead[send.peer] += 1
        return carried

    def pools(self, source, dest):
        """The pools of places that a transfer takes one place of each."""
        if self.options.ports == 'all':
            if source == dest:
                return []
            links = self.network.route(source, dest)
            if self.options.half_duplex:
                return [(source, frozenset(links[0])), (dest, frozenset(links[-1]))]
            return [('out', source, links[0]), ('in', dest, links[-1])]
        if self.options.half_duplex:
            return [source] if source == dest else [source, dest]
        return [('send', source), ('receive', dest)]

    def places_of(self, pool):
        """Under ports=all there is one place a wire of the link, of which there are as many as its capacity."""
        if self.options.ports != 'all':
            return self.options.ports
        link = tuple(pool[1]) if self.options.half_duplex else pool[2]
        return self.network.wires(link)

    def route(self, messages):
        """Give the transfers with hops and k."""
        self.link_count, self.link_words = Counter(), Counter()
        for source, dest, words in messages:
            for link in self.network.route(source, dest):
                self.link_count[link] += 1
                self.link_words[link] += words
        transfers = []
        for source, dest, words in messages:
            links = self.network.route(source, dest)
            k = max((self.share(self.link_count[link], link) for link in links), default=1)
            transfers.append(Transfer(source, dest, words, len(links), k))
        return transfers

    def charge(self, transfers):
        tau = max(node.operations for node in self.nodes)
        for node in self.nodes:
            node.operations = 0
        if not transfers:
            return (0, 0, 0, tau)
        hop = max(t.hops for t in transfers) if self.options.switching == 'wormhole' else 0
        return (1, max(map(self.beta, transfers)), hop, tau)

    def beta(self, t):
        links = self.network.route(t.source, t.dest)
        if self.options.congestion == 'volume':
            loads = [self.share(self.link_words[link], link) for link in links]
        else:
            loads = [t.words * self.share(self.link_count[link], link) for link in links]
        if self.options.switching == 'store-forward':
            return sum(loads)
        return max(loads, default=t.words)

    def share(self, load, link):
        """What each of the wires of a link carries."""
        return -(-load // self.network.wires(link))

    def write(self, transfers, charge):
        if transfers or charge != NO_COST:
            self.rounds.append(Round(transfers, charge))
            self.cost = add(self.cost, charge)

    def deliver(self, carried):
        replies = []
        for send in carried:
            send.end = self.end_of(send)
            if send.kind in ONE_SIDED:
                self.arrive(send, replies)
                continue
            send.carried = send.complete = True
            send.node.outbox.remove(send)
        for i, send in enumerate(replies):
            send.order = (self.rounds_made + 1, -1, i)
        for send in carried:
            if send.kind in ONE_SIDED:
                self.reach(send)
        for node in self.nodes:
            for receive in list(node.mailbox):
                if receive.partner and receive.partner.carried:
                    receive.complete, receive.end = True, receive.partner.end
                    node.mailbox.remove(receive)

    def arrive(self, request, replies):
        """A message of a one-sided request was delivered; what has an answer now joins the replies."""
        if request.asked:
            request.carried = request.complete = True
            return
        request.node.outbox.remove(request)
        request.clock = request.end
        if request.kind == 'lock':
            request.asked = True
            self.locks.setdefault((request.context, request.peer, request.tag), []).append(request)
            self.grant((request.context, request.peer, request.tag), request.end, replies)
        elif request.kind == 'update':
            replies.append(request)
        else:
            request.carried = request.complete = True
        if request.kind == 'unlock':
            held = request.lock
            name = (held.context, held.peer, held.tag)
            self.locks[name].remove(held)
            self.grant(name, request.end, replies)

    def grant(self, name, now, replies):
        for i, request in enumerate(self.locks[name]):
            if request.granted:
                continue
            if i > 0 and not (request.shared and self.locks[name][0].shared):
                break
            request.granted = True
            request.clock = self.clockwork.latest(request.clock, now)
            replies.append(request)

    def before(self, lock):
        """The nodes that keep this one waiting for a lock."""
        queue = self.locks.get((lock.context, lock.peer, lock.tag), [])
        return set() if lock.granted or lock not in queue else {r.node.rank for r in queue[:queue.index(lock)]}

    def reach(self, request):
        """Do what its message does to the memory of its peer."""
        memory = self.nodes[request.peer].memory
        if request.kind in ('lock', 'unlock') or request.asked:
            return
        request.asked = request.kind == 'update'
        there = memory[request.at:request.at + request.words]
        if request.kind == 'put':
            memory[request.at:request.at + request.words] = request.values
        elif request.kind != 'get':
            memory[request.at:request.at + request.words] = [(a + b) % 2**64 for a, b in zip(there, request.values)]
        if request.kind in ('get', 'update'):
            request.values = there

    def end_of(self, send):
        """When the transfer ends on the critical path; its places are held until then."""
        start = send.clock
        if send.partner:
            start = self.clockwork.latest(start, send.partner.clock)
        held = []
        for pool in self.pools(*send.ends()):
            clocks = self.places.setdefault(pool, [NO_COST] * self.places_of(pool))
            free = self.clockwork.earliest(clocks)
            start = self.clockwork.latest(start, free)
            held.append((clocks, clocks.index(free)))
        links = self.network.route(*send.ends())
        spread = self.options.congestion == 'volume'
        load = send.load()
        words = [self.share(load, link) if spread else load for link in links]
        own = {'ideal': (1, max(words, default=load), 0, 0),
               'wormhole': (1, max(words, default=load), len(links), 0),
               'store-forward': (1, sum(words), 0, 0)}[self.options.switching]
        end = add(start, own)
        for clocks, place in held:
            clocks[place] = end
        self.latest_end = self.clockwork.latest(self.latest_end, end)
        return end

    def release(self, carried):
        self.held |= {key for key, come in self.come.items() if len(come) == len(self.nodes[come[0]].view_of(key).ranks)}
        released = [node for node in self.nodes if node.parked and node.parked.ready()]
        resting = [node for node in released if node.parked.state in ('tests', 'rests', 'sleeps')]
        if carried or len(released) > len(resting):
            self.quiet_rounds = self.slept = 0
        elif not (any(node.parked.state == 'sleeps' for node in resting) and self.sleep()):
            self.slept = 0
            self.quiet_rounds += 1
            if not released or self.quiet_rounds == LIVELOCK_ROUNDS:
                if not self.lend():
                    raise Stop('livelock' if released else 'deadlock')
                self.quiet_rounds = 0
                released = [node for node in self.nodes if node.parked and node.parked.ready()]
        for node in released:
            node.parked = None

    def sleep(self):
        """Whether this round of sleep is not yet one of polling."""
        self.slept += 1
        return self.slept < 100

    # ---- why it failed

    def failure(self, kind):
        nodes = []
        for node in self.nodes:
            if not node.finished:
                first = node.first_incomplete()
                state = 'failed' if node.failed else node.parked.state
                if first:
                    what = {'keep': 'probe', 'add': 'put'}.get(first.kind, first.kind)
                    nodes.append(Waiting(node.rank, state, what, first.peer, first.words,
                                         None if first.collective else first.tag, node.line))
                else:
                    nodes.append(Waiting(node.rank, state, None, None, None, None, node.line))
        return Failure(kind, nodes, self.cycle() if kind in ('deadlock', 'livelock') else [])

    def cycle(self):
        waits = {node.rank: node.waits_for() if node.parked else set() for node in self.nodes}

        def steps_to(goal):
            """How many steps it is from each node to the goal."""
            steps, frontier = {goal: 0}, [goal]
            while frontier:
                frontier = [u for u in waits if u not in steps and waits[u] & set(frontier)]
                reached = max(steps.values()) + 1
                steps.update((u, reached) for u in frontier)
            return steps

        for start in sorted(waits):
            steps = steps_to(start)
            if any(v in steps for v in waits[start]):
                cycle, at = [start], start
                while True:
                    near = min(steps[v] for v in waits[at] if v in steps)
                    at = min(v for v in waits[at] if steps.get(v) == near)
                    if at == start:
                        return cycle
                    cycle.append(at)
        return []


def run(options, scripts):
    assert len(scripts) == options.nodes
    return Machine(options, scripts).run()


# ---------------------------------------------------------------------------------------------------- cases as text

def case_text(name, options, scripts, carriers=1, wake_all=False, engine='threads'):
    """The case as cases.c and script.c read it."""
    machine = [('nodes', options.nodes), ('topology', options.topology), ('routing', options.routing or '-'),
               ('ports', options.ports), ('half-duplex', int(options.half_duplex)),
               ('switching', options.switching), ('congestion', options.congestion),
               ('parameters', ' '.join(map(str, options.parameters))),
               ('eager', '-' if options.eager is None else options.eager), ('mailbox', options.mailbox),
               ('groups', ' '.join('%d:%d' % pair for pair in options.groups or []) or '-'),
               ('carriers', carriers), ('wake-all', int(wake_all)), ('engine', engine), ('lend', options.lend)]
    lines = ['case %s' % name] + ['machine %s %s' % pair for pair in machine]
    lines += ['%d %s' % (rank, op) for rank, script in enumerate(scripts) for op in script]
    return '\n'.join(lines + ['end', ''])


def read_case(text):
    """The options and scripts of one case written by case_text."""
    given, scripts = {}, []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] in ('case', 'end') or words[0].startswith('#'):
            continue
        if words[0] == 'machine':
            given[words[1]] = words[2:]
            if words[1] == 'nodes':
                scripts = [[] for _ in range(int(words[2]))]
        else:
            scripts[int(words[0])].append(' '.join(words[1:]))

    groups = given.get('groups', ['-'])
    groups = None if groups == ['-'] else [tuple(map(int, pair.split(':'))) for pair in groups]

    def one(key, default):
        return given.get(key, [default])[0]

    ports, eager, routing = one('ports', '1'), one('eager', '-'), one('routing', '-')
    return Options(len(scripts), topology=one('topology', 'full'), routing='' if routing == '-' else routing,
                   ports='all' if ports == 'all' else int(ports), half_duplex=one('half-duplex', '0') == '1',
                   switching=one('switching', 'ideal'), congestion=one('congestion', 'count'),
                   parameters=tuple(map(float, given.get('parameters', ['1000', '1', '0', '0']))),
                   eager=None if eager == '-' else int(eager), mailbox=int(one('mailbox', '65536')),
                   groups=groups, lend=int(one('lend', '0'))), scripts


def show(result):
    """The result as text, for people."""
    lines = []
    for number, r in enumerate(result.rounds):
        lines.append('round %d: %s = %s' % (number, ' '.join(
            '%d>%d:%dh%dk%d' % t for t in r.transfers) or 'nothing', r.charge))
    lines += ['cost %s, critical path %s' % (result.cost, result.critical_path)]
    lines += ['finding %s' % (finding,) for finding in result.findings]
    if result.failure:
        lines.append('failure %s, cycle %s' % (result.failure.kind, result.failure.cycle))
        lines += ['  %s' % (w,) for w in result.failure.nodes]
    return '\n'.join(lines + result.output)


if __name__ == '__main__':
    import argparse
    import sys
    parser = argparse.ArgumentParser(description='Run the model on one case and print what comes of it.')
    parser.add_argument('case', help='a file with one case, - for standard input')
    arguments = parser.parse_args()
    with (sys.stdin if arguments.case == '-' else open(arguments.case)) as file:
        print(show(run(*read_case(file.read()))))
