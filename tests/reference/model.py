#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model of the machine, written from the sentences of its rules alone: plain, slow, and without a line of Peal in it.

It runs a script a node (see OPERATIONS below), and computes the rounds of the machine, the charge of each, the cost,
the critical path, the failure of the run, and the message of every receive.  differential.py compares all of it with Peal.

Where a sentence leaves room, this is how it is read here:

 1. "Rounds made before it was posted" counts every round, also those that carried nothing and are not written.
 2. "The number of sends its node posted" counts those of collectives too, and those that were complete at the post.
 3. A message carried ahead keeps its place in the order of admission when a receive looks for the first it may take.
 4. A receive that takes a message carried ahead frees its place in that round's match, before admission.
 5. An outbox place is free when the send was carried, also that of an eager send, which was complete before.
 6. A post that is blocked is not a request yet: it is not a node's "first incomplete request", it waits for no node,
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
13. A failure's nodes are those that are parked, those that failed in a call before they finished ("failed"), and the one
    that finished with a lost request ("finished").  A deadlock, a livelock and a collective that a node does not call have a cycle if their parked nodes have one, other failures have none: of the nodes on any cycle the lowest
    rank, from it the shortest cycle, then the lowest next rank at each step.  A node that waits for a message to
    itself is a cycle of one.  A receive from any source in a group waits for all others of the group.
14. Half duplex with ports=all: a place is (node, wire), at the transfer's two end nodes.
    With ports=all a link of capacity c has c places at either end.
15. The critical path's result is the latest of all nodes' clocks and all transfers' ends.
16. When all nodes have finished, the run ends at once, without further rounds for unreceived eager messages.
17. Splitting a group takes no round.  A failure names a node in a group by its rank in the whole machine; a wait names
    the ranks of a message in the group.
18. livelock is found after the 100th of its rounds on end.
19. A look finds at once the messages that were unmatched after the last round, unless its node has posted a receive or a probe since
    then.
20. A probe ends on the critical path when both it and the message's send were posted; if the message was carried ahead,
    when it had come.  A send that is lent, and one that is taken back, has no end to wait for.
21. A node that has let requests go waits for them when its script ends, at its last line.
22. A one-sided request is posted like a send, takes a place in the outbox until its first message is carried, and waits for no
    receive.  What it does at its peer is done after the words of the round's other messages, in the order of admission.
23. An answer's place in the order is (rounds made when its cause has been delivered, before all sends, the order of the causes).  It
    takes no place in an outbox.  A lock is granted by the round that delivers the message that requests it, or that
    releases it: the answer begins on the critical path when both messages have ended.
24. A node that waits for a lock waits for those that have it, and for those that asked before it.  One that still has a lock at the end
    fails as lost-request.
25. A node whose strands wait for different things is in the first of these states that one of them is in: tests, rests,
    sleeps, posts, meets, waits.  It is parked until as many requests are complete as the strand that lacks least still needs; a strand
    that waits for another one's end needs none.  Its line in a report is that of its program's own call.
26. A strand that fails fails its node, at its line and with its clock.
27. What is complete when its strand ends, and was not waited for, is consumed.
28. Where nodes are placed on hosts, a link is one of the hosts' network, whichever of their nodes use it; the ports are the
    nodes', also with ports=all.  A message between two nodes of one host has no hops, and is charged its words, under
    store-forward, too.
