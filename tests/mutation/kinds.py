# SPDX-License-Identifier: MIT
"""Kinds of mistakes: each gives the mutants of a function as edits {token: new text}."""
import re

from source import STATEMENTS, TYPES

# Of calls: which arguments are another node's rank, numbers of words, numbers of blocks.  Counted from 0.
PEERS = {'peal_send': (3,), 'peal_recv': (3,), 'peal_send_async': (3,), 'peal_recv_async': (3,), 'peal_sendrecv': (3, 6),
         'peal_sendv_async': (3,), 'peal_recvv_async': (3,), 'post_send': (2,), 'post_recv': (2,), 'exchange': (2, 4),
         'exchange_pieces': (3, 6), 'bundle_send': (3,), 'bundle_recv': (3,), 'bundle_post_send': (3,),
         'bundle_post_recv': (3,), 'slots_post': (4, 5), 'spread_hear': (1,), 'spread_tell': (1,)}
WORDS = {'peal_send': (2,), 'peal_recv': (2,), 'peal_send_async': (2,), 'peal_recv_async': (2,), 'peal_sendrecv': (2, 5),
         'combine': (3,), 'block_copy': (3,), 'peal_sendv_async': (2,), 'peal_recvv_async': (2,), 'memcpy': (2,),
         'exchange_pieces': (2, 5), 'combine_pieces': (4,)}
BLOCKS = {'block_of': (3,), 'blocks_of': (3, 4), 'part_of': (3,), 'parts_of': (3, 4), 'piece_of': (4,), 'pieces_of': (4, 5),
          'blocks_round': (3, 4), 'peal_block': (2,), 'peal_blocks_words': (1,), 'peal_blocks_begin': (1,),
          'span_from': (2, 3), 'fold_blocks': (4, 5), 'peal_block_begin': (2,), 'peal_block_words': (2,)}
RECEIVED = {'peal_recv': 2, 'peal_recv_async': 2, 'peal_sendrecv': 5, 'peal_recvv_async': 2, 'exchange_pieces': 5}  # room for more is right
MESSAGES = set(PEERS) | {'send', 'receive', 'post', 'send_all', 'recv_all'}
WAITS = {'peal_wait', 'peal_wait_all', 'peal_next_round', 'rest'}
TAGGED = {'peal_send', 'peal_recv', 'peal_send_async', 'peal_recv_async', 'peal_sendv_async', 'peal_recvv_async'}
SWAPPED = {'combine': (0, 1), 'combine_pieces': (1, 2)}
NAMES = [('left', 'right'), ('source', 'dest'), ('in', 'out'), ('from', 'to'), ('begin', 'end'), ('first', 'last'),
         ('rows', 'columns'), ('up', 'down'), ('before', 'behind'), ('low', 'high'), ('parent', 'child'), ('lower', 'upper')]
RELATIONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
REVERSED = {'<': '>', '<=': '>=', '>': '<', '>=': '<='}
OPERATORS = {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '^': '|', '&': '|', '|': '&'}
ASSIGNMENTS = {'+=': '-=', '-=': '+=', '*=': '+=', '/=': '*=', '<<=': '>>=', '>>=': '<<=', '^=': '|=', '|=': '^=', '&=': '|='}

KINDS = {}


def kind(name):
    def keep(function):
        KINDS[name] = function
        return function
    return keep


def around(f, span, before, after):
    """Edits that put text before and after the tokens of the span."""
    first, last = span[0], span[1] - 1
    if first == last:
        return {first: before + f.text(first) + after}
    return {first: before + f.text(first), last: f.text(last) + after}


def without(f, first, end, instead=';'):
    edits = dict.fromkeys(range(first, end), '')
    edits[first] = instead
    return edits


def arguments_of(f, table):
    for call in f.calls:
        for place in table.get(call.name, ()):
            if place < len(call.arguments):
                yield call, call.arguments[place]


def plain(f):
    """Expression statements, with the names of the functions they call."""
    for s in f.statements:
        if s.kind == 'expression':
            yield s, {c.name for c in f.calls if s.first <= c.at < s.end}


