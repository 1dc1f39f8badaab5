#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions as students write them: none that is wrong is proved, by the proof alone, without a run.

  students.py PROVE SOURCES [NUMBER...]

Each is a collective, what is found, and the body of a function.  What is not followed has its line and the construct.
"""
import re
import subprocess
import sys
import tempfile

HEAD = """#include <peal/peal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct few { int bits : 8; };
struct two { int a, b; };
enum __attribute__((packed)) small { SMALL, LARGE = 100 };
enum __attribute__((packed)) along { SHORT, LONG = 100 };
static int calls;
static int last(int P) { return P > 100 ? 99 : P - 1; }
static void set(int *to, int value) { *to = value; }
static signed char cut(int x) { return x; }
static struct two pair(int b) { struct two two = {.b = b}; return two; }
static int ceiling_log2(int x) { return x > 100; }
static int get(signed char *p) { return *p; }
static unsigned char rest(size_t n) { return n; }
static int old(x) signed char x; { return x; }
static int unknown();
typedef struct { int left, right; } sides;
typedef union { int all; unsigned char low; } either;
struct held { int *to; };
static void leave(struct held *held) { *held->to = 1; }
static int next(int *x) { return ++*x; }
static int twice_less(int a, int b) { return 2 * a - b; }
#pragma GCC diagnostic ignored "-Wvla"
static int sized(int n, int t[n++]) { (void)t; return n; }
#define LENGTH [n++]
static int sized_by_macro(int n, int t LENGTH) { (void)t; return n; }
static int *address(int x) { int *p = &x; return p; }
static int __attribute__((overloadable)) over(int x) { return x > 100; }
static int __attribute__((overloadable)) over(long x) { (void)x; return 0; }
"""
TYPES = {'allgather': 'const void *in, size_t m, void *out', 'alltoall': 'const void *in, size_t m, void *out',
         'scatter': 'const void *in, size_t m, int root, void *out', 'gather': 'const void *in, size_t m, int root, void *out',
         'broadcast': 'void *a, size_t n, int root'}
BEGIN = """int P = peal_size(me), r = peal_rank(me);
(void)r, (void)P;
"""
BLOCKS = """const int64_t *a = in; int64_t *b = out; (void)a, (void)b;
"""
OWN = 'memcpy(b + r * m, in, m * sizeof(int64_t)); '
ROUND = 'peal_sendrecv(me, b + ((r - i + P) % P) * m, m, (r + 1) % P, b + ((r - i - 1 + P) % P) * m, m, (r - 1 + P) % P); '
DIRECT = 'peal_sendrecv(me, in, m, (r + i) % P, b + ((r - i + P) % P) * m, m, (r - i + P) % P); '
POSTS = 'peal_send_async(me, in, m, (r + i) % P); peal_recv_async(me, b + ((r - i + P) % P) * m, m, (r - i + P) % P); '


def ring(first, condition, then=''):
    return f'{first} {OWN} for (int i = 0; {condition}; i++) {ROUND} {then}'


def direct(first, less, then=''):
    """All exchange with all; as many rounds less as the expression says."""
    return f'{first} {OWN} for (int i = 1; i < P - ({less}); i++) {DIRECT} {then}'


def scatter(sends, own='root', others='peal_recv(me, out, m, root);'):
    return (f'if (r == root) {{ for (int i = 0; i < P; i++) if (i != root) {sends} '
            f'memcpy(out, a + ({own}) * m, m * sizeof *a); }} else {{ {others} }}')


def gather(receives, own='root', others=''):
    return (f'if (r != root) {{ peal_send(me, in, m, root); {others} return; }} for (int i = 0; i < P; i++) if (i != root) '
            f'{receives} memcpy(b + ({own}) * m, in, m * sizeof *b);')


def broadcast(first, words):
    return (f'{first} if (r != root) {{ peal_recv(me, a, {words}, root); return; }} for (int i = 0; i < P; i++) if (i != root) '
            f'peal_send(me, a, {words}, i);')


def alltoall(sent, got, own='r'):
    return (f'memcpy(b + r * m, a + ({own}) * m, m * sizeof *b); for (int i = 1; i < P; i++) {{ int to = (r + i) % P, '
            f'from = (r - i + P) % P; peal_sendrecv(me, a + ({sent}) * m, m, to, b + ({got}) * m, m, from); }}')


SEND = 'peal_send(me, a + i * m, m, i);'
RECV = 'peal_recv(me, b + i * m, m, i);'
RIGHT = [
    ('allgather', ring('', 'i < P - 1')),
    ('allgather', ring('int rounds = P - 1;', 'i < rounds')),
    ('allgather', ring('int x = 0; { int x = P > 100; (void)x; }', 'i < P - 1 - x')),
    ('allgather', ring('', 'i <= P - 2')),
    ('allgather', direct('', '0')),
    ('allgather', direct('int x; if (P <= 100) x = 0; else x = 0;', 'x')),
    ('allgather', direct('struct two t = pair(P > 100);', 't.a')),
    ('allgather', direct('int x = -P / 2;', 'x != -(P / 2)')),  # C rounds towards 0
    ('allgather', direct('', '0', 'if (P > 1) peal_sendrecv(me, b + ((r + 1) % P) * m, m, (r + 1) % P, b + r * m, m, (r - 1 + P) % P);')),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ int g = (r - i) % P; if (g < 0) g += P; '
                  'peal_sendrecv(me, in, m, (r + i) % P, b + g * m, m, g); }'),
    ('allgather', f'for (int i = 1; i < P; i++) {DIRECT} {OWN}'),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ {POSTS} }} peal_wait_all(me);'),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ {POSTS} peal_wait_all(me); }}'),
    ('scatter', scatter(SEND)),
    ('scatter', scatter('peal_send_async(me, a + i * m, m, i);').replace('memcpy', 'peal_wait_all(me); memcpy')),
    ('gather', gather(RECV)),
    ('gather', gather('peal_recv_async(me, b + i * m, m, i);').replace('memcpy', 'peal_wait_all(me); memcpy')),
    ('alltoall', alltoall('to', 'from')),
    ('broadcast', 'if (r == root) { for (int i = 0; i < P; i++) if (i != root) peal_send(me, a, n, i); } else peal_recv(me, a, n, root);'),
    ('broadcast', 'if (r != root) { peal_recv(me, a, n, root); return; } for (int i = P - 1; i >= 0; i--) if (i != root) peal_send(me, a, n, i);'),
    ('allgather', f'for (int i = 0; i < P; i++) if (i == 0) {OWN} else {DIRECT}'),
    ('allgather', f'{OWN} int i = 0; while (i < P - 1) {{ {ROUND} i++; }}'),
    ('allgather', f'sides to = {{(r - 1 + P) % P, (r + 1) % P}}; {OWN} for (int i = 0; i < P - 1; i++) {{ '
                  f'{ROUND.replace("(r + 1) % P", "to.right").replace("(r - 1 + P) % P", "to.left")} }}'),
    ('scatter', scatter(SEND).replace('if (i != root)', '{ if (i == root) { (void)i; continue; }').replace('memcpy', '} memcpy')),
]
WRONG = [
    ('allgather', ring('', 'i < last(P)')),
    ('allgather', ring('', 'i < P - 1 - (r == 130)')),
    ('allgather', ring('signed char rounds = (signed char)(P - 1);', 'i < rounds')),
    ('allgather', ring('calls++;', 'i < P - 1 - (calls > 500)')),
    ('allgather', ring('', 'i < P - 1', 'if (r == 50) memcpy(b + 3 * m, in, m * sizeof *b);')),
    ('allgather', ring('', 'i < P - 1', 'if (r == 50 && m > 0) b[0] = 0;')),
    ('allgather', ring('if (m == 0) return;', 'i < P - 1')),
    ('allgather', ring('', 'i < P - 1', 'if (P > 200) { peal_send(me, b, m, (r + 1) % P); peal_recv(me, b, m, (r - 1 + P) % P); }')),
    ('allgather', direct('', '~P < -100')),
    ('allgather', direct('', 'P * P < 0')),
    ('allgather', direct('int big = P + 2147483600;', 'big < 0')),
    ('allgather', direct('', '(signed char)P < 0')),
    ('allgather', direct('', 'cut(P) != P')),
    ('allgather', direct('struct few s; s.bits = P;', 's.bits != P')),
    ('allgather', direct('enum small s = (enum small)P;', '(int)s != P')),
    ('allgather', direct('int x; if (P <= 100) x = 0;', 'x')),
    ('allgather', direct('int x = 0; set(&x, P > 100);', 'x')),
    ('allgather', direct('struct two t = pair(P > 100);', 't.b')),
    ('allgather', direct('int t[3] = {0}, *p = &t[2]; p[-1] = P > 100;', 't[1]')),
    ('allgather', direct('', 'ceiling_log2(P)')),  # which has a model where it is the library's
    ('allgather', direct('int x = 0; for (int mask = 1; mask < P; mask <<= 1) x++;', 'x > 7')),
    ('allgather', direct('', 'a[0] == 12345')),
    ('allgather', direct('', '*(signed char *)&P != P')),
    ('allgather', direct('void *p = &P;', '*(short *)p != P')),
    ('allgather', direct('', 'get((signed char *)&P) != P')),
    ('allgather', direct('int t[8] = {0}; t[1] = P > 100;', '*(int *)((char *)t + 4)')),
    ('allgather', direct('int t[8] = {0}; t[1] = P > 100;', '*(int *)((void *)t + 4)')),
    ('allgather', direct('', 'old(P) != P')),  # a parameter that nothing is converted to
    ('allgather', direct('', 'unknown(&P) != P')),
    ('allgather', direct('struct two { int a : 8; } t; t.a = P;', 't.a != P')),
    ('allgather', direct('', '({ enum { LARGE = 1, EQUAL }; P > 100 ? LARGE : 0; })')),
    ('allgather', direct('if (P > 100 && r == 3) return;', '0')),
    ('allgather', direct('', '0', 'for (int i = 0; i < P; i++) if (i == 300) memcpy(b, b + r * m, m * sizeof *b);')),
    ('allgather', direct('', '0', 'if (r > 0) memmove(b, b + r * m, m * sizeof *b);')),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ {POSTS} }} if (P < 100) peal_wait_all(me);'),
    ('allgather', f'for (int i = 1; i < P; i++) {{ {POSTS} }} if (r == 66) memcpy(b + r * m, b + (r - 1) * m, m * sizeof *b); '
                  f'peal_wait_all(me); {OWN}'),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ {POSTS.replace("in, m, (r + i)", "b + r * m, m, (r + i)")} }} {OWN} peal_wait_all(me);'),
    ('allgather', f'{OWN} int to = (r + 1) % P; for (int i = 0; i < P - 1; i++) {{ {ROUND.replace("(r + 1) % P", "to")} if (i == 90) to = r; }}'),
    ('allgather', direct('', '0').replace('sizeof(int64_t)', 'sizeof(int32_t)')),
    ('scatter', scatter(SEND, 'root == 99 ? 98 : root')),
    ('scatter', scatter('peal_send(me, a + i * m, m, i == 40 && root > 60 ? 41 : i == 41 && root > 60 ? 40 : i);')),
    ('scatter', scatter(SEND, 'root', 'peal_recv(me, out, m, root); if (P > 99 && r == 5) memcpy(out, in, m * sizeof *a);')),
    ('gather', gather(RECV, 'root > 77 ? 0 : root')),
    ('gather', gather(RECV, 'root', 'if (r == 90) memcpy(b, in, m * sizeof *b);')),
    ('alltoall', alltoall('i == 64 ? from : to', 'from')),
    ('alltoall', alltoall('to', 'P > 90 ? to : from')),
    ('alltoall', alltoall('to', 'from', 'r == 64 ? 63 : r')),
    ('broadcast', 'if (r == root) { for (int i = 0; i < P; i++) if (i != root) peal_send(me, a, i == 80 ? n / 2 : n, i); } '
                  'else peal_recv(me, a, r == 80 ? n / 2 : n, root);'),
    ('broadcast', broadcast('', '(unsigned char)n')),  # as long as no more is sent than is received
    ('broadcast', broadcast('int k = n;', 'k')),
    ('broadcast', broadcast('unsigned char k[2] = {n, n};', 'k[1]')),
    ('broadcast', broadcast('', 'rest(n)')),
    ('broadcast', broadcast('struct { size_t k : 8; } s; s.k = n;', 's.k')),
    ('scatter', scatter('peal_send(me, a + i * m, (enum along)m, i);', 'root', 'peal_recv(me, out, (enum along)m, root);')),
    ('broadcast', 'if (r == root) { for (int i = 0; i < P; i++) if (i != root && i != 1000) peal_send(me, a, n, i); } '
                  'else if (r != 1000) peal_recv(me, a, n, root);'),
    # numbers: >> rounds down; `a /= b` is in the type of both
    ('allgather', direct('', '(100 - P) >> 25')),
    ('allgather', direct('int x = 100 - P; x >>= 25;', 'x')),
    ('allgather', direct('int x = 100 - P; x /= 2u;', 'x > 1000')),
    ('allgather', direct('either x; x.all = P;', 'x.low != P')),
    # operands in an order that C does not say
    ('allgather', direct('int x = 0, y = twice_less(next(&x), next(&x));', 'y == 3 && P > 100')),
    ('allgather', direct('int x = 0; int y = 2 * next(&x) - next(&x);', 'y == 3 && P > 100')),
    ('allgather', direct('int x = P > 100; x = x++ + 1;', 'x > 2')),
    # what is done where types are named, or chosen, or where a block ends
    ('allgather', direct('int x = 0; (void)_Generic(P, int: x = P > 100, default: 0);', 'x')),
    ('allgather', direct('int x = 0, t[2]; int *p = &(x++, t)[0]; (void)p;', 'P > 100 && x == 1')),
    ('allgather', direct('int x = 0; (void)sizeof(char[x += 1 + (P > 100)]);', 'x > 1')),
    ('allgather', direct('int x = 0; char t[x += 1 + (P > 100)]; (void)t;', 'x > 1')),
    ('allgather', direct('int x = 0; (void)(char (*)[x += P > 100])0;', 'x')),
    ('allgather', direct('int t[1];', 'sized(P > 100, t) > 1')),
    ('allgather', direct('int t[1];', 'sized_by_macro(P > 100, t) > 1')),
    ('allgather', direct('int x = 0; { struct held h __attribute__((cleanup(leave))) = {&x}; (void)h; }', 'P > 100 && x')),
    ('allgather', direct('int *p; { int x = 0; p = &x; }', 'P > 100 && *p')),
    ('allgather', direct('', 'P > 100 && *address(0)')),
    # of one name
    ('allgather', direct('', '(struct two {int b, a;}){P > 100, 0}.b')),
    ('allgather', direct('(void)sizeof(enum { SMALL = 1 });', 'P > 100 && SMALL')),
    ('allgather', direct('', 'over(P)')),
    # loops: steps, and what `continue` is of
    ('allgather', f'{OWN} for (int i = 1; i < P; i += i > 100 ? 2 : 1) {DIRECT}'),
    ('allgather', f'int x = 0; {OWN} for (int i = 1; i < P; i += 0 * next(&x) + 1) {DIRECT} if (x > 100 && m > 0) b[0] = 0;'),
    ('allgather', f'int x = 0; {OWN} for (int i = 1; i + 0 * next(&x) < P; i++) {DIRECT} if (x > 100) memcpy(b, b + r * m, m * sizeof *b);'),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ {DIRECT} do {{ if (i == 150) continue; }} while (0); '
                  'if (i == 150) memcpy(b, b + r * m, m * sizeof *b); }'),
    ('allgather', f'{OWN} int i = 0; while (i < P - 1 - (P > 100)) {{ {ROUND} i++; }}'),
    ('allgather', f'{OWN} int i = 0; while (i < P - 1) {{ if (i == 100) continue; {ROUND} i++; }}'),
    ('allgather', f'{OWN} int i = 0; while (i < P - 1) {{ {ROUND} if (i == 100) i++; i++; }}'),
    ('allgather', f'{OWN} int i = 0; while (i < P - 1) {{ int i = 0; {ROUND} i++; }}'),
    ('allgather', f'{OWN} for (int i = 1; i < P; i++) {{ if (i == 150) {{ memcpy(b, b, 0 * m); continue; }} {DIRECT} }}'),
    ('scatter', scatter(SEND).replace('if (i != root)', '{ if (i == root) { (void)i; continue; } if (i == 200) continue; ')
                .replace('memcpy', '} memcpy')),
]


def judge(head, functions, end, right, word):
    """Have each function proved, a collective and its text; the first ones are right.  After SOURCES: only these numbers."""
    prove, sources = sys.argv[1:3]
    wrong = []
    with tempfile.NamedTemporaryFile('w', suffix='.c', encoding='utf-8') as file:
        for number, (collective, text) in enumerate(functions):
            if sys.argv[3:] and str(number) not in sys.argv[3:]:
                continue
            file.seek(0)  # one alone: clang's tree of all takes longer to read than a proof
            file.truncate()
            file.write(head + '\n' + text.replace('NAME', f'f{number}') + end)
            file.flush()
            done = subprocess.run([prove, sources, collective, file.name, f'f{number}', word], capture_output=True, text=True, check=False)
            said = done.stdout.strip()
            print(f'{number}: {text}\n    {said.replace(file.name, "")}', flush=True)
            if done.returncode not in (0, 1) or (done.returncode == 0) != (number < right):
                wrong.append(f'{number}: {said} {done.stderr}')
            elif number >= right and not re.match(r'fails P = \d+: |not followed: .*\.c:\d+: |unknown: ', said):
                wrong.append(f'{number}: {said}')
    for text in wrong:
        print('wrong:', text, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    judge(HEAD, [(collective, f'void\nNAME(struct peal_node *me, {TYPES[collective]})\n{{\n{BEGIN}'
                  f'{BLOCKS if collective != "broadcast" else ""}{body}\n}}\n') for collective, body in RIGHT + WRONG],
          'static int unknown(signed char *p) { return *p; }\n', len(RIGHT), 'm')