"""

from collections import Counter, defaultdict

from network import NO_COST, Clockwork, Network, Options, add
from node import Node
from posted import ANY, ONE_SIDED, RESTING, SYNCHRONOUS, Loan, Request, Failure, Finding, Result, Round, Transfer, Waiting

LIVELOCK_ROUNDS = 100

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
    look SOURCE TAG                     finish H                            finish: peal_wait_envelope, also of isend and irecv
    any H H H                           ask ENOUGH H H H                    0 is not a handle
    cancel H   let-go H   settle        sleep   meet NUMBER
    put H PEER WORDS AT                 get H PEER WORDS AT                 with the peer's MEMORY words, from word AT on
    add H PEER WORDS AT FETCHES         memory                              FETCHES: what was there comes back; memory: print the own one
    lock H PEER NUMBER SHARED           unlock H LOCK                       LOCK: its H
    start S N                           join S   jointest S                 start: the next N operations are a strand's
"""
# An operation that begins with "g:" is made on the node as seen in its group: where Options.groups is given, every node
# begins with peal_split(me, color, key).


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
        self.vain = False      # nodes wait in a collective that one of its group does not call

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
        """Let every node run until it waits or has finished; return whether a round is wanted."""
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

    def uncalled(self, stuck=False):
        """Whether a node that others wait for makes a collective call no more: it has finished, or, if all that are left wait so,
        it waits in another one."""
        def is_open(view, number):
            return len(self.calls[view.context, number]) < len(view.ranks)

        def waits(node):
            for r in node.program_strand.parked.awaited if node.program_strand.parked else ():
                if not isinstance(r, Request) and not r.complete:
                    return is_open(r.started_on, r.number)
            if node.inside:
                return is_open(node.inside, node.calls[node.inside.context])
            return any(s.parked and s.parked.state == 'meets' for s in node.strands)
        away = {node.rank for node in self.nodes if node.finished or stuck and waits(node)}
        if stuck and len(away) < len(self.nodes):
            return False
        return any(away & set(next(iter(made.values()))[1].ranks) - set(made) for made in self.calls.values())

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
                self.note('bad-request', [(send.node.rank, send.line)], [])
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
        found = []  # the messages of probes, which are complete when the round is made
        for node in self.nodes:
            for receive in list(node.pending):
                send = receive.source or next((s for s in sends if s.peer == node.rank and s.partner is None
                                               and not s.held and receive.may_take(s)), None)
                if send is None:
                    continue
                node.pending.remove(receive)
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
                for box in (node.outbox, node.mailbox, node.pending):
                    if r in box:
                        box.remove(r)

    def repaid(self, loan):
        """A lent message is taken: the finding is told, once."""
        if loan.places and not loan.told:
            self.note('deadlock-if-unbuffered', loan.places, loan.cycle)
            loan.told = True

    def note(self, kind, places, cycle):
        """A finding; one at the same places is counted."""
        for i, f in enumerate(self.findings):
            if (f.kind, f.places) == (kind, places):
                self.findings[i] = f._replace(times=f.times + 1)
                return
        self.findings.append(Finding(kind, places, cycle, 1))

    def lend(self):
        """Nothing moves: lend a message that helps a node; return whether one is helped.  Those that wait for ever without it are a
        finding, once a lent message is taken."""
        def lendable(strand):
            return [r for r in strand.parked.awaited if r.kind == 'send' and not r.complete and r.partner is None
                    and r.mode != SYNCHRONOUS and r.words <= self.options.lend]

        def strands(node):
            return [s for s in node.strands if lendable(s) and len(lendable(s)) >= s.needs()]

        def counts(send):  # what a collective sends to a node that is in the same one is not a sign of buffers
            return not send.collective or not self.is_within(self.nodes[send.peer], send.context)
        helped = [node for node in self.nodes if self.options.lend and node.parked and strands(node)]
        if not helped:
            return False
        stuck = self.stuck()
        need = [node for node in helped if any(counts(r) for r in node.requests if r in sum(map(lendable, node.strands), []))]
        named, cycle = [self.nodes[r] for r in self.cycle(stuck)], self.cycle(stuck)
        if not any(node in need for node in named):
            named, cycle = [node for node in need if node.rank in stuck][:1], []
        loan = Loan([(node.rank, node.line) for node in named], cycle)
        for node in helped:
            for strand in strands(node):
                for send in lendable(strand):
                    send.loan = loan if node in named and counts(send) else None
                    send.complete = send.kept = True
        return True

    def is_within(self, node, context):
        """Whether the node is in the collective whose messages have this context."""
        return any(isinstance(r, Request) and r.collective and r.context == context for s in node.strands if s.parked for r in s.parked.awaited)

    def stuck(self):
        """The ranks of the nodes that wait for ever, whatever those that test, rest or sleep do next."""
        left = {node.rank for node in self.nodes if node.parked}
        stuck = {rank for rank in left if self.nodes[rank].parked.state not in RESTING}
        if stuck == left:
            return stuck

        def hopeless(r):
            peers = set(r.view.ranks) if r.peer == ANY else {r.peer}
            return r.partner is None and r.kind in ('send', 'receive', 'probe', 'keep') and not peers & (left - stuck)

        def waits_for_ever(node):
            if len(node.strands) > 1:
                return False
            if node.parked.state == 'meets':
                return bool(node.waits_for() & stuck)
            if node.parked.state != 'waits':
                return False
            hoped = sum(not r.complete and not hopeless(r) for r in node.strands[0].parked.awaited)
            return hoped < node.strands[0].needs()
        while not all(waits_for_ever(self.nodes[rank]) for rank in stuck):
            stuck = {rank for rank in stuck if waits_for_ever(self.nodes[rank])}
        return stuck

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
            if self.network.together(source, dest):
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
            return sum(loads) if links or t.source == t.dest else t.words
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
            if send.loan:
                self.repaid(send.loan)
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
        """A message of a one-sided request was delivered; a request that has its answer joins the replies."""
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
        """Apply its message to the memory of its peer."""
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
               'store-forward': (1, sum(words) if links or len(set(send.ends())) == 1 else load, 0, 0)}[self.options.switching]
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
                self.vain = self.uncalled()
                if self.vain or not self.lend():
                    self.vain = self.vain or not released and self.uncalled(stuck=True)
                    raise Stop('collective-mismatch' if self.vain else 'livelock' if released else 'deadlock')
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
        lost = min((n.rank for n in self.nodes if n.failed), default=None) if kind == 'lost-request' else None
        for node in self.nodes:
            if not node.finished or node.rank == lost:
                first = node.first_incomplete()
                state = 'finished' if node.finished else 'failed' if node.failed else node.parked.state
                if node.finished:
                    node.line = node.lost_line
                if first:
                    what = {'keep': 'probe', 'add': 'put'}.get(first.kind, first.kind)
                    nodes.append(Waiting(node.rank, state, what, first.peer, first.words,
                                         None if first.collective else first.tag, node.line))
                else:
                    nodes.append(Waiting(node.rank, state, None, None, None, None, node.line))
        return Failure(kind, nodes, self.cycle() if kind in ('deadlock', 'livelock') or self.vain else [])

    def cycle(self, among=None):
        waits = {node.rank: node.waits_for() if node.parked else set() for node in self.nodes
                 if among is None or node.rank in among}

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
