#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of collectives/*.c, checked as a comment before each says:

    check COLLECTIVE SYMBOL [options]: proved [costs=ALGORITHM] [noted=KIND] [runs=KIND,..] [limits=..]
    check COLLECTIVE SYMBOL [options]: KIND[|KIND] [P=..] [n=..] [m=..] [r=..] [line=X] [kinds=..] [note=..] [fix=..]
                                       [said=..]

X stands in a comment, /* X */, on the line of the finding; the note is of preconditions; the fix has that text, and the
message that of said, with _ for a blank; kinds: how many are found.  A|B: either.  runs: some runs were of each of these
kinds, and the limits name none.  Without -p they are checked with P = 1 to 5.

usage: collectives.py [--first] BUILD [SYMBOL...]

With --first: of each collective the first that is proved, and the first finding of each kind.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'collectives')
CHECK = re.compile(r'check (\S+) (\S+)((?: (?:[^:]|:(?! ))*)?): (\S+)(.*)')


def expectations():
    for name in sorted(os.listdir(here)):
        if name.endswith(('.c', '.cpp')):
            for line in open(os.path.join(here, name), encoding='utf-8'):
                found = CHECK.search(line)
                if found:
                    collective, symbol, options, kind, rest = found.groups()
                    yield name, collective, symbol, shlex.split(options), kind, re.findall(r'(\w+)=(\S+)', rest)


def line_of(name, mark):
    for number, line in enumerate(open(os.path.join(here, name), encoding='utf-8'), 1):
        if f'/* {mark} */' in line:
            return number
    return None


def differs_proved(check, wants):
    none = [kind for kind in wants.get('runs', '').split(',') if kind and check['kinds'][kind] == 0]
    limits = check['limits'] or ''
    if none or ('runs' in wants and 'limits' not in wants and 'no run with' in limits):
        return f'no run with {none}; limits: {limits}'
    if wants.get('limits', '') not in limits:
        return f'its limits are {limits}, expected {wants["limits"]}'
    costs = wants.get('costs', '')
    return None if costs in (check['costs_as'] or '') else f'it costs as {check["costs_as"]}, expected {costs}'


def differs(name, kind, wants, document):
    check = document['checks'][0]
    findings = [f for f in document['findings'] if f['severity'] == 'error']
    if kind == 'proved':
        why = [(f['kind'], f['message'], f['rerun']) for f in findings]
        if not check['proved']:
            return f'not proved: {check["reason"]} {why}'
        noted = [f['kind'] for f in document['findings'] if f['severity'] == 'note']
        if noted != [kind for name, kind in wants if name == 'noted']:
            return f'its notes are {noted}'
        return differs_proved(check, dict(wants))
    found = [f for f in findings if f['kind'] in kind.split('|')]
    if not found:
        return f'expected {kind}, got {[(f["kind"], f["message"]) for f in findings] or "proved"}'
    case = found[0]['case']
    is_now = {'P': case['nodes'], 'n': case['words'], 'm': case['words'], 'r': case['root'], 'line': found[0]['line'],
              'kinds': len(findings)}
    for key, value in wants:
        if key == 'note':
            if value not in (check['right_where'] or ''):
                return f'its note is {check["right_where"]}, expected {value}'
            continue
        if key == 'said':
            if value.replace('_', ' ') not in found[0]['message']:
                return f'its message is {found[0]["message"]}'
            continue
        if key == 'fix':
            if value not in (found[0]['fix'] or ''):
                return f'its fix is {found[0]["fix"]}'
            continue
        allowed = [line_of(name, value)] if key == 'line' else [int(v) for v in value.split('|')]
        if is_now[key] not in allowed:
            return f'{key} is {is_now[key]}, expected {allowed}: {found[0]["message"]}'
    return None


def judge(peal, one):
    """Why a check does not say what is expected; None."""
    name, collective, symbol, options, kind, wants = one
    range_of = [] if '-p' in options else ['-p', '1:5']
    command = [peal, 'check', collective, '--mpi', '--file', name, '--symbol', symbol, *options, *range_of, '--json']
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    try:
        why = differs(name, kind, wants, json.loads(done.stdout))
    except (ValueError, KeyError) as error:
        why = f'{error!r}: {done.stdout[:300]} {done.stderr[:600]}'
    return f'{name}, {symbol} {" ".join(options)}: {why}' if why else None


def firsts(checks):
    shown = {}
    for check in checks:
        _, collective, _, _, kind, _ = check
        shown.setdefault((collective, kind) if kind == 'proved' else kind, check)
    return list(shown.values())


def main():
    words = [word for word in sys.argv[1:] if word != '--first']
    peal, only = os.path.abspath(os.path.join(words[0], 'tools', 'peal')), words[1:]
    wanted = [one for one in expectations() if not only or one[2] in only]
    if '--first' in sys.argv:
        wanted = firsts(wanted)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [why for why in pool.map(lambda one: judge(peal, one), wanted) if why]
    print(*wrong, f'{len(wanted)} checks, {len(wrong)} not as expected', sep='\n')
    return 1 if wrong or not wanted else 0


sys.exit(main())
