#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each form of function that peal check --mpi takes in C it takes in C++, and those that only C++ has.

usage: forms.py BUILD [WORD...]

With words: only forms whose text has one of them.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

SENT, TO, REDUCED = 'const void *s, int n, MPI_Datatype t', 'void *o, int m, MPI_Datatype u', 'MPI_Datatype t, MPI_Op p'
LISTS, END = 'const int *n, const int *d', 'MPI_Comm c'
# collective, parameters, call, arguments (MPI's own), options
C = [
    ('bcast', f'void *b, int n, MPI_Datatype t, int r, {END}', 'MPI_Bcast(b, n, t, r, c)', ''),
    ('scatter', f'{SENT}, {TO}, int r, {END}', 'MPI_Scatter(s, n, t, o, m, u, r, c)', ''),
    ('scatterv', f'const void *s, {LISTS}, MPI_Datatype t, {TO}, int r, {END}', 'MPI_Scatterv(s, n, d, t, o, m, u, r, c)', ''),
    ('gather', f'{SENT}, {TO}, int r, {END}', 'MPI_Gather(s, n, t, o, m, u, r, c)', ''),
    ('gatherv', f'const void *s, int m, MPI_Datatype t, void *o, {LISTS}, MPI_Datatype u, int r, {END}',
     'MPI_Gatherv(s, m, t, o, n, d, u, r, c)', ''),
    ('allgather', f'{SENT}, {TO}, {END}', 'MPI_Allgather(s, n, t, o, m, u, c)', ''),
    ('allgatherv', f'const void *s, int m, MPI_Datatype t, void *o, {LISTS}, MPI_Datatype u, {END}',
     'MPI_Allgatherv(s, m, t, o, n, d, u, c)', ''),
    ('reduce', f'const void *s, void *o, int n, {REDUCED}, int r, {END}', 'MPI_Reduce(s, o, n, t, p, r, c)', ''),
    ('allreduce', f'const void *s, void *o, int n, {REDUCED}, {END}', 'MPI_Allreduce(s, o, n, t, p, c)', ''),
    ('reduce_scatter_block', f'const void *s, void *o, int n, {REDUCED}, {END}', 'MPI_Reduce_scatter_block(s, o, n, t, p, c)', ''),
    ('reduce_scatter', f'const void *s, void *o, const int *n, {REDUCED}, {END}', 'MPI_Reduce_scatter(s, o, n, t, p, c)', ''),
    ('alltoall', f'{SENT}, {TO}, {END}', 'MPI_Alltoall(s, n, t, o, m, u, c)', ''),
    ('alltoallv', f'const void *s, {LISTS}, MPI_Datatype t, void *o, const int *m, const int *e, MPI_Datatype u, {END}',
     'MPI_Alltoallv(s, n, d, t, o, m, e, u, c)', ''),
    ('alltoallw', f'const void *s, {LISTS}, const MPI_Datatype *t, void *o, const int *m, const int *e, const MPI_Datatype *u, {END}',
     'MPI_Alltoallw(s, n, d, t, o, m, e, u, c)', 'sendbuf, sendcounts, sbytes, sendtypes, recvbuf, recvcounts, rbytes, recvtypes, comm'),
    ('scan', f'const void *s, void *o, int n, {REDUCED}, {END}', 'MPI_Scan(s, o, n, t, p, c)', ''),
    ('exscan', f'const void *s, void *o, int n, {REDUCED}, {END}', 'MPI_Exscan(s, o, n, t, p, c)', ''),
    ('barrier', END, 'MPI_Barrier(c)', ''),
    ('barrier', 'void', 'MPI_Barrier(MPI_COMM_WORLD)', ' '),
    ('allreduce', 'double *a, int n', 'MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)', 'buffer, count'),
    ('allreduce', 'int *a, int *b, int n, MPI_Comm c', 'MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, c)', 'sendbuf, recvbuf, count, comm',
     '--elements', 'int'),
    ('bcast', 'void *b, const int *n, MPI_Datatype *t, int *r, MPI_Comm *c', 'MPI_Bcast(b, *n, *t, *r, *c)',
     'buffer, &count, &datatype, &root, &comm'),
    ('bcast', 'void **b, size_t n, unsigned r, MPI_Comm c', 'MPI_Bcast(*b, (int)n, MPI_LONG, (int)r, c)', '&buffer, count, root, comm'),
    ('bcast', 'long *b, long *e, int r, MPI_Comm c', 'MPI_Bcast(b, (int)(e - b), MPI_LONG, r, c)',
     'buffer, buffer + (long)sizeof(long) * count, root, comm'),
    ('bcast', 'uintptr_t b, int n, int r, MPI_Comm c', 'MPI_Bcast((void *)b, n, MPI_LONG, r, c)', '(uintptr_t)buffer, count, root, comm'),
    ('gather', 'const void *s, int n, void *o, int has, int r, MPI_Comm c', 'MPI_Gather(s, n, MPI_LONG, o, n, MPI_LONG, r, has ? c : c)',
     'sendbuf, sendcount, rank == root ? recvbuf : NULL, recvbuf != NULL && !!recvbuf && sendbuf != MPI_IN_PLACE, root, comm'),
    ('allgatherv', 'const long *s, int n, long *o, const int *m, const int *d, MPI_Comm c', 'MPI_Allgatherv(s, n, MPI_LONG, o, m, d, MPI_LONG, c)',
     'sendbuf, recvcounts[rank], recvbuf, recvcounts + 0, &displs[0], comm'),
    ('allgatherv', 'const long *s, size_t n, long *o, const size_t *m, const size_t *d, MPI_Comm c',
     'MPI_Allgatherv(s, (int)n, MPI_LONG, o, (int[]){(int)m[0], (int)m[1]}, (int[]){(int)d[0], (int)d[1]}, MPI_LONG, c)',
     'sendbuf, sendcount, recvbuf, recvcounts, displs, comm', '--long-counts'),
]
V, W, IN = 'std::vector<long> &', 'const std::vector<int> &', 'const std::vector<long> &'
# definitions of f, collective, arguments, symbol, options
CPP = [
    (f'void f({IN}s, {V}o, MPI_Comm c) {{ MPI_Allreduce(s.data(), o.data(), (int)s.size(), MPI_LONG, MPI_SUM, c); }}',
     'allreduce', 'sendbuf, recvbuf, comm', 'f'),
    ('void f(const std::vector<long> *s, std::vector<long> *o, MPI_Comm c) '
     '{ MPI_Allreduce(s->data(), o->data(), (int)s->size(), MPI_LONG, MPI_SUM, c); }', 'allreduce', 'sendbuf, recvbuf, comm', 'f'),
    (f'void f({V}b, int r, MPI_Comm c) {{ int me; MPI_Comm_rank(c, &me); '
     'MPI_Reduce(me == r ? MPI_IN_PLACE : b.data(), b.data(), (int)b.size(), MPI_LONG, MPI_SUM, r, c); }', 'reduce', 'buffer, root, comm', 'f'),
    ('std::vector<long> f(std::vector<long> s, MPI_Comm c) { std::vector<long> o(s.size()); '
     'MPI_Allreduce(s.data(), o.data(), (int)s.size(), MPI_LONG, MPI_SUM, c); return o; }', 'allreduce', 'sendbuf, comm', 'f'),
    (f'void f({IN}s, {W}n, {W}d, const std::vector<MPI_Datatype> &t, {V}o, {W}m, {W}e, const std::vector<MPI_Datatype> &u, MPI_Comm c) '
     '{ MPI_Alltoallw(s.data(), n.data(), d.data(), t.data(), o.data(), m.data(), e.data(), u.data(), c); }', 'alltoallw',
     'sendbuf, sendcounts, sbytes, sendtypes, recvbuf, recvcounts, rbytes, recvtypes, comm', 'f'),
    (f'void f({IN}s, {V}o, const std::vector<long> &m, const std::vector<size_t> &d, MPI_Comm c) '
     '{ std::vector<int> n(m.begin(), m.end()), e(d.begin(), d.end()); '
     'MPI_Allgatherv(s.data(), (int)s.size(), MPI_LONG, o.data(), n.data(), e.data(), MPI_LONG, c); }', 'allgatherv',
     'sendbuf, recvbuf, recvcounts, displs, comm', 'f'),
    ('template <class T, int N, class F> void f(const T *s, T *o, int n, F, MPI_Comm c) { MPI_Allreduce(s, o, N * n, MPI_LONG, MPI_SUM, c); }',
     'allreduce', 'sendbuf, recvbuf, count, std::plus<long>(), comm', 'f<long, 1, std::plus<long>>'),
    ('auto f = [](const void *s, void *o, int n, MPI_Datatype t, MPI_Op p, MPI_Comm c) { return MPI_Allreduce(s, o, n, t, p, c); };',
     'allreduce', None, 'f'),
    ('template <class T> struct S { static void g(T *b, const int &n, int &r, const MPI_Comm &c) { MPI_Bcast(b, n, MPI_LONG, r, c); } };',
     'bcast', 'buffer, count, root, comm', 'S<long>::g'),
    ('#include <span>\nvoid f(std::span<long> b, int r, MPI_Comm c) { MPI_Bcast(b.data(), (int)b.size(), MPI_LONG, r, c); }', 'bcast',
     'buffer, root, comm', 'f', '--cflags=-std=c++20'),
]


