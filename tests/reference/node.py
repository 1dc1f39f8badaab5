# SPDX-License-Identifier: MIT
"""A node of the model: its program, its strands, and the operations they make."""

from collections import Counter

from network import NO_COST, add
from posted import (ANY, BUFFERED, MEMORY, ONE_SIDED, READY, RESTING, STANDARD, SYNCHRONOUS, Failed, Park, Request, Strand,
                    View)


class Node:
    """A node and its program: the operations are generators that yield a Park where they rest until a later round."""

    def __init__(self, machine, rank, script):
        self.machine, self.rank, self.script = machine, rank, script
        self.strand = None           # that runs
        self.operations = 0          # declared since the last round
        self.sends_since_round = 0
        self.outbox = []             # sends not yet carried
        self.mailbox = []            # receives not yet complete
        self.pending = []           # receives not yet matched, and probes that have found nothing, as they were posted
        self.posted = False          # something of these since the last round
        self.meeting = None          # (context, number, count of this node's meetings so)
        self.meetings = Counter()
        self.requests = []           # all, in the order of posting
        self.handles = {}            # of isend and irecv, by H
        self.memory = [(rank + 1 << 40) + i for i in range(MEMORY)]
        self.sources = {}            # where the message of request H came from, once a wait or test has returned it
        self.parked = None
        self.inside = None     # the group whose collective its program is in
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
        strands = [s for s in self.strands if program and s is not self.program_strand]
        if own or locks or strands:
            posts = [(at, r.line) for at, r in enumerate(self.requests) if r in own or r in locks]
            self.lost_line = min(posts + [(s.posts - .5, s.started) for s in strands])[1]
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
        strand.posts = len(self.requests)
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
            self.pending.append(request)
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
        requests = [r for r in requests if not r.consumed]  # by another strand meanwhile
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
        self.inside = self.view if self.strand is self.program_strand else self.inside
        nodes, rank, distance = len(self.view.ranks), self.view.rank(self), 1
        while distance < nodes:
            send = yield from self.post('send', (rank + distance) % nodes, 0, 0, collective=True)
            receive = yield from self.post('receive', (rank - distance) % nodes, 0, 0, collective=True)
            yield from self.wait_for([send, receive])
            distance *= 2
        self.inside = None if self.strand is self.program_strand else self.inside

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
        self.pending.append(request)
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
            self.pending.append(request)
            yield Park('tests', lambda: True)
        if request.complete:
            self.consume(request)
            self.tell_all(request)
        else:
            self.pending.remove(request)
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
