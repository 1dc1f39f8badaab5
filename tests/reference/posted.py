# SPDX-License-Identifier: MIT
"""What the model knows of groups, requests and strands, and what it says of a run."""

from collections import namedtuple

ANY = -1
MEMORY = 16  # words of a node that others put to and get from
ONE_SIDED = ('put', 'get', 'add', 'update', 'lock', 'unlock')
STANDARD, SYNCHRONOUS, READY, BUFFERED = range(4)  # modes of post


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
        self.loan = None       # of one that is lent: the finding that it is told with when it is taken
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
        self.last_line = self.started = line
        self.posts = 0  # of its node before it
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


class Loan:
    """What is reported of nodes that wait for ever without buffers: a finding's places and cycle."""

    def __init__(self, places, cycle):
        self.places, self.cycle, self.told = places, cycle, False


class Failed(Exception):
    """A failure of one node."""
