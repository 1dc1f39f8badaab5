#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run random programs on Peal and on the model (model.py), and compare everything: the schedule, every charge, the
cost, the critical path, the failure with its nodes and cycle, and the message of every receive.

    differential.py CASES                    a short run; CASES is the program built from cases.c
    differential.py CASES --seconds 3600     a long one
    differential.py CASES --seed 7 --count 1 one program again
    differential.py CASES --sentences        the hand-written cases of sentences.py instead
    differential.py CASES --file FILE        one case from a file
    differential.py --command PEAL           some cases through the command, as a program file; --seed, --count as above

A program that comes out differently is made as small as it goes and printed; the exit status is then 1.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leave no files beside the sources
import model
import sentences
from generator import ENGINES, Generator

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 100


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
    """Whether two runs of Peal are the same to the byte, except for the engine and the resources of the host."""
    def bare(run):
        document = re.sub(rb'"engine": *"[a-z]*"', b'', run.raw, count=1)
        return document[:document.rindex(b'"host"')], run[1]
    return bare(a) == bare(b)


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
    """Compare programs made from the seeds first, first + 1, ...; return how many differ."""
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
    """Hold Peal to every hand-written case, and to the model in it, on one carrier and on two of each engine."""
    failed = 0
    ways = [(carriers, engine) for carriers in (1, 2) for engine in ENGINES]
    for carriers, engine in ways:
        texts = [model.case_text(i, c.options, c.scripts, carriers=carriers, engine=engine)
                 for i, c in enumerate(sentences.CASES)]
        results, trouble = run_cases(program, texts)
        for i, c in enumerate(sentences.CASES):
            wrong = ['no result: ' + trouble]
            if str(i) in results:
                wrong = hold_to_sentence(c, *results[str(i)]) or differences(model.run(c.options, c.scripts), *results[str(i)])
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


def run_command(peal, first, count):
    """Run some sentences and some random programs as a program file through the command."""
    failed = 0
    cases = [(c.name, c.options, c.scripts) for c in sentences.CASES[::12]]
    cases += [('seed %d' % seed, case.options, case.scripts) for seed in range(first, first + count) for case in [Generator(seed)]]
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
            line += ['--fallback-buffer', str(8 * options.lend)] if options.lend else []
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
    parser.add_argument('--count', type=int, help='how many programs (1000; through the command 10)')
    parser.add_argument('--seconds', type=float, help='as many programs as this time allows')
    parser.add_argument('--stop-after', type=int, default=3, help='how many differing programs end the run (3)')
    parser.add_argument('--sentences', action='store_true', help='the hand-written cases')
    parser.add_argument('--file', help='one case from a file')
    parser.add_argument('--engines', default='threads', help='of these each program takes one (threads)')
    parser.add_argument('--command', metavar='PEAL', help='run some cases through this command')
    a = parser.parse_args()
    ENGINES[:] = a.engines.split(',')
    if a.command:
        failed = run_command(a.command, a.seed, a.count or 10)
    elif a.cases is None:
        parser.error('the program built from cases.c is needed')
    elif a.sentences:
        failed = run_sentences(a.cases)
    elif a.file:
        failed = run_file(a.cases, a.file)
    else:
        failed = run_random(a.cases, a.seed, a.count or 1000, a.seconds, a.stop_after)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
