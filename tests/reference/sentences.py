#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One scenario or more for every sentence of the machine's rules.  What each must give was worked out by hand from the
sentence; the model and Peal itself are both held to it (differential.py runs them; alone, this file checks the model).

Rounds are written  "0>1:5 2>3:5h2k1 = α β hop τ"  and separated by lines: transfers in the order of admission with
their words, where hops and k are 1 unless written (0 hops to oneself), then the charge of the round.
"""

import re
import sys

sys.dont_write_bytecode = True  # leave no files beside the sources
import model

CASES = []


class Case:
    def __init__(self, sentence, name, machine, scripts, rounds, failure=None, cycle=None, waiting=None, path=None,
                 output=None):
        self.sentence, self.name = sentence, name
        self.options = model.Options(len(scripts), **machine)
        self.scripts = [[op.strip() for op in script.split(';') if op.strip()] for script in scripts]
        self.rounds = [self.round(line) for line in rounds.strip().splitlines() if line.strip()]
        self.failure = failure  # its kind
        self.cycle = cycle      # None: not looked at
        self.waiting = waiting  # {rank: (state, what, peer)}; None: not looked at
        self.path = path        # the critical path; None: not looked at
        self.output = output    # lines that must be among what the nodes print

    @staticmethod
    def round(line):
        transfers, _, charge = line.partition('=')
        parsed = []
        for text in transfers.split():
            source, dest, words, hops, k = re.fullmatch(r'(\d+)>(\d+):(\d+)(?:h(\d+))?(?:k(\d+))?', text).groups()
            own = '0' if source == dest else '1'
            parsed.append(tuple(map(int, (source, dest, words, hops or own, k or 1))))
        return parsed, tuple(map(int, charge.split()))

    def differences(self, rounds, cost, path, failure, output):
        """What is not as it must be: rounds as here, the failure as model.Failure, the output as a list of lines."""
        wrong = []
        if rounds != self.rounds:
            wrong.append('rounds are %s, must be %s' % (rounds, self.rounds))
        total = tuple(map(sum, zip((0, 0, 0, 0), *(charge for _, charge in self.rounds))))
        if cost != total:
            wrong.append('cost is %s, must be %s' % (cost, total))
        if self.path is not None and path != self.path:
            wrong.append('critical path is %s, must be %s' % (path, self.path))
        if (failure and failure.kind) != self.failure:
            wrong.append('failure is %s, must be %s' % (failure and failure.kind, self.failure))
        elif failure:
            if self.cycle is not None and failure.cycle != self.cycle:
                wrong.append('cycle is %s, must be %s' % (failure.cycle, self.cycle))
            waiting = {w.rank: (w.state, w.what, w.peer) for w in failure.nodes}
            if self.waiting is not None and waiting != self.waiting:
                wrong.append('nodes are %s, must be %s' % (waiting, self.waiting))
        for line in self.output or []:
            if line not in output:
                wrong.append('"%s" is not printed, but %s' % (line, output))
        return wrong


def case(sentence, name, scripts, rounds, machine=None, **expected):
    CASES.append(Case(sentence, name, machine or {}, scripts, rounds, **expected))


# ---------------------------------------------------------------------------------------------------- match

S = 'Per (context, source, tag) messages never overtake.'
case(S, 'same-tag-in-order', ['isend 0 1 3 7 0; isend 1 1 4 7 0; waitall', 'recv 0 9 7; recv 0 9 7'], '''
    0>1:3 = 1 3 0 0
    0>1:4 = 1 4 0 0''', output=['1 1 received 0 7 3 0.1', '1 2 received 0 7 4 0.2'])
case(S, 'another-tag-may-overtake', ['isend 0 1 3 7 0; isend 1 1 4 8 0; waitall', 'recv 0 9 8; recv 0 9 7'], '''
    0>1:4 = 1 4 0 0
    0>1:3 = 1 3 0 0''')

S = "A node's receives are served in posting order, wildcard or named"
case(S, 'wildcard-first-takes-it', ['send 2 3 0', 'send 2 4 0', 'irecv 0 any 9 any 0; irecv 1 0 9 0 0; waitall'], '''
    0>2:3 = 1 3 0 0''', failure='deadlock', cycle=[],
     waiting={1: ('waits', 'send', 2), 2: ('waits', 'receive', 0)})
case(S, 'named-first-takes-it',
     ['send 2 3 0', 'send 2 4 0', 'irecv 0 0 9 0 0; irecv 1 any 9 any 0; wait 0; wait 1'], '''
    0>2:3 = 1 3 0 0
    1>2:4 = 1 4 0 0''', output=['2 3 received 0 0 3 0.1', '2 4 received 1 0 4 1.1'])
case(S, 'any-tag-first-takes-it',
     ['isend 0 1 3 5 0; isend 1 1 4 6 0; waitall', 'irecv 0 0 9 any 0; irecv 1 0 9 6 0; wait 0; wait 1'], '''
    0>1:3 = 1 3 0 0
    0>1:4 = 1 4 0 0''', output=['1 3 received 0 5 3 0.1', '1 4 received 0 6 4 0.2'])

S = 'each takes the first send it may take in the order of admission'
case(S, 'any-source-follows-admission',
     ['isend 0 3 1 0 0; isend 1 2 2 0 0; waitall', 'send 2 3 0', 'recv any 9 0; recv any 9 0', 'recv 0 9 0'], '''
    0>3:1 1>2:3 = 1 3 0 0
    0>2:2 = 1 2 0 0''', output=['2 1 received 1 0 3 1.1', '2 2 received 0 0 2 0.2'])
case(S, 'any-source-takes-the-lower-rank', ['recv any 9 0; recv any 9 0', 'send 0 3 0', 'send 0 4 0'], '''
    1>0:3 = 1 3 0 0
    2>0:4 = 1 4 0 0''')

S = 'A match is for good.'
case(S, 'matched-to-a-busy-sender',
     ['isend 0 1 1 0 0; isend 1 1 1 0 0; isend 2 1 1 0 0; isend 3 2 5 0 0; waitall',
      'recv 0 1 0; recv 0 1 0; recv 0 1 0', 'irecv 0 any 9 0 0; wait 0; recv any 9 0', 'rest; send 2 7 0'], '''
    0>1:1 = 1 1 0 0
    0>1:1 = 1 1 0 0
    0>1:1 = 1 1 0 0
    0>2:5 = 1 5 0 0
    3>2:7 = 1 7 0 0''')

# ---------------------------------------------------------------------------------------------------- admit

S = "The order is the send's: (rounds made before it was posted, number of sends its node posted .., sender's rank)"
case(S, 'number-before-rank', ['isend 0 1 1 0 0; isend 1 2 2 0 0; waitall', 'recv 0 9 0',
                               'irecv 0 0 9 0 0; irecv 1 3 9 0 0; waitall', 'send 2 3 0'], '''
    0>1:1 3>2:3 = 1 3 0 0
    0>2:2 = 1 2 0 0''')
case(S, 'round-before-number', ['isend 0 1 1 0 0; isend 1 2 2 0 0; waitall', 'recv 0 9 0',
                                'irecv 0 3 9 0 0; irecv 1 0 9 0 0; waitall', 'rest; send 2 3 0'], '''
    0>1:1 = 1 1 0 0
    0>2:2 = 1 2 0 0
    3>2:3 = 1 3 0 0''')
case(S, 'number-starts-again-after-a-round', ['send 1 1 0; send 2 2 0', 'recv 0 9 0',
                                              'irecv 0 3 9 0 0; irecv 1 0 9 0 0; waitall', 'rest; send 2 3 0'], '''
    0>1:1 = 1 1 0 0
    0>2:2 = 1 2 0 0
    3>2:3 = 1 3 0 0''')
case(S, 'rounds-that-carry-nothing-count',
     ['isend 0 1 1 0 0; isend 1 2 2 0 0; waitall', 'rest; rest; recv 0 9 0',
      'rest; irecv 0 3 9 0 0; irecv 1 0 9 0 0; waitall', 'rest; send 2 3 0'], '''
    0>2:2 = 1 2 0 0
    0>1:1 3>2:3 = 1 3 0 0''')
case(S, 'rank-last', ['irecv 0 2 9 0 0; irecv 1 1 9 0 0; waitall', 'send 0 5 0', 'send 0 6 0'], '''
    1>0:5 = 1 5 0 0
    2>0:6 = 1 6 0 0''')

S = 'a pair passed over blocks nobody behind it, not even of its own node'
case(S, 'passed-over', ['send 1 4 0', 'irecv 0 0 9 0 0; irecv 1 2 9 0 0; waitall',
                        'isend 0 1 5 0 0; isend 1 3 6 0 0; waitall', 'recv 2 9 0'], '''
    0>1:4 2>3:6 = 1 6 0 0
    2>1:5 = 1 5 0 0''')

# ---------------------------------------------------------------------------------------------------- ports

S = '`ports=1` (default) is one send and one receive at the same time'
case(S, 'ring-shift', ['sendrecv 1 5 0 2 9 0', 'sendrecv 2 6 0 0 9 0', 'sendrecv 0 7 0 1 9 0'], '''
    0>1:5 1>2:6 2>0:7 = 1 7 0 0''')
case(S, 'two-sends-two-rounds', ['isend 0 1 5 0 0; isend 1 2 6 0 0; waitall', 'recv 0 9 0', 'recv 0 9 0'], '''
    0>1:5 = 1 5 0 0
    0>2:6 = 1 6 0 0''')
S = '`ports=k` k of each (two of them may go to one node, and share its links)'
case(S, 'two-to-one-node', ['isend 0 1 5 0 0; isend 1 1 3 0 0; waitall', 'recv 0 9 0; recv 0 9 0'], '''
    0>1:5 = 1 5 0 0
    0>1:3 = 1 3 0 0''', machine={'ports': 2})
case(S, 'two-to-one-node-both-posted',
     ['isend 0 1 5 0 0; isend 1 1 3 0 0; waitall', 'irecv 0 0 9 0 0; irecv 1 0 9 0 0; waitall'], '''
    0>1:5k2 0>1:3k2 = 1 10 0 0''', machine={'ports': 2})
case(S, 'the-third-waits', ['irecv 0 1 9 0 0; irecv 1 2 9 0 0; irecv 2 3 9 0 0; waitall', 'send 0 1 0', 'send 0 2 0',
                            'send 0 3 0'], '''
    1>0:1 2>0:2 = 1 2 0 0
    3>0:3 = 1 3 0 0''', machine={'ports': 2})
S = '`ports=all` one transfer per outgoing link at the sender and one per incoming link at the receiver'
case(S, 'first-link-shared', ['isend 0 2 5 0 0; isend 1 1 6 0 0; isend 2 3 7 0 0; waitall', 'recv 0 9 0', 'recv 0 9 0',
                              'recv 0 9 0'], '''
    0>2:5h2 0>3:7 = 1 7 0 0
    0>1:6 = 1 6 0 0''', machine={'ports': 'all', 'topology': 'ring:4'})
case(S, 'last-link-shared', ['send 2 5 0', 'send 2 6 0', 'irecv 0 0 9 0 0; irecv 1 1 9 0 0; irecv 2 3 9 0 0; waitall',
                             'send 2 7 0'], '''
    0>2:5h2 3>2:7 = 1 7 0 0
    1>2:6 = 1 6 0 0''', machine={'ports': 'all', 'topology': 'line:4'})
S = 'links between only congest'
case(S, 'middle-link-shared', ['send 3 5 0', 'send 2 6 0', 'recv 1 9 0', 'recv 0 9 0'], '''
    0>3:5h3k2 1>2:6k2 = 1 12 0 0''', machine={'ports': 'all', 'topology': 'line:4'})
S = 'Half duplex: sends and receives share the ports, at most k together'
EXCHANGE = ['sendrecv 1 5 0 1 9 0', 'sendrecv 0 6 0 0 9 0']
case(S, 'exchange-takes-two-rounds', EXCHANGE, '''
    0>1:5 = 1 5 0 0
    1>0:6 = 1 6 0 0''', machine={'half_duplex': True})
case(S, 'two-ports-exchange-in-one', EXCHANGE, '''
    0>1:5 1>0:6 = 1 6 0 0''', machine={'half_duplex': True, 'ports': 2})
case(S, 'two-ports-third-waits', ['isend 0 1 1 0 0; isend 1 2 2 0 0; irecv 2 2 9 0 0; waitall', 'recv 0 9 0',
                                  'irecv 0 0 9 0 0; isend 1 0 3 0 0; waitall'], '''
    0>1:1 2>0:3 = 1 3 0 0
    0>2:2 = 1 2 0 0''', machine={'half_duplex': True, 'ports': 2})
S = 'or one transfer per wire under `ports=all`'
case(S, 'wire-both-ways', EXCHANGE, '''
    0>1:5 = 1 5 0 0
    1>0:6 = 1 6 0 0''', machine={'half_duplex': True, 'ports': 'all'})
case(S, 'wires-apart', ['sendrecv 1 5 0 2 9 0', 'sendrecv 2 6 0 0 9 0', 'sendrecv 0 7 0 1 9 0'], '''
    0>1:5 1>2:6 2>0:7 = 1 7 0 0''', machine={'half_duplex': True, 'ports': 'all'})
case(S, 'only-end-nodes-count', ['send 2 5 0', 'recv 2 9 0', 'irecv 0 0 9 0 0; isend 1 1 6 0 0; waitall', ''], '''
    0>2:5h2 = 1 5 0 0
    2>1:6 = 1 6 0 0''', machine={'half_duplex': True, 'ports': 'all', 'topology': 'line:4'})

# ---------------------------------------------------------------------------------------------------- oneself, no words

S = 'A message to oneself is a transfer like any other: it takes a send and a receive port .., no link, 0 hops, k = 1.'
ONESELF = ['isend 0 0 4 0 0; isend 1 1 5 0 0; irecv 2 0 9 0 0; waitall', 'recv 0 9 0']
case(S, 'takes-the-send-port', ONESELF, '''
    0>0:4 = 1 4 0 0
    0>1:5 = 1 5 0 0''')
case(S, 'takes-the-receive-port', ['isend 0 0 4 0 0; irecv 2 1 9 0 0; irecv 3 0 9 0 0; waitall', 'send 0 5 0'], '''
    0>0:4 = 1 4 0 0
    1>0:5 = 1 5 0 0''')
case('one place under half duplex', 'one-of-two-places', ONESELF, '''
    0>0:4 0>1:5 = 1 5 0 0''', machine={'half_duplex': True, 'ports': 2})
case('one place under half duplex', 'the-only-place', ONESELF, '''
    0>0:4 = 1 4 0 0
    0>1:5 = 1 5 0 0''', machine={'half_duplex': True})
case('none under `ports=all`', 'any-number-to-oneself',
     ['isend 0 0 4 0 0; isend 1 0 6 0 0; isend 2 1 5 0 0; irecv 3 0 9 0 0; irecv 4 0 9 0 0; waitall', 'recv 0 9 0'], '''
    0>0:4 0>0:6 0>1:5 = 1 6 0 0''', machine={'ports': 'all'})
case('A message to oneself charges its n·β (under store-forward nothing).', 'store-forward', ONESELF, '''
    0>0:4 = 1 0 0 0
    0>1:5 = 1 5 0 0''', machine={'switching': 'store-forward'})
case(S, 'without-a-receive-nothing-moves', ['send 0 4 0', ''], '', failure='deadlock', cycle=[0],
     waiting={0: ('waits', 'send', 0)})

S = 'A transfer of no words is a transfer: it takes ports, counts in k, and its round charges α.'
case(S, 'charges-alpha', ['send 1 0 0', 'recv 0 0 0'], '''
    0>1:0 = 1 0 0 0''')
case(S, 'takes-ports', ['isend 0 1 0 0 0; isend 1 2 3 0 0; waitall', 'recv 0 0 0', 'recv 0 9 0'], '''
    0>1:0 = 1 0 0 0
    0>2:3 = 1 3 0 0''')
case(S, 'counts-in-k', ['send 3 0 0', 'send 2 5 0', 'recv 1 9 0', 'recv 0 9 0'], '''
    0>3:0h3k2 1>2:5k2 = 1 10 0 0''', machine={'topology': 'line:4'})

# ---------------------------------------------------------------------------------------------------- delivery

SEND_FIRST = ['send 1 5 0; recv 1 9 0', 'send 0 5 0; recv 0 9 0']
S = '`rendezvous` by default: a send is complete when its words have been delivered'
case(S, 'both-send-first', SEND_FIRST, '', failure='deadlock', cycle=[0, 1],
     waiting={0: ('waits', 'send', 1), 1: ('waits', 'send', 0)})
S = '`eager:W` completes a send of at most W words at the post'
case(S, 'both-send-first-eager', SEND_FIRST, '''
    0>1:5 1>0:5 = 1 5 0 0''', machine={'eager': 5})
case(S, 'too-long-for-eager', SEND_FIRST, '', machine={'eager': 4}, failure='deadlock', cycle=[0, 1])
case('`eager:0` is for messages of no words', 'eager-0', ['send 1 0 0; recv 1 9 0', 'send 0 0 0; recv 0 9 0'], '''
    0>1:0 1>0:0 = 1 0 0 0''', machine={'eager': 0})
S = 'Eager holds for every send, those of collectives included.'
case(S, 'barrier-with-a-latecomer', ['barrier', 'barrier', 'rest; barrier'], '''
    0>1:0 1>2:0 = 1 0 0 0
    1>0:0 = 1 0 0 0
    2>0:0 = 1 0 0 0
    2>1:0 0>2:0 = 1 0 0 0''', machine={'eager': 0})
S = 'An eager send without a receive takes part in admission like a pair, ports and charge included'
case(S, 'takes-the-port', ['send 1 3 7', 'recv 2 9 0; recv 0 9 7', 'send 1 4 0'], '''
    0>1:3 = 1 3 0 0
    2>1:4 = 1 4 0 0''', machine={'eager': 3})
S = 'while the receiver has places for messages carried ahead'
case(S, 'one-place', ['isend 0 1 3 0 0; isend 1 1 4 0 0; waitall',
                      'rest; rest; rest; recv 0 9 0; rest; recv 0 9 0'], '''
    0>1:3 = 1 3 0 0
    0>1:4 = 1 4 0 0''', machine={'eager': 9, 'mailbox': 1})
case(S, 'a-place-is-taken-by-whoever-comes-first',
     ['send 2 3 0', 'send 2 4 0', 'rest; rest; recv 1 9 0; recv 0 9 0'], '''
    0>2:3 = 1 3 0 0
    1>2:4 = 1 4 0 0''', machine={'eager': 9, 'mailbox': 1})
S = 'A receive that takes a message already carried completes in that round without transfer or charge.'
case(S, 'carried-ahead', ['send 1 3 0', 'rest; recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''', machine={'eager': 3}, output=['1 2 received 0 0 3 0.1'])
case(S, 'the-place-in-the-order-stays',
     ['rest; send 2 3 0', 'send 2 4 0', 'rest; rest; recv any 9 0; recv any 9 0'], '''
    1>2:4 = 1 4 0 0
    0>2:3 = 1 3 0 0''', machine={'eager': 9}, output=['2 3 received 1 0 4 1.1', '2 4 received 0 0 3 0.2'])

S = 'A post to a full box blocks the node until a round frees a place, and counts as posted then.'
case(S, 'outbox', ['isend 0 1 1 0 0; isend 1 2 2 0 0; waitall', 'recv 0 9 0', 'irecv 0 0 9 0 0; wait 0; recv 3 9 0',
                   'isend 0 4 1 0 0; wait 0; send 2 3 0', 'recv 3 9 0'], '''
    0>1:1 3>4:1 = 1 1 0 0
    0>2:2 = 1 2 0 0
    3>2:3 = 1 3 0 0''', machine={'mailbox': 1})
case(S, 'blocked-post-comes-behind', ['isend 0 1 1 0 0; isend 1 1 1 0 0; isend 2 2 2 0 0; waitall',
                                      'recv 0 9 0; recv 0 9 0', 'irecv 0 any 9 0 0; wait 0; recv any 9 0',
                                      'rest; send 2 3 0'], '''
    0>1:1 = 1 1 0 0
    0>1:1 3>2:3 = 1 3 0 0
    0>2:2 = 1 2 0 0''', machine={'mailbox': 1})
case(S, 'mailbox', ['irecv 0 1 9 0 0; irecv 1 2 9 0 0; waitall', 'rest; send 0 4 0', 'send 0 5 0'], '''
    1>0:4 = 1 4 0 0
    2>0:5 = 1 5 0 0''', machine={'mailbox': 1})
case(S, 'blocked-for-good', ['irecv 0 1 9 0 0; irecv 1 2 9 0 0; waitall', '', 'send 0 5 0'], '',
     machine={'mailbox': 1}, failure='deadlock', cycle=[],
     waiting={0: ('posts', 'receive', 1), 2: ('waits', 'send', 0)})

# ---------------------------------------------------------------------------------------------------- test and rest

S = '`peal_test` of a complete request returns true at once and consumes it like a wait'
case(S, 'true-at-once', ['irecv 0 1 9 0 0; irecv 1 1 9 1 0; wait 1; test 0; send 1 2 0',
                         'isend 0 0 3 0 0; isend 1 0 4 1 0; waitall; recv 0 9 0'], '''
    1>0:3 = 1 3 0 0
    1>0:4 = 1 4 0 0
    0>1:2 = 1 2 0 0''', output=['0 4 received 1 0 3 1.1'])
case(S, 'consumed', ['isend 0 1 3 0 0; test 0; wait 0', 'recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''', failure='bad-request')
S = 'otherwise it parks the node for exactly one round and then answers'
case(S, 'false-after-one-round', ['irecv 0 1 9 0 0; test 0; test 0', 'rest; send 0 3 0'], '''
    1>0:3 = 1 3 0 0''', output=['0 2 false', '0 3 received 1 0 3 1.2'])
S = '`peal_next_round` parks for exactly one round'
case(S, 'rests', ['rest; send 1 3 0', 'isend 0 2 4 0 0; wait 0; isend 0 2 4 0 0; irecv 1 0 9 0 0; waitall',
                  'recv 1 9 0; recv 1 9 0'], '''
    1>2:4 = 1 4 0 0
    0>1:3 1>2:4 = 1 4 0 0''')
S = 'After 100 rounds on end that carry nothing and release nobody but these two, the run fails as `livelock`.'
case(S, 'ninety-nine', ['irecv 0 1 9 0 0; poll 0', 'rest; ' * 99 + 'send 0 3 0'], '''
    1>0:3 = 1 3 0 0''')
case(S, 'a-hundred', ['irecv 0 1 9 0 0; poll 0', 'rest; ' * 100 + 'send 0 3 0'], '', failure='livelock',
     waiting={0: ('tests', 'receive', 1), 1: ('rests', None, None)})
case(S, 'on-end', ['irecv 0 1 9 0 0; poll 0; irecv 0 1 9 0 0; poll 0',
                   'rest; ' * 60 + 'send 0 3 0; ' + 'rest; ' * 60 + 'send 0 4 0'], '''
    1>0:3 = 1 3 0 0
    1>0:4 = 1 4 0 0''')
case(S, 'charged-rounds-count-too', ['irecv 0 1 9 0 0; poll 0', 'compute 2; rest; ' * 100],
     '= 0 0 0 2\n' * 100, failure='livelock')

S = 'If a round carries nothing and releases nobody while some node has not finished, that is a deadlock'
case(S, 'missing-partner', ['recv 1 9 0', ''], '', failure='deadlock', cycle=[], waiting={0: ('waits', 'receive', 1)})
case(S, 'wrong-tag', ['send 1 3 5', 'recv 0 9 6'], '', failure='deadlock', cycle=[0, 1])

# ---------------------------------------------------------------------------------------------------- barrier

S = "⌈log₂P⌉ rounds of messages without words, in the collectives' own context, charged like any other"
case(S, 'five-nodes', ['barrier'] * 5, '''
    0>1:0 1>2:0 2>3:0 3>4:0 4>0:0 = 1 0 0 0
    0>2:0 1>3:0 2>4:0 3>0:0 4>1:0 = 1 0 0 0
    0>4:0 1>0:0 2>1:0 3>2:0 4>3:0 = 1 0 0 0''')
case(S, 'one-node', ['barrier'], '')
case(S, 'own-context', ['irecv 0 any 9 any 0; barrier; wait 0', 'barrier; send 0 5 3'], '''
    0>1:0 1>0:0 = 1 0 0 0
    1>0:5 = 1 5 0 0''', output=['0 3 received 1 3 5 1.2'])
case(S, 'a-node-stays-away', ['barrier', 'barrier', ''], '''
    0>1:0 = 1 0 0 0''', failure='collective-mismatch')

case('a group has its own ranks and its own context', 'group',
     ['irecv 0 any 9 any 0; g:recv 1 9 0; wait 0', 'g:send 0 4 0; send 0 6 0', 'g:send 0 5 0; g:barrier',
      'g:recv any 9 0; g:barrier'], '''
    1>0:4 2>3:5 = 1 5 0 0
    1>0:6 2>3:0 3>2:0 = 1 6 0 0''', output=['3 1 received 1 0 5 2.1'],
     machine={'groups': [(0, 0), (0, 1), (1, 1), (1, 0)]})

# ---------------------------------------------------------------------------------------------------- truncation, ends

S = 'Truncation is found at the match'
case(S, 'too-long', ['send 1 5 0', 'recv 0 4 0'], '', failure='truncation',
     waiting={0: ('waits', 'send', 1), 1: ('waits', 'receive', 0)})
case(S, 'before-the-ports-are-free', ['isend 0 2 1 0 0; isend 1 1 5 0 0; waitall', 'recv 0 4 0', 'recv 0 9 0'], '',
     failure='truncation')
S = 'a shorter message is right and leaves the rest of the buffer alone; `peal_wait` tells source, tag and words'
case(S, 'shorter', ['send 1 3 6', 'irecv 0 any 8 any 0; wait 0'], '''
    0>1:3 = 1 3 0 0''', output=['1 2 received 0 6 3 0.1'])
S = 'A node that finishes with an incomplete request fails as `lost-request`'
case(S, 'lost', ['irecv 0 1 9 0 0', ''], '', failure='lost-request',
     waiting={0: ('finished', 'receive', 1)})
case(S, 'complete-though-not-waited-for', ['isend 0 1 3 0 0; rest', 'recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''')
S = 'when all have finished, a message never received is `unmatched-message`'
case(S, 'never-received', ['send 1 3 0', ''], '', machine={'eager': 3}, failure='unmatched-message')
case(S, 'carried-and-never-received', ['send 1 3 0', 'rest'], '''
    0>1:3 = 1 3 0 0''', machine={'eager': 3}, failure='unmatched-message')
S = "Of several failures between two rounds the lowest rank's wins, and it is reported when every node is parked."
case(S, 'lowest-rank', ['recv 1 9 0', 'irecv 0 2 9 0 0', 'isend 0 9 1 0 0'], '', failure='lost-request',
     waiting={0: ('waits', 'receive', 1), 1: ('finished', 'receive', 2), 2: ('failed', None, None)})
case(S, 'lowest-rank-again', ['isend 0 9 1 0 0', 'irecv 0 2 9 0 0', 'recv 1 9 0'], '', failure='bad-rank',
     waiting={0: ('failed', None, None), 2: ('waits', 'receive', 1)})

# -------------------------------------------------------------------------------------------------- who waits for whom

S = 'the line of its blocked call and its first incomplete request'
case(S, 'first-incomplete', ['isend 0 1 3 0 0; irecv 1 2 9 0 0; irecv 2 3 9 0 0; wait 2', 'recv 0 9 0', '', ''], '''
    0>1:3 = 1 3 0 0''', failure='deadlock', cycle=[], waiting={0: ('waits', 'receive', 2)})
S = 'A node waits for every peer of its incomplete requests, a receive from any source for all others'
case(S, 'by-another-request', ['irecv 0 2 9 0 0; irecv 1 1 9 0 0; wait 0', 'recv 0 9 0', ''], '', failure='deadlock',
     cycle=[0, 1])
case(S, 'any-source', ['recv any 9 0', 'recv any 9 0', 'recv any 9 0'], '', failure='deadlock', cycle=[0, 1],
     waiting={r: ('waits', 'receive', -1) for r in range(3)})
case(S, 'any-source-not-oneself', ['recv any 9 0', ''], '', failure='deadlock', cycle=[])
S = '`cycle` starts at its lowest rank, each member waits for the next; it is empty when there is none'
case(S, 'three', ['recv 2 9 0', 'recv 0 9 0', 'recv 1 9 0'], '', failure='deadlock', cycle=[0, 2, 1])
case(S, 'not-all-are-on-it', ['recv 2 9 0', 'recv 2 9 0', 'recv 1 9 0'], '', failure='deadlock', cycle=[1, 2])

# ---------------------------------------------------------------------------------------------------- deliver

S = 'The words are copied .. also when a message is gathered from and scattered to several pieces.'
case(S, 'pieces', ['isend 0 1 10 0 4; wait 0', 'irecv 0 0 11 0 3; wait 0'], '''
    0>1:10 = 1 10 0 0''', output=['1 2 received 0 0 10 0.1'])

# ---------------------------------------------------------------------------------------------------- charges

S = 'max n_i·k_i, where k_i = the largest number of transfers that share one link of i\'s route'
LINE = {'topology': 'line:8'}
case(S, 'opposite-ways', ['', 'send 6 5 0', '', '', 'recv 7 9 0', '', 'recv 1 9 0', 'send 4 5 0'], '''
    1>6:5h5 7>4:5h3 = 1 5 0 0''', machine=LINE)
case(S, 'the-same-way', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 10 0 0''', machine=LINE)
case(S, 'wormhole', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 10 5 0''', machine=dict(LINE, switching='wormhole'))
S = 'max n_i·(sum of the k of each link of i\'s route)'
case(S, 'store-forward', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 35 0 0''', machine=dict(LINE, switching='store-forward'))
S = '`--congestion volume` replaces n_i·k by the words on that link'
case(S, 'volume', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 8 0 0''', machine=dict(LINE, congestion='volume'))
case(S, 'volume-store-forward', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 31 0 0''', machine=dict(LINE, congestion='volume', switching='store-forward'))
case('The two agree when a round\'s messages are equally long.', 'volume-equal',
     ['', 'send 6 5 0', '', '', 'send 7 5 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:5h3k2 = 1 10 0 0''', machine=dict(LINE, congestion='volume'))
S = 'τ · (max over nodes of the operations declared with `peal_compute` since the last round)'
case(S, 'most-operations', ['compute 3; compute 4; send 1 5 0', 'compute 6; recv 0 9 0'], '''
    0>1:5 = 1 5 0 7''', path=(1, 5, 0, 7), machine={'parameters': (1000, 1, 0, 1)})
S = 'operations not yet charged when the last node finishes are charged as such a round'
case(S, 'last-operations', ['send 1 5 0; compute 3', 'recv 0 9 0; compute 8'], '''
    0>1:5 = 1 5 0 0
    = 0 0 0 8''')
S = 'a round is written if it has a transfer or a charge'
case(S, 'charge-alone', ['compute 3; rest; rest; send 1 5 0', 'recv 0 9 0'], '''
    = 0 0 0 3
    0>1:5 = 1 5 0 0''')

# ---------------------------------------------------------------------------------------------------- routes

S = 'dimension order (`xy` = the last coordinate first, as in walking along a row, and its reverse `yx`)'
GRID = ['send 8 5 0', 'send 5 3 0', '', '', '', 'recv 1 9 0', '', '', 'recv 0 9 0']
case(S, 'xy', GRID, '''
    0>8:5h4k2 1>5:3h2k2 = 1 10 0 0''', machine={'topology': 'mesh:3x3'})
case(S, 'yx', GRID, '''
    0>8:5h4 1>5:3h2 = 1 5 0 0''', machine={'topology': 'mesh:3x3', 'routing': 'yx'})
S = 'e-cube (lowest dimension first) for hypercubes'
case(S, 'e-cube', ['send 7 5 0', 'send 3 3 0', '', 'recv 1 9 0', '', '', '', 'recv 0 9 0'], '''
    0>7:5h3k2 1>3:3k2 = 1 10 0 0''', machine={'topology': 'hypercube:3'})
S = 'shortest way round with ties upwards for rings and in each dimension of a torus'
case(S, 'tie-upwards', ['send 2 5 0', 'send 2 3 0', 'irecv 0 0 9 0 0; irecv 1 1 9 0 0; waitall', ''], '''
    0>2:5h2k2 1>2:3k2 = 1 10 0 0''', machine={'topology': 'ring:4', 'ports': 2})
case(S, 'the-short-way', ['send 3 5 0', '', '', 'recv 0 9 0', ''], '''
    0>3:5h2 = 1 5 2 0''', machine={'topology': 'ring:5', 'switching': 'wormhole'})
case(S, 'torus', ['send 15 5 0'] + [''] * 14 + ['recv 0 9 0'], '''
    0>15:5h2 = 1 5 2 0''', machine={'topology': 'torus:4x4', 'switching': 'wormhole'})
S = 'a dimension of 2 has one wire'
case(S, 'two-wide', EXCHANGE, '''
    0>1:5 = 1 5 0 0
    1>0:6 = 1 6 0 0''', machine={'topology': 'torus:1x2', 'ports': 'all', 'half_duplex': True})

S = 'ranks of one host are 0 hops apart and share no link'
PAIRS = {'topology': 'line:2@2:block'}
case(S, 'one-host', ['send 1 5 0', 'recv 0 9 0; send 2 3 0', 'recv 1 9 0', ''], '''
    0>1:5h0 = 1 5 0 0
    1>2:3 = 1 3 1 0''', machine=dict(PAIRS, switching='wormhole'))
case(S, 'one-host-stored', ['send 1 5 0', 'recv 0 9 0', '', ''], '''
    0>1:5h0 = 1 5 0 0''', machine=dict(PAIRS, switching='store-forward'))
case(S, 'links-are-the-hosts', ['send 2 5 0', 'send 3 3 0', 'recv 0 9 0', 'recv 1 9 0'], '''
    0>2:5k2 1>3:3k2 = 1 10 0 0''', machine=PAIRS)
case(S, 'ports-are-the-nodes', ['send 2 5 0', 'send 3 3 0', 'recv 0 9 0', 'recv 1 9 0'], '''
    0>2:5k2 1>3:3k2 = 1 10 0 0''', machine=dict(PAIRS, ports='all'))
case(S, 'no-port-inside', ['isend 0 1 5 0 0; isend 1 1 4 0 0; waitall', 'irecv 0 0 9 0 0; irecv 1 0 9 0 0; waitall', '', ''], '''
    0>1:5h0 0>1:4h0 = 1 5 0 0''', machine=dict(PAIRS, ports='all'))
case(S, 'spare-hosts', ['send 1 5 0', 'recv 0 9 0'], '''
    0>1:5h3 = 1 5 3 0''', machine={'topology': 'line:5@map:4,1', 'switching': 'wormhole'})

# ---------------------------------------------------------------------------------------------------- critical path

S = 'a node has a clock and each place of its ports another'
case(S, 'two-pairs-apart', ['send 1 10 0; send 1 1 0', 'recv 0 99 0; recv 0 99 0', 'send 3 1 0; send 3 10 0',
                            'recv 2 99 0; recv 2 99 0'], '''
    0>1:10 2>3:1 = 1 10 0 0
    0>1:1 2>3:10 = 1 10 0 0''', path=(2, 11, 0, 0))
S = "A transfer starts at the latest of both nodes' clocks when they posted"
case(S, 'the-later-post', ['compute 5; send 1 10 0', 'recv 2 9 0; compute 7; recv 0 99 0', 'send 1 4 0'], '''
    2>1:4 = 1 4 0 5
    0>1:10 = 1 10 0 7''', path=(2, 14, 0, 7), machine={'parameters': (1000, 1, 0, 1)})
case(S, 'computed-after-the-post', ['isend 0 1 10 0 0; compute 5; wait 0', 'recv 0 99 0'], '''
    0>1:10 = 1 10 0 5''', path=(1, 10, 0, 0), machine={'parameters': (1000, 1, 0, 1)})
case(S, 'a-wait-does-not-set-back', ['isend 0 1 10 0 0; compute 5000; wait 0; compute 1', 'recv 0 99 0'], '''
    0>1:10 = 1 10 0 5000
    = 0 0 0 1''', path=(0, 0, 0, 5001), machine={'parameters': (1000, 1, 0, 1)})
S = "the sender's alone if carried ahead"
case(S, 'ahead', ['send 1 10 0', 'compute 50; rest; recv 0 99 0'], '''
    0>1:10 = 1 10 0 50''', path=(1, 10, 0, 0), machine={'eager': 10, 'parameters': (1000, 1, 0, 1)})
case(S, 'ahead-and-later', ['send 1 10 0', 'compute 5000; rest; recv 0 99 0'], '''
    0>1:10 = 1 10 0 5000''', path=(0, 0, 0, 5000), machine={'eager': 10, 'parameters': (1000, 1, 0, 1)})
S = 'and the earliest free place of each port'
case(S, 'one-place', ['isend 0 1 10 0 0; isend 1 2 20 0 0; waitall', 'recv 0 99 0', 'recv 0 99 0'], '''
    0>1:10 = 1 10 0 0
    0>2:20 = 1 20 0 0''', path=(2, 30, 0, 0))
case(S, 'two-places', ['isend 0 1 10 0 0; isend 1 2 20 0 0; isend 2 3 30 0 0; waitall', 'recv 0 99 0', 'recv 0 99 0',
                       'recv 0 99 0'], '''
    0>1:10 0>2:20 = 1 20 0 0
    0>3:30 = 1 30 0 0''', path=(2, 40, 0, 0), machine={'ports': 2})
S = 'it ends α plus its own words and hops later (as in the table)'
case(S, 'own-words', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 35 0 0''', machine=dict(LINE, switching='store-forward'), path=(1, 25, 0, 0))
case(S, 'own-hops', ['', 'send 6 5 0', '', '', 'send 7 3 0', '', 'recv 1 9 0', 'recv 4 9 0'], '''
    1>6:5h5k2 4>7:3h3k2 = 1 10 5 0''', machine=dict(LINE, switching='wormhole'), path=(1, 5, 5, 0))
S = "Later means larger in time at the run's parameters, then in (α, β, t_d, τ)"
LATER = ['send 2 9 0; compute 1', 'compute 9; send 3 1 0', 'recv 0 9 0', 'recv 1 9 0']
case(S, 'by-time', LATER, '''
    0>2:9 1>3:1 = 1 9 0 9
    = 0 0 0 1''', machine={'parameters': (1000, 1, 0, 2)}, path=(1, 1, 0, 9))
case(S, 'by-coefficients', LATER, '''
    0>2:9 1>3:1 = 1 9 0 9
    = 0 0 0 1''', machine={'parameters': (1000, 1, 0, 1)}, path=(1, 9, 0, 1))

# ---------------------------------------------------------------------------------------------------- known answers

S = 'the binomial scatter of four-word blocks over a hypercube of eight: 3α + 28β'
case(S, 'scatter', ['send 4 16 0; send 2 8 0; send 1 4 0', 'recv 0 4 0', 'recv 0 8 0; send 3 4 0', 'recv 2 4 0',
                    'recv 0 16 0; send 6 8 0; send 5 4 0', 'recv 4 4 0', 'recv 4 8 0; send 7 4 0', 'recv 6 4 0'], '''
    0>4:16 = 1 16 0 0
    0>2:8 4>6:8 = 1 8 0 0
    0>1:4 2>3:4 4>5:4 6>7:4 = 1 4 0 0''', machine={'topology': 'hypercube:3'}, path=(3, 28, 0, 0))
S = 'two ranks send; wait; recv; wait: neither completes unless sends are buffered'
case(S, 'quiz', ['isend 0 1 5 0 0; wait 0; irecv 0 1 5 0 0; wait 0',
                 'isend 0 0 5 0 0; wait 0; irecv 0 0 5 0 0; wait 0'], '', failure='deadlock', cycle=[0, 1])
S = 'ring shift on a line: the wrap message uses the reverse links, k = 1, P steps cost P(α + β)'
case(S, 'shift', ['; '.join(['sendrecv %d 1 0 %d 1 0' % ((r + 1) % 6, (r - 1) % 6)] * 6) for r in range(6)],
     '\n'.join(['0>1:1 1>2:1 2>3:1 3>4:1 4>5:1 5>0:1h5 = 1 1 0 0'] * 6), machine={'topology': 'line:6'},
     path=(6, 6, 0, 0))
S = 'tree reduction of any P: ⌈log₂P⌉ rounds'
case(S, 'reduce', ['recv 1 1 0; recv 2 1 0; recv 4 1 0', 'send 0 1 0', 'recv 3 1 0; send 0 1 0', 'send 2 1 0',
                   'recv 5 1 0; send 0 1 0', 'send 4 1 0'], '''
    1>0:1 3>2:1 5>4:1 = 1 1 0 0
    2>0:1 = 1 1 0 0
    4>0:1 = 1 1 0 0''')


def check_model():
    """Check the model in every case; return how many fail."""
    failed = 0
    for c in CASES:
        r = model.run(c.options, c.scripts)
        rounds = [([tuple(t) for t in round.transfers], round.charge) for round in r.rounds]
        wrong = c.differences(rounds, r.cost, r.critical_path, r.failure, r.output)
        for line in wrong:
            print('%s (%s): %s' % (c.name, c.sentence, line))
        failed += bool(wrong)
    return failed

# ---------------------------------------------------------------------------------------------------- posts

S = 'Nothing can move: what nodes wait with is lent, if they go on then.'
case(S, 'unsafe-exchange', ['send 1 3 0; recv 1 9 0', 'send 0 4 0; recv 0 9 0'], '''
    0>1:3 1>0:4 = 1 4 0 0''', machine={'lend': 4}, path=(1, 4, 0, 0),
     output=['0 2 received 1 0 4 1.1', '1 2 received 0 0 3 0.1'])
case(S, 'one-is-short-enough', ['send 1 3 0; recv 1 9 0', 'send 0 4 0; recv 0 9 0'], '''
    1>0:4 = 1 4 0 0
    0>1:3 = 1 3 0 0''', machine={'lend': 3})
case(S, 'too-long-to-be-lent', ['send 1 4 0; recv 1 9 0', 'send 0 4 0; recv 0 9 0'], '', machine={'lend': 3},
     failure='deadlock', cycle=[0, 1], waiting={0: ('waits', 'send', 1), 1: ('waits', 'send', 0)})
case(S, 'helps-nobody', ['sendrecv 1 3 0 1 9 5', 'recv 0 9 5'], '', machine={'lend': 9}, failure='deadlock',
     cycle=[0, 1])
case(S, 'synchronous-is-not-lent', ['post 1 0 2 0 0 1; finish 1; recv 0 9 0'], '', machine={'lend': 9},
     failure='deadlock', cycle=[0])
case(S, 'polled-for', ['isend 1 0 2 0 0; poll 1; recv 0 9 0'], '''
    0>0:2 = 1 2 0 0''', machine={'lend': 9})

S = 'A probe finds what a receive in its place would take, and leaves it.'
case(S, 'probe-and-receive', ['post 1 1 3 7 5 0; finish 1', 'probe 1 any any 0; finish 1; recv @1 9 any'], '''
    0>1:3 = 1 3 0 0''', output=['1 2 got 0 7 3 0 5', '1 3 received 0 7 3 0.1'], path=(1, 3, 0, 0))
case(S, 'a-receive-before-it', ['isend 1 1 3 7 0; isend 2 1 2 8 0; waitall',
                                'irecv 1 0 9 7 0; probe 2 0 any 0; finish 2; irecv 3 0 9 8 0; wait 1; wait 3'], '''
    0>1:3 = 1 3 0 0
    0>1:2 = 1 2 0 0''', output=['1 3 got 0 8 2 0 0'])
case(S, 'kept-for-one-receive', ['post 1 1 3 7 5 0; post 2 1 2 7 6 0; finish 1; finish 2',
                                 'probe 1 0 7 1; finish 1; recv 0 9 7; receive 2 9 1; finish 2'], '''
    0>1:2 = 1 2 0 0
    0>1:3 = 1 3 0 0''', output=['1 3 received 0 7 2 0.2', '1 5 got 0 7 3 3 5 0.1'])
case(S, 'look', ['look 1 any; look 1 any; recv 1 9 0', 'send 0 3 0'], '''
    1>0:3 = 1 3 0 0''', output=['0 1 got 1 0 3 0 0', '0 2 got 1 0 3 0 0'])

S = 'A lenient receive takes what fits of a message that is charged whole.'
case(S, 'cut', ['post 1 1 5 0 3 0; finish 1', 'take 1 0 2 0 1; finish 1'], '''
    0>1:5 = 1 5 0 0''', output=['1 2 got 0 0 5 2 3 0.1'])

S = 'A request that the next round leaves unmatched is taken back.'
case(S, 'taken-back', ['isend 1 1 3 0 0; rest; cancel 1; finish 1; send 1 4 1', 'rest; rest; rest; recv 0 9 1'], '''
    0>1:4 = 1 4 0 0''', output=['0 4 cancelled'])
case(S, 'matched-in-that-round', ['isend 1 1 3 0 0; cancel 1; finish 1', 'recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''', output=['0 3 done 0 0 3 3 0'])

S = 'What is let go is carried all the same; its node ends after it.'
case(S, 'let-go', ['isend 1 1 3 0 0; let-go 1', 'rest; rest; recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''', output=['1 3 received 0 0 3 0.1'])
case(S, 'let-go-in-vain', ['isend 1 1 3 0 0; let-go 1', ''], '', failure='deadlock', waiting={0: ('waits', 'send', 1)})

S = 'The first of several ends the wait; the lowest index counts.'
case(S, 'any', ['irecv 1 1 9 0 0; irecv 2 2 9 0 0; any 1 2 0; wait 2; wait 1', 'rest; rest; send 0 1 0',
                'send 0 2 0'], '''
    2>0:2 = 1 2 0 0
    1>0:1 = 1 1 0 0''', output=['0 3 any 1'])

S = 'A meeting moves no words and is not charged.'
case(S, 'meet', ['meet 1; send 1 2 0', 'rest; meet 1; recv 0 9 0'], '''
    0>1:2 = 1 2 0 0''', output=['0 1 met', '1 2 met'])
case(S, 'two-of-a-node-at-once', ['start 1 1; meet 0; meet 0; join 1', 'start 1 0; meet 0; meet 0; join 1'], '',
     output=['0 2 met', '0 3 met', '1 2 met', '1 3 met'])
case(S, 'two-of-a-node-are-not-two-nodes', ['start 1 1; meet 0; meet 0; join 1', 'start 1 0; meet 0; join 1'], '',
     failure='deadlock', waiting={0: ('meets', None, None)}, output=['0 2 met', '1 2 met', '1 3 joined'])
case(S, 'one-does-not-come', ['meet 1', 'meet 2'], '', failure='deadlock', cycle=[0, 1],
     waiting={0: ('meets', None, None), 1: ('meets', None, None)})

S = 'The poster of a one-sided message posts both ends.'
case(S, 'put', ['put 1 1 3 2; finish 1', 'memory; recv 0 9 0'], '''
    0>1:3 = 1 3 0 0''', failure='deadlock', output=['0 2 accessed 0'])
case(S, 'get-from-one-that-has-finished', ['rest; get 1 1 3 2; finish 1', ''], '''
    1>0:3 = 1 3 0 0''')
case(S, 'gets-share-the-port-of-their-peer', ['get 1 2 3 2; finish 1', 'get 1 2 4 2; finish 1', ''], '''
    2>0:3 = 1 3 0 0
    2>1:4 = 1 4 0 0''')
case(S, 'a-put-and-a-get-go-at-once', ['put 1 1 3 2; get 2 1 4 9; finish 1; finish 2', ''], '''
    0>1:3 1>0:4 = 1 4 0 0''')
case(S, 'they-are-in-the-order-of-sends', ['isend 1 1 3 0 0; put 2 1 4 0; isend 3 1 5 0 0; waitall', 'recv 0 9 0; recv 0 9 0'],
     '''
    0>1:3 = 1 3 0 0
    0>1:4 = 1 4 0 0
    0>1:5 = 1 5 0 0''')

S = 'An update is two messages, and answers come before what is posted later.'
case(S, 'update', ['add 1 1 3 0 1; finish 1; add 2 1 3 0 1; finish 2', ''], '''
    0>1:3 = 1 3 0 0
    1>0:3 = 1 3 0 0
    0>1:3 = 1 3 0 0
    1>0:3 = 1 3 0 0''')
case(S, 'answer-first', ['add 1 1 3 0 1; finish 1', 'rest; send 2 4 0', 'recv 1 9 0'], '''
    0>1:3 = 1 3 0 0
    1>0:3 = 1 3 0 0
    1>2:4 = 1 4 0 0''')

S = 'A lock is granted in the order of arrival.'
case(S, 'exclusive', ['lock 1 2 0 0; finish 1; put 2 2 5 0; finish 2; unlock 3 1; finish 3',
                      'lock 1 2 0 0; finish 1; unlock 3 1; finish 3', ''], '''
    0>2:0 = 1 0 0 0
    1>2:0 2>0:0 = 1 0 0 0
    0>2:5 = 1 5 0 0
    0>2:0 = 1 0 0 0
    2>1:0 = 1 0 0 0
    1>2:0 = 1 0 0 0''')
case(S, 'shared', ['lock 1 2 0 1; finish 1; unlock 3 1; finish 3', 'lock 1 2 0 1; finish 1; unlock 3 1; finish 3', ''], '''
    0>2:0 = 1 0 0 0
    1>2:0 2>0:0 = 1 0 0 0
    2>1:0 0>2:0 = 1 0 0 0
    1>2:0 = 1 0 0 0''')
case(S, 'two-in-opposite-orders', ['lock 1 0 0 0; finish 1; barrier; lock 2 1 0 0; finish 2',
                                   'lock 1 1 0 0; finish 1; barrier; lock 2 0 0 0; finish 2'], '''
    0>0:0 1>1:0 = 1 0 0 0
    0>0:0 1>1:0 = 1 0 0 0
    0>1:0 1>0:0 = 1 0 0 0
    0>1:0 1>0:0 = 1 0 0 0''', failure='deadlock', cycle=[0, 1], waiting={0: ('waits', 'lock', 1), 1: ('waits', 'lock', 0)})
case(S, 'held-at-the-end', ['lock 1 0 0 0; finish 1'], '''
    0>0:0 = 1 0 0 0
    0>0:0 = 1 0 0 0''', failure='lost-request')
case(S, 'unlocked-at-the-end', ['lock 1 0 0 0; finish 1; unlock 2 1'], '''
    0>0:0 = 1 0 0 0
    0>0:0 = 1 0 0 0''', failure='lost-request', waiting={0: ('finished', 'unlock', 0)})
case(S, 'unlocked-by-another-strand', ['start 1 3; lock 1 1 0 0; finish 1; rest; rest; rest; isend 3 1 4 0 0; unlock 2 1; '
                                       'finish 2; wait 3; join 1', 'start 1 0; recv 0 9 0; join 1'], '''
    0>1:0 = 1 0 0 0
    1>0:0 = 1 0 0 0
    0>1:4 = 1 4 0 0
    0>1:0 = 1 0 0 0''')

S = 'A strand starts at once; then the node goes on with the first of its strands that can, its program last.'
case(S, 'posts-before-its-starter', ['start 1 1; send 1 3 0; isend 1 1 4 0 0; wait 1; join 1',
                                     'start 1 1; recv 0 9 0; irecv 1 0 9 0 0; wait 1; join 1'], '''
    0>1:3 = 1 3 0 0
    0>1:4 = 1 4 0 0''', output=['1 2 received 0 0 3 0.2', '1 4 received 0 0 4 0.3'], path=(2, 7, 0, 0))
case(S, 'ends-at-its-start', ['start 1 1; compute 5; jointest 1'], '''
     = 0 0 0 5''', output=['0 3 joined'], path=(0, 0, 0, 5))
case(S, 'in-any-order', ['start 1 1; barrier; start 2 1; sendrecv 1 2 0 1 9 0; join 2; join 1',
                         'start 1 1; barrier; start 2 1; sendrecv 0 3 0 0 9 0; join 1; join 2'], '''
    0>1:0 1>0:0 = 1 0 0 0
    0>1:2 1>0:3 = 1 3 0 0''')
case(S, 'tests-rest-a-round', ['start 1 1; recv 1 9 0; jointest 1; jointest 1', 'start 1 2; rest; send 0 3 0; join 1'], '''
    1>0:3 = 1 3 0 0''', output=['0 3 false', '0 2 received 1 0 3 1.3', '0 4 joined'])

S = 'What a strand posts meets only what strands of the same start post.'
case(S, 'not-the-program', ['start 1 1; send 1 3 0; join 1', 'start 1 0; recv 0 9 0; join 1'], '',
     failure='deadlock', cycle=[0, 1], waiting={0: ('waits', 'send', 1), 1: ('waits', 'receive', 0)})
case(S, 'not-another-start', ['start 1 1; send 1 3 0; start 2 0; join 1', 'start 1 0; start 2 1; recv 0 9 0; join 2'], '',
     failure='deadlock', cycle=[0, 1], waiting={0: ('waits', 'send', 1), 1: ('waits', 'receive', 0)})
case(S, 'not-another-collective', ['start 1 1; barrier; join 1', 'barrier'], '', failure='collective-mismatch')
case(S, 'one-does-not-start-it', ['start 1 0; join 1', ''], '', failure='collective-mismatch')
case(S, 'waits-for-what-one-does-not-start', ['start 1 1; rest; start 2 1; recv 1 9 0; waitall', 'start 1 0; meet 1'], '',
     failure='collective-mismatch')

S = 'A node ends when its strands have ended.'
case(S, 'not-joined', ['start 1 1; recv 0 1 0'], '', failure='lost-request')
case(S, 'joined-by-a-wait-for-all', ['start 1 1; sendrecv 0 3 0 0 9 0; waitall'], '''
    0>0:3 = 1 3 0 0''', output=['0 3 all'])
case(S, 'leaves-what-the-program-waits-for', ['start 1 3; isend 1 1 3 7 2; irecv 2 1 9 8 0; wait 2; wait 1; waitall',
                                             'start 1 1; sendrecv 0 2 8 0 9 7; waitall'], '''
    0>1:3 1>0:2 = 1 3 0 0''', output=['0 4 received 1 8 2 1.2', '0 5 sent 0 7 3', '0 6 all', '1 2 received 0 7 3 0.2', '1 3 all'])
case(S, 'consumes-what-a-wait-for-all-found-complete',
     ['irecv 1 1 9 7 0; start 1 3; rest; rest; wait 1; rest; irecv 2 1 9 8 0; waitall',
      'start 1 0; send 0 3 7; rest; rest; send 0 2 8; waitall'], '''
    1>0:3 = 1 3 0 0
    1>0:2 = 1 2 0 0''', output=['0 5 received 1 7 3 1.2', '0 8 holds 2 1.5', '0 8 all'])

S = 'A strand has a clock of its own, which starts with the node\'s and is joined with it.'
case(S, 'side-by-side', ['start 1 2; compute 100; barrier; compute 30; join 1', 'start 1 1; barrier; join 1'], '''
    0>1:0 1>0:0 = 1 0 0 130''', path=(1, 0, 0, 100), machine={'parameters': (1, 1, 1, 1)})


if __name__ == '__main__':
    failed = check_model()
    print('%d cases, %d failed' % (len(CASES), failed))
    sys.exit(failed > 0)