def is_operand(f, close):
    """Whether the parenthesis that ends at token `close` holds no type, and is not the head of a statement."""
    first = next(k for k, end in f.source.close.items() if end == close) + 1
    if f.text(first - 2) in ('if', 'for', 'while', 'switch'):
        return False
    return not all(f.text(k) in TYPES or f.text(k) == '*' or f.text(k - 1) in ('struct', 'enum') for k in range(first, close))


def is_binary(f, i):
    """Whether token i is a binary operator: an operand ends before it, and no type."""
    before = f.text(i - 1)
    if before in ('++', '--'):
        return f.source.tokens[i - 2].kind == 'name' or f.text(i - 2) in (')', ']')
    if before == ')':
        return is_operand(f, i - 1)
    if f.source.tokens[i - 1].kind == 'name':
        return before not in STATEMENTS + ('sizeof',) and before not in TYPES and f.text(i - 2) not in ('struct', 'enum')
    return before == ']' or f.source.tokens[i - 1].kind in ('number', 'string')


@kind('partner')
def wrong_partner(f):
    for call, span in arguments_of(f, PEERS):
        me = f.source.render(*call.arguments[0])
        if me == 'me':
            yield around(f, span, '(', f' + 1) % peal_size({me})')


@kind('count')
def wrong_count(f):
    for call, span in arguments_of(f, WORDS):
        if RECEIVED.get(call.name) is None or call.arguments[RECEIVED[call.name]] != span:
            yield around(f, span, '(', ') + 1')
        yield around(f, span, '((', f') > 0 ? ({f.source.render(*span)}) - 1 : 0)')


@kind('dropped message')
def dropped_message(f):
    for s, names in plain(f):
        if names & MESSAGES:
            yield without(f, s.first, s.end)


@kind('doubled message')
def doubled_message(f):
    for s, names in plain(f):
        if names & MESSAGES:
            text = f.source.render(s.first, s.end)
            yield without(f, s.first, s.end, f'{{ {text} {text} }}')


@kind('root')
def wrong_root(f):
    for i in range(f.body, f.end):
        if f.text(i) == 'root' and f.text(i - 1) not in ('.', '->', '*', 'int') and f.text(i + 1) not in ('=', '['):
            yield {i: '0'}
            if 'P' in f.names:
                yield {i: '((root + 1) % P)'}


@kind('operands')
def swapped_operands(f):
    if re.search(r'commutative\w*\s*=\s*true', '\n'.join(f.source.lines)):
        return  # the algorithm is for operators that commute
    for call in f.calls:
        if call.name in SWAPPED:
            a, b = (call.arguments[place] for place in SWAPPED[call.name])
            left, right = f.source.render(*a), f.source.render(*b)
            if left != right:
                yield {**without(f, *a, right), **without(f, *b, left)}


@kind('wait')
def missing_wait(f):
    for s, names in plain(f):
        if names & WAITS and not names & MESSAGES:
            yield without(f, s.first, s.end)


@kind('loop')
def wrong_loop(f):
    """One turn less at the end, one at the beginning, another step, none at all."""
    for s in f.statements:
        if s.kind != 'for':
            continue
        open_at, close_at, _ = s.parts
        marks = [i for i in range(open_at + 1, close_at) if f.text(i) == ';']
        if len(marks) != 2:
            continue
        first, second = marks
        if second > first + 1:
            yield without(f, first + 1, second, ' 0')
        if second > first + 1 and f.text(second - 1) not in (')',) and any(
                f.text(i) in ('<', '<=') for i in range(first + 1, second)):
            yield {second - 1: f.text(second - 1) + ' - 1'}
        if first > open_at + 2 and f.text(first - 1) not in (')', '}') and f.source.tokens[first - 1].kind in ('number', 'name'):
            yield {first - 1: f.text(first - 1) + ' + 1'}
        for i in range(second + 1, close_at):
            if f.text(i) in ('++', '--'):
                yield {i: {'++': ' += 2', '--': ' -= 2'}[f.text(i)]}