def cases():
    for collective, parameters, call, arguments, *options in C:
        given = [f'--arguments={arguments}'] if arguments else []
        for language in 'c', 'cpp':
            cast = call.replace('(int[])', '(int[2])') if language == 'c' else call.replace('(int[])', 'std::vector<int>').replace(
                '}, ', '}.data(), ')
            yield language, f'int f({parameters})\n{{\n    return {cast};\n}}\n', collective, [*given, *options, '--symbol=f']
    for text, collective, arguments, symbol, *options in CPP:
        yield 'cpp', text + '\n', collective, [*([f'--arguments={arguments}'] if arguments else []), *options, f'--symbol={symbol}']


def judge(peal, folder, number, case):
    """Why a form is not taken; None."""
    language, text, collective, options = case
    name = os.path.join(folder, f'form{number}.{language}')
    with open(name, 'w', encoding='utf-8') as out:
        out.write('#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n')
        out.write('#include <functional>\n#include <vector>\n' * (language == 'cpp') + text)
    size = [] if collective == 'barrier' else ['--sizes=2,1'] if collective[-1] in 'vw' or collective == 'reduce_scatter' else (
        ['-n', '3'] if collective in ('bcast', 'reduce', 'allreduce', 'scan', 'exscan') else ['-m', '3'])
    done = subprocess.run([peal, 'check', collective, '--mpi', '--file', name, *options, '-p', '2', *size], capture_output=True,
                          text=True, check=False)
    first = done.stdout.partition('\n')[0]
    return None if done.returncode == 0 and ': proved for P = 2' in first else f'{text}{" ".join(options)}: {first}{done.stderr}'


def main():
    peal, words = os.path.abspath(os.path.join(sys.argv[1], 'tools', 'peal')), sys.argv[2:]
    wanted = [case for case in cases() if not words or any(word in case[1] for word in words)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [why for why in pool.map(lambda each: judge(peal, folder, *each), enumerate(wanted)) if why]
    print(*wrong, f'{len(wanted)} forms, {len(wrong)} not taken', sep='\n')
    return 1 if wrong or not wanted else 0


sys.exit(main())