@kind('comparison')
def wrong_comparison(f):
    """Off by one against a number or P, where equality can happen; the wrong way round between others."""
    for i in range(f.body, f.end):
        text = f.text(i)
        if text in RELATIONS and f.source.tokens[i].kind == 'mark' and is_binary(f, i):
            sides = f.source.tokens[i - 1], f.source.tokens[i + 1]
            bounded = text in ('==', '!=') or any(t.kind == 'number' or t.text == 'P' for t in sides)
            yield {i: RELATIONS[text] if bounded else REVERSED[text]}


@kind('condition')
def wrong_condition(f):
    for s in f.statements:
        if s.kind == 'if':
            span = (s.parts[0] + 1, s.parts[1])
            yield around(f, span, '!(', ')')
    for i in range(f.body, f.end):
        if f.text(i) in ('&&', '||'):
            yield {i: '||' if f.text(i) == '&&' else '&&'}


@kind('arithmetic')
def wrong_arithmetic(f):
    for i in range(f.body, f.end):
        text = f.text(i)
        if text in OPERATORS and is_binary(f, i):
            yield {i: OPERATORS[text]}
        elif text in ASSIGNMENTS:
            yield {i: ASSIGNMENTS[text]}


@kind('constant')
def wrong_constant(f):
    for i in range(f.body, f.end):
        token = f.source.tokens[i]
        if token.kind == 'number' and token.text.isdigit() and f.text(i - 1) + f.text(i + 1) != '{}':
            yield {i: str(int(token.text) + (1 if int(token.text) < 2 else -1))}


@kind('block')
def wrong_block(f):
    for call, span in arguments_of(f, BLOCKS):
        yield around(f, span, '(', ') + 1')


@kind('tag')
def wrong_tag(f):
    for call in f.calls:
        if call.name in TAGGED:
            yield {call.at: call.name + '_tag', call.end - 1: ', 1)'}


@kind('order')
def wrong_order(f):
    for s in f.statements:
        if s.kind != 'block':
            continue
        of, talks = {t.first: t for t in f.statements if t.kind == 'expression'}, {}
        for t, names in plain(f):
            talks[t.first] = bool(names & MESSAGES), bool(names & WAITS)
        for a, b in zip(s.parts, s.parts[1:]):
            if a in of and b in of and talks[a] != talks[b]: # two sends may be posted in any order
                a, b = of[a], of[b]
                left, right = f.source.render(a.first, a.end), f.source.render(b.first, b.end)
                yield {**without(f, a.first, a.end, right), **without(f, b.first, b.end, left)}


@kind('name')
def wrong_name(f):
    other = {}
    for a, b in NAMES:
        if a in f.names and b in f.names:
            other[a], other[b] = b, a
    for i in range(f.body, f.end):
        if f.source.tokens[i].kind == 'name' and f.text(i) in other and f.text(i + 1) != '=' and f.text(i - 1) not in (
                'int', '*', 'size_t'):
            yield {i: other[f.text(i)]}


@kind('statement')
def dropped_statement(f):
    for s in f.statements:
        if s.kind in ('break', 'continue') or (s.kind == 'return' and f.text(s.first + 1) == ';'):
            yield without(f, s.first, s.end)
    for s, names in plain(f):
        if not names & (MESSAGES | WAITS | {'peal_packet'}):
            yield without(f, s.first, s.end)


@kind('choice')
def wrong_choice(f):
    """The arms of ? : exchanged."""
    for i in range(f.body, f.end):
        if f.text(i) != '?':
            continue
        depth, at = 0, i + 1
        while at < f.end and not (f.text(at) == ':' and depth == 0):
            depth += {'?': 1, ':': -1}.get(f.text(at), 0)
            at = f.source.close[at] + 1 if at in f.source.close else at + 1
        end = at + 1
        while end < f.end and f.text(end) not in (';', ',', ')', ']', '}', ':'):
            end = f.source.close[end] + 1 if end in f.source.close else end + 1
        if '?' not in [f.text(k) for k in range(i + 1, end)]:
            left, right = f.source.render(i + 1, at), f.source.render(at + 1, end)
            yield {**without(f, i + 1, at, ' ' + right), **without(f, at + 1, end, ' ' + left)}
