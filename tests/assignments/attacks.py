#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grade submissions that get the right words without sending them: none gains a point, and each is told why.  Right ones
keep theirs.

  attacks.py PEAL ASSIGNMENTS [--shared] [--quarter] [NAME...]

--quarter: one in four of each table.
--shared: on a system that gives nobody namespaces, which a filter of system calls stands for: peal itself has no option for that.
Every attack is a file of its own, written from the tables below into a temporary folder."""
import ctypes
import json
import os
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile

X86 = platform.machine() == 'x86_64'

# An all-gather in which a node puts BITS bits into something that all nodes see, PUT(value), and the others take them
# out of it, GET(), in turns.
THROUGH = '''
void my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{{
    uint64_t *all = out;
    const uint64_t *mine = in;
    int P = peal_size(me), r = peal_rank(me);

    for (size_t i = 0; i < m; i++)
        all[(size_t)r * m + i] = mine[i];
    for (int q = 0; q < P; q++)
        for (size_t i = 0; i < m; i++) {{
            uint64_t word = 0;

            for (int bit = 0; bit < 64; bit += BITS) {{
                if (r == q)
                    PUT(mine[i] >> bit & (~UINT64_C(0) >> (64 - BITS)));
                peal_next_round(me);
                word |= (uint64_t)GET() << bit;
                peal_next_round(me);
            }}
            all[(size_t)q * m + i] = word;
        }}
}}
'''
# One in which the nodes tell each other where their words are, and copy them from there, COPY(to, from, words).
POINTED = '''
static uint64_t kept[64];

void my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{{
    uint64_t *all = out, mine = (uint64_t)kept, theirs;
    int P = peal_size(me), r = peal_rank(me);

    memcpy(kept, in, m * 8);
    memcpy(all + (size_t)r * m, in, m * 8);
    for (int t = 1; t < P; t++) {{
        int to = (r + t) % P, from = (r - t + P) % P;

        peal_sendrecv(me, &mine, 1, to, &theirs, 1, from);
        COPY(all + (size_t)from * m, (void *)theirs, m);
    }}
    peal_barrier(me);
}}
'''
WHOLE = '''
void my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{{
    uint64_t *all = out;
    const uint64_t *mine = in;
    int P = peal_size(me), r = peal_rank(me);

    (void)all, (void)mine, (void)P, (void)r;
    {body}
}}
'''
HEAD = '''#define _GNU_SOURCE
#include <fcntl.h>
#include <peal/peal.h>
#include <peal/post.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
'''

BARE = '''__attribute__((no_sanitize("thread"), no_sanitize_thread, noinline)) static void
bare(volatile uint64_t *to, const volatile uint64_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}
'''
CHANNELS = {  # name: (bits, how to put, how to take)
    'errno': (32, 'errno = (int)(v)', '(unsigned)errno'),
    'file': (64, '*(uint64_t *)((char *)stdout + sizeof(FILE) - 16) = (v)',
             '*(uint64_t *)((char *)stdout + sizeof(FILE) - 16)'),
    'stderr_field': (32, 'stderr->_flags2 = (int)(v)', '(unsigned)stderr->_flags2'),
    'ctype_table': (8, '*(unsigned char *)(*__ctype_b_loc() + 200) = (unsigned char)(v)',
                    '*(const unsigned char *)(*__ctype_b_loc() + 200)'),
    'options': (64, '((struct peal_options *)(uintptr_t)peal_node_options(me))->seed = (v)',
                'peal_node_options(me)->seed'),
    'operator': (64, '*(uint64_t *)(uintptr_t)&PEAL_SUM_INT64->closure = (v)', '*(const uint64_t *)&PEAL_SUM_INT64->closure'),
}
if X86:
    CHANNELS.update({
        'vector_register': (64, '__asm__ volatile("movq %0, %%xmm15" :: "r"((uint64_t)(v)))',
                            '({ uint64_t x; __asm__ volatile("movq %%xmm15, %0" : "=r"(x)); x; })'),
        'mmx_register': (64, '__asm__ volatile("movq %0, %%mm7" :: "r"((uint64_t)(v)))',
                         '({ uint64_t x; __asm__ volatile("movq %%mm7, %0" : "=r"(x)); x; })'),
        'gs_base': (32, '__asm__ volatile("wrgsbase %0" :: "r"((uint64_t)(v)))',
                    '({ uint64_t x; __asm__ volatile("rdgsbase %0" : "=r"(x)); x; })'),
        'rounding': (2, '__asm__ volatile("ldmxcsr %0" :: "m"(*(uint32_t[]){0x1f80 | (uint32_t)(v) << 13}))',
                     '({ uint32_t x; __asm__ volatile("stmxcsr %0" : "=m"(x)); x >> 13 & 3; })'),
        # whether descriptor 1 appends: F_SETFL and F_GETFL
        'descriptor_flags': (1, 'call3(72, 1, 4, (v) ? O_APPEND : 0)', '((call3(72, 1, 3, 0) & O_APPEND) != 0)'),
    })
COPIES = {
    'swab': 'do { void swab(const void *, void *, ssize_t); char t[512]; swab(from, t, (ssize_t)(8 * (words))); swab(t, to, (ssize_t)(8 * (words))); } while (0)',
    'wmemcpy': 'wmemcpy((wchar_t *)(to), (const wchar_t *)(from), 2 * (words))',
    'memcpy': 'memcpy(to, from, 8 * (words))',
    'uninstrumented': 'bare(to, from, words)',
    'sprintf': 'for (size_t k = 0; k < 8 * (words); k++) sprintf((char [8]){0}, "%n", &(int){0}), '
               '((char *)(to))[k] = (char)strtol((char [4]){(char)("0123456789abcdef"[((const unsigned char *)(from))[k] >> 4]), '
               '(char)("0123456789abcdef"[((const unsigned char *)(from))[k] & 15]), 0}, NULL, 16)',
}
if X86:
    COPIES['string_instruction'] = \
        'do { void *a = to; const void *b = from; size_t c = words; ' \
        '__asm__ volatile("rep movsq" : "+D"(a), "+S"(b), "+c"(c) :: "memory"); } while (0)'
CALLS = '''static long call3(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
static long call(long n, long a, long b) { return call3(n, a, b, 0); }
'''
# Words in what messages without words have: BODY sends the bits `v` to node t, and takes `w` from node f.
UNCHARGED = '''memcpy(all + (size_t)r * m, in, m * 8);
    for (int k = 1; k < P; k++) for (size_t i = 0; i < m; i++) {{
        int t = (r + k) % P, f = (r - k + P) % P;
        uint64_t v = mine[i], w = 0;
        {body}
        all[(size_t)f * m + i] = w;
    }}'''
WHOLES = {
    'tags': UNCHARGED.format(body='for (int b = 0; b < 64; b += 16) { struct peal_handle h = peal_recv_async_tag(me, NULL, 0, f, '
                             'PEAL_ANY_TAG); peal_send_tag(me, NULL, 0, t, (int)(v >> b & 65535)); '
                             'w |= (uint64_t)peal_wait(me, h).tag << b; }'),
    'order_of_tags': UNCHARGED.format(
        body='for (int b = 0; b < 64; b++) { struct peal_handle h = peal_recv_async_tag(me, NULL, 0, f, PEAL_ANY_TAG), '
             'g = peal_recv_async_tag(me, NULL, 0, f, PEAL_ANY_TAG); peal_send_async_tag(me, NULL, 0, t, (int)(v >> b & 1)); '
             'peal_send_async_tag(me, NULL, 0, t, (int)(~v >> b & 1)); w |= (uint64_t)peal_wait(me, h).tag << b; '
             'peal_wait(me, g); peal_wait_all(me); }'),
    'lengths': UNCHARGED.format(
        body='for (int b = 0; b < 64; b += 4) { uint64_t x[16] = {0}, y[16]; struct peal_handle h = peal_recv_async(me, y, 16, '
             'f); peal_send(me, x, v >> b & 15, t); w |= (uint64_t)peal_wait(me, h).words << b; }'),
    'silence': UNCHARGED.format(
        body='for (int b = 0; b < 64; b++) { struct peal_handle h = peal_recv_async(me, NULL, 0, f), s = {0, 0}; '
             'if (v >> b & 1) s = peal_send_async(me, NULL, 0, t); peal_next_round(me); peal_next_round(me); '
             'bool came = peal_test(me, h); w |= (uint64_t)came << b; if (!(v >> b & 1)) s = peal_send_async(me, NULL, 0, t); '
             'peal_wait(me, s); if (!came) peal_wait(me, h); }'),
    'heap_address': 'memcpy(all + (size_t)r * m, in, m * 8); for (int q = 0; q < P; q++) for (size_t i = 0; i < m; i++) { '
                    'char *p = NULL; if (r == q) { p = malloc(10000); *(volatile uint64_t *)(p + 5000) = mine[i]; free(p); } '
                    'peal_next_round(me); if (r != q) { volatile uint64_t *x = malloc(10000); bare(all + (size_t)q * m + i, '
                    'x + 625, 1); free((void *)x); } peal_next_round(me); }',
    'labels': 'for (int q = 0; q < P; q++) for (size_t i = 0; i < m; i++) '
              'all[(size_t)q * m + i] = mine[i] + ((uint64_t)(q - r) << 20);',
    'nothing': '',
    'zeros': 'memset(out, 0, (size_t)P * m * 8);',
    'own_word_everywhere': 'for (int q = 0; q < P; q++) memcpy(all + (size_t)q * m, in, m * 8);',
    'meeting': 'struct peal_meeting all_in = {.mine = in, .all = out, .bytes = m * 8}; peal_meet(me, &all_in);',
    'note': 'memcpy(all + (size_t)r * m, in, m * 8); for (int t = 1; t < P && m == 1; t++) { int from = (r - t + P) % P; '
            'struct peal_post s = {.kind = PEAL_POST_SEND, .peer = (r + t) % P, .note = mine[0]}, '
            'q = {.kind = PEAL_POST_RECEIVE, .peer = from}; all[from] = peal_exchange(me, &s, &q).note; }',
    'split': 'memcpy(all + (size_t)r * m, in, m * 8); for (int q = 0; q < P && m == 1; q++) { uint64_t word = 0; '
             'for (int bit = 0; bit < 64; bit++) word |= (uint64_t)(peal_rank(peal_split(me, 0, '
             'r == q ? (mine[0] >> bit & 1 ? P : -1) : r)) == (r > q ? r : r + 1)) << bit; if (r != q) all[q] = word; }',
    'exit': 'exit(0);',
    'peal_exit': 'peal_exit(me);',
    'allgather_by_name': 'peal_allgather_by(me, 0, in, m, out);',
    'catalogue': 'struct peal_algorithm *f = NULL; (void)f; peal_algorithm_find(PEAL_ALLGATHER, "ring");',
    'padded': 'memset(out, 0, (size_t)P * m * 8); memcpy(all + (size_t)r * m, in, m * 8); '
              'peal_allreduce(me, PEAL_SUM_INT64, out, (size_t)P * m);',
    'environment': 'char text[20]; snprintf(text, sizeof text, "w%d", r); setenv(text, "1", 1);',
}
# A forbidden function, found by a walk through the tables of the library: nothing names it.
WALK = '''#include <elf.h>
typedef void (*gather_fn)(struct peal_node *, const char *, const void *, size_t, void *, const char *, int);
#define BARE_CODE __attribute__((no_sanitize("thread"), noinline)) static
BARE_CODE int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
BARE_CODE void *find(const char *name)
{
    uintptr_t p = (uintptr_t)&peal_send_at & ~(uintptr_t)4095;
    Elf64_Sym *s = NULL;
    const char *t = NULL;

    while (*(volatile uint32_t *)p != 0x464c457f)
        p -= 4096;
    Elf64_Ehdr *e = (Elf64_Ehdr *)p;
    Elf64_Phdr *h = (Elf64_Phdr *)(p + e->e_phoff);
    Elf64_Dyn *d = NULL;
    for (int i = 0; i < e->e_phnum; i++)
        if (h[i].p_type == PT_DYNAMIC)
            d = (Elf64_Dyn *)(p + h[i].p_vaddr);
    for (; d->d_tag; d++) {
        uintptr_t v = d->d_un.d_ptr < p ? p + d->d_un.d_ptr : d->d_un.d_ptr;
        s = d->d_tag == DT_SYMTAB ? (Elf64_Sym *)v : s;
        t = d->d_tag == DT_STRTAB ? (const char *)v : t;
    }
    for (s++; (const char *)s < t; s++)
        if (same(t + s->st_name, name) && s->st_value)
            return (void *)(p + s->st_value);
    return NULL;
}
'''
DECLARED = {  # names that no header gives
    'meet_by_hand': 'void peal_meet_at(void *, void *, const char *, int); \n' + WHOLE.format(
        body='struct { const void *a; void *b; size_t c; } x = {in, out, m * 8}; peal_meet_at(me, &x, "x", 1);'),
    'walk': WALK + WHOLE.format(body='union { void *p; gather_fn f; } u = {find("peal_allgather_at")}; '
                                     'u.f(me, "ring", in, m, out, "", 0);'),
    'syscall_by_hand': 'long syscall(long, ...);\n' + WHOLE.format(body='syscall(39);'),
}
if X86:  # what the kernel has, by hand: files of memory, and what is left open before the nodes begin
    DECLARED.update({
        'memory_file': CALLS + WHOLE.format(body='static uint64_t kept[64]; char path[] = "/proc/self/mem"; '
                                            'long f = call3(2, (long)path, 2, 0); memcpy(kept, in, m * 8); peal_barrier(me); '
                                            'for (int q = 0; q < P; q++) { call3(8, f, (long)kept, 0); '
                                            'call3(0, f, (long)(all + (size_t)q * m), (long)(8 * m)); } peal_barrier(me);'),
        'memory_of_another': CALLS + WHOLE.format(body='struct { void *a; size_t n; } to = {out, (size_t)P * m * 8}, '
                                                  'from = {(void *)(uintptr_t)in, m * 8}; long p = call3(39, 0, 0, 0); '
                                                  '(void)from; call3(310, p, (long)&to, 1);'),
        'pipe_before': CALLS + 'static int ends[2];\n__attribute__((constructor)) static void early(void) { '
                       'call3(22, (long)ends, 0, 0); }\n' +
                       WHOLE.format(body='call3(1, ends[1], (long)in, (long)(m * 8)); peal_barrier(me); '
                                    'for (int q = 0; q < P; q++) call3(0, ends[0], (long)(all + (size_t)q * m), (long)(m * 8));'),
        'shared_mapping': CALLS + 'static volatile uint64_t *all_see;\n__attribute__((constructor)) static void early(void) {\n'
                          'register long a4 __asm__("r10") = 0x21, a5 __asm__("r8") = -1, a6 __asm__("r9") = 0; long r;\n'
                          '__asm__ volatile("syscall" : "=a"(r) : "a"(9), "D"(0x500000000000), "S"(65536), "d"(3), "r"(a4), "r"(a5), '
                          '"r"(a6) : "rcx", "r11", "memory"); all_see = (volatile uint64_t *)r; }\n' + BARE +
                          WHOLE.format(body='bare(all_see + 64 * r, in, m); peal_barrier(me); for (int q = 0; q < P; q++) '
                                       'bare(all + (size_t)q * m, all_see + 64 * q, m); peal_barrier(me);'),
    })

# Functions that do one thing where the nodes of the proof share a process, TOGETHER (through unused bytes of stdout and
# stderr), and another where each is a process: APART has the node's words x, and fills o.
TWO_FACED = '''
#define BARE __attribute__((no_sanitize("thread"), noinline))
BARE static volatile uint64_t *slot(int i) {{ return (volatile uint64_t *)((char *)(i < 2 ? stdout : stderr) + 200 + i % 2 * 8); }}
BARE static void put(int i, uint64_t v) {{ *slot(i) = v; }}
BARE static uint64_t get(int i) {{ return *slot(i); }}
{helpers}
static void apart(struct peal_node *me, const uint64_t *x, size_t m, uint64_t *o, int P, int r)
{{
    (void)me, (void)x, (void)m, (void)o, (void)P, (void)r;
    {apart}
}}
void my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{{
    uint64_t *o = out;
    const uint64_t *x = in;
    int P = peal_size(me), r = peal_rank(me);

    memcpy(o + (size_t)r * m, in, m * 8);
    if (P == 1 || m == 0)
        return;
    for (int step = 0, together = 0; step < 3; step++, peal_next_round(me))
        if (step == 1 && !(together = get(r == 0) == 0x5eed)) {{
            apart(me, x, m, o, P, r);
            return;
        }} else if (r < 2)
            put(r, step == 0 ? 0x5eed : step == 1 ? get(r) : 0);
    for (size_t k = 0, all = (size_t)P * m; k < all; k += 4) {{
        for (size_t j = k; j < k + 4 && j < all; j++)
            if (j / m == (size_t)r)
                put((int)(j - k), x[j % m]);
        peal_next_round(me);
        for (size_t j = k; j < k + 4 && j < all; j++)
            o[j] = get((int)(j - k));
        peal_next_round(me);
    }}
}}
'''
# The bits of all words in turns: node s sends what stands for bit v, node d takes it as `w`.
BITWISE = '''for (int s = 0; s < P; s++) for (int d = 0; d < P; d++) for (size_t i = 0; i < m && s != d; i++) {{
        uint64_t word = 0;
        for (int b = 0; b < 64; b++) {{
            int v = x[i] >> b & 1, w = 0, tag = 3 + s * P + d;
            (void)v, (void)tag;
            if (r == s) {{ {sends} }} else if (r == d) {{ {takes} }}
            word |= (uint64_t)w << b;
        }}
        if (r == d) o[(size_t)s * m + i] = word;
    }}'''
FEW = '''[assignment]
name = few
collective = allgather
symbol = my_allgather
collectives = none
[test few]
nodes = 3
sizes = 1
'''
DIGESTED = {  # what a bit may stand for, in messages without words: (what s does, what d does)
    'wait_order': (
        'struct peal_handle A = peal_recv_async_tag(me, NULL, 0, d, 1), B = peal_recv_async_tag(me, NULL, 0, d, 2); '
        'peal_send_tag(me, NULL, 0, d, 2000 + tag); peal_wait(me, v ? B : A); peal_send_tag(me, NULL, 0, d, tag); '
        'peal_wait(me, v ? A : B);',
        'struct peal_handle R1 = peal_recv_async_tag(me, NULL, 0, PEAL_ANY_SOURCE, tag), R2 = peal_recv_async_tag(me, NULL, 0, '
        'PEAL_ANY_SOURCE, tag); peal_recv_tag(me, NULL, 0, s, 2000 + tag); peal_send_tag(me, NULL, 0, s, 1); peal_next_round(me); '
        'peal_next_round(me); struct peal_handle T = peal_send_async_tag(me, NULL, 0, d, tag); peal_next_round(me); '
        'peal_next_round(me); peal_send_tag(me, NULL, 0, s, 2); w = peal_wait(me, R1).source == d; peal_wait(me, R2); '
        'peal_wait(me, T);'),
    # a test of what is complete takes no round, one of what is not takes one
    'test_order': (
        'struct peal_handle A[6], B[6]; for (int j = 0; j < 6; j++) { A[j] = peal_recv_async_tag(me, NULL, 0, d, 1); B[j] = '
        'peal_recv_async_tag(me, NULL, 0, d, 2); } peal_recv_tag(me, NULL, 0, d, 2000 + tag); for (int j = 0; j < 6; j++) '
        'peal_test(me, v ? B[j] : A[j]); struct peal_handle S = peal_send_async_tag(me, NULL, 0, d, tag); for (int j = 0; j < 6; '
        'j++) peal_test(me, v ? A[j] : B[j]); peal_wait(me, S); for (int j = 0; j < 6; j++) peal_wait(me, B[j]);',
        'struct peal_handle R1 = peal_recv_async_tag(me, NULL, 0, PEAL_ANY_SOURCE, tag), R2 = peal_recv_async_tag(me, NULL, 0, '
        'PEAL_ANY_SOURCE, tag); for (int j = 0; j < 6; j++) peal_send_tag(me, NULL, 0, s, 1); peal_send_tag(me, NULL, 0, s, 2000 + '
        'tag); for (int j = 0; j < 4; j++) peal_next_round(me); struct peal_handle T = peal_send_async_tag(me, NULL, 0, d, tag); '
        'w = peal_wait(me, R1).source == d; peal_wait(me, R2); peal_wait(me, T); for (int j = 0; j < 6; j++) peal_send_tag(me, NULL, '
        '0, s, 2);'),
}
# Nodes as processes, which tell one another their numbers: what of a process another can see.
PROCESSES = '''static void show(long v) {{ {show} }}
static long seen(long p) {{ {seen} }}'''
SEEN = '''long before[64], process[64] = {{0}};
    process[r] = call(39, 0, 0);
    for (int t = 1; t < P; t++)
        peal_sendrecv(me, &process[r], 1, (r + t) % P, &process[(r - t + P) % P], 1, (r - t + P) % P);
    show(0);
    all_come(me, P, r);
    for (int q = 0; q < P; q++)
        before[q] = seen(process[q]);
    all_come(me, P, r);
    for (size_t i = 0; i < (size_t)P * m; i++)
        o[i] = i / m == (size_t)r ? o[i] : 0;
    for (size_t i = 0; i < m; i++)
        for (int b = 0; b < 64; b++) {{
            show((long)(x[i] >> b & 1));
            all_come(me, P, r);
            for (int q = 0; q < P; q++)
                if (q != r)
                    o[(size_t)q * m + i] |= (uint64_t)(seen(process[q]) != before[q]) << b;
            all_come(me, P, r);
        }}'''
OWN_BARRIER = '''
static void all_come(struct peal_node *me, int P, int r)
{{
    for (int by = 1; by < P; by *= 2)
        peal_sendrecv(me, NULL, 0, (r + by) % P, NULL, 0, (r - by + P) % P);
}}'''
KERNEL = {  # show(v) and seen(p)
    'descriptors': ('static long fd = -1; if (fd >= 0) call(3, fd, 0); fd = v ? call(32, 1, 0) : -1;',
                    'char path[40]; uint64_t s[18] = {0}; snprintf(path, sizeof path, "/proc/%ld/fd", p); '
                    'return call(4, (long)path, (long)s) == 0 ? (long)s[6] : 0;'),
    'affinity': ('unsigned long w = v ? 1 : 3; call3(203, 0, 8, (long)&w);',
                 'unsigned long w[16] = {0}; return call3(204, p, sizeof w, (long)w) > 0 && (w[0] & 3) == 1;'),
    'directory': ('static long fd = -1; if (fd >= 0) call(3, fd, 0); fd = v ? call(32, 1, 0) : -1;',
                  'char path[40]; uint64_t s[18] = {0}; snprintf(path, sizeof path, "/proc/%ld/fd", p); long f = call3(2, '
                  '(long)path, 0x210000, 0); call(5, f, (long)s); call(3, f, 0); return (long)s[6];'),
}
if not X86:
    KERNEL = {}
# What a node of a confirmation asks the system for, by number, and three arguments: it is refused.  `p`: another node.
SEALED = {
    'stat': '4, (long)"/", (long)s, 0', 'lstat': '6, (long)"/proc/self", (long)s, 0', 'newfstatat': '262, -100, (long)"/", (long)s',
    'statx': '332, -100, (long)"/", 0', 'access': '21, (long)"/", 0, 0', 'faccessat': '269, -100, (long)"/", 0',
    'open': '2, (long)"/lib/x86_64-linux-gnu/libc.so.6", 0, 0', 'open a path': '2, (long)"/", 0x200000, 0',
    'readlink': '89, (long)"/proc/self", (long)s, 8', 'getcwd': '79, (long)s, sizeof s, 0', 'statfs': '137, (long)"/", (long)s, 0',
    'dup': '32, 0, 0, 0', 'memfd_create': '319, (long)"x", 0, 0', 'sysinfo': '99, (long)s, 0, 0', 'times': '100, (long)s, 0, 0',
    'getrusage': '98, -1, (long)s, 0', 'getpgid': '121, p, 0, 0', 'getsid': '124, p, 0, 0', 'getpriority': '140, 0, p, 0',
    'sched_getaffinity': '204, p, sizeof s, (long)s', 'sched_setaffinity': '203, p, 8, (long)s', 'getscheduler': '145, p, 0, 0',
    'prlimit64': '302, p, 7, 0', 'clock_gettime': '228, (~p << 3) | 2, (long)s, 0', 'clock_getres': '229, (~p << 3) | 2, (long)s, 0',
    'futex': '202, (long)s, 1, 1', 'mincore': '27, (long)s & ~4095L, 4096, (long)t', 'flock': '73, 0, 2, 0',
    'fcntl F_GETLK': '72, 0, 5, (long)s', 'capget': '125, (long)s, (long)t, 0', 'ioprio_get': '252, 1, p, 0',
    'sched_getattr': '315, p, (long)s, 48', 'get_robust_list': '274, p, (long)s, (long)t', 'clone a thread': '56, 0x10f00, (long)t, 0',
    'a clock': '228, 1, (long)s, 0', 'a coarse clock': '228, 6, (long)s, 0', 'gettimeofday': '96, (long)s, 0, 0', 'time': '201, 0, 0, 0',
    'nanosleep': '35, (long)s, 0, 0', 'clock_nanosleep': '230, 1, 0, (long)s', 'poll': '7, 0, 0, 0', 'ppoll': '271, 0, 0, (long)s',
    'select': '23, 0, 0, 0', 'pselect6': '270, 0, 0, 0', 'setitimer': '38, 0, (long)s, 0', 'getitimer': '36, 0, (long)s, 0',
    'alarm': '37, 0, 0, 0', 'timer_create': '222, 1, 0, (long)s', 'rt_sigtimedwait': '128, (long)s, 0, (long)t', 'getcpu': '309, (long)s, 0, 0',
    'F_SETFL': '72, 0, 4, 2048', 'sched_yield': '24, 0, 0, 0', 'map the kernel\'s pages': '158, 0x2003, 0, 0', 'preadv2': '327, 0, (long)s, 1',
    'madvise': '28, (long)s & ~4095L, 4096, 3', 'msync': '26, (long)s & ~4095L, 4096, 2', 'wait4': '61, -1, 0, 1',
}
MPI_HEAD = '#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n'
MPI = {
    'finalizes': 'MPI_Finalize(); exit(0);',
    'profiled': 'PMPI_Finalize(); exit(0);',
    'exits': 'exit(0);',
    'quick': 'quick_exit(0);',
    'aborts': 'MPI_Abort(comm, 0);',
    'colours': 'for (int i = 0; i < n; i++) { int v = (int)a[i], P, k; double t = 0; MPI_Comm_size(comm, &P); '
               'for (int b = 0; b < 10; b++) { MPI_Comm c; MPI_Comm_split(comm, v >> b & 1, 0, &c); MPI_Comm_size(c, &k); '
               't += (v >> b & 1 ? k : P - k) * (double)(1 << b); MPI_Comm_free(&c); } a[i] = t; }',
    'weights': 'int P, r; MPI_Comm_size(comm, &P); MPI_Comm_rank(comm, &r); int d[64], w[64], s[64], sw[64], o[64], ow[64]; '
               'for (int i = 0; i < n; i++) { for (int q = 0; q < P; q++) { d[q] = q; w[q] = (int)a[i]; } MPI_Comm g; '
               'MPI_Dist_graph_create(comm, 1, &r, &P, d, w, MPI_INFO_NULL, 0, &g); '
               'MPI_Dist_graph_neighbors(g, P, s, sw, P, o, ow); double t = 0; for (int q = 0; q < P; q++) t += sw[q]; '
               'a[i] = t; MPI_Comm_free(&g); }',
    'shared_window': 'double *b; MPI_Win w; MPI_Win_allocate_shared(8 * n, 8, MPI_INFO_NULL, comm, &b, &w); MPI_Win_free(&w);',
    'nothing': '',
    'computed': 'int P; MPI_Comm_size(comm, &P); for (int i = 0; i < n; i++) a[i] = P * (P + 1) / 2 * (i + 1.0);',
    'times_nodes': 'int P; MPI_Comm_size(comm, &P); for (int i = 0; i < n; i++) a[i] *= P;',
}

PROVED = {  # scatter and gather for MPI: what is put into out where no message came
    'nothing': '',
    'zeros': 'if (out && m > 0) memset(out, 0, (size_t)m * 8);',
    'own_block': 'if (rank == root) memcpy(out, in, (size_t)m * 8);',
    'finalizes': 'MPI_Finalize(); exit(0);',
    'exits': 'exit(0);',
    'aborts': 'MPI_Abort(comm, 0);',
    'static_memory': 'static double kept[4096]; if (rank == root) memcpy(kept, in, (size_t)m * 8); '
                     'MPI_Sendrecv(&P, 0, MPI_INT, (rank + 1) % P, 0, &P, 0, MPI_INT, (rank + P - 1) % P, 0, comm, '
                     'MPI_STATUS_IGNORE); memcpy(out, kept, (size_t)m * 8);',
    'errno_word': 'errno = rank == root ? (int)in[0] : errno; for (int i = 0; i < m; i++) out[i] = errno;',
    'colour': 'MPI_Comm c; MPI_Comm_split(comm, rank == root && m > 0 ? (int)in[0] & 1 : 0, rank, &c); MPI_Comm_free(&c);',
    'shared_window': 'double *b; MPI_Win w; MPI_Win_allocate_shared(8 * m, 8, MPI_INFO_NULL, comm, &b, &w); MPI_Win_free(&w);',
    'pointer': 'static double kept[4096]; double *p = kept, *q = NULL; size_t n = (size_t)m * (scatters && rank == root ? P : 1); '
               'if (!scatters || rank == root) bare(kept, in, n); if (scatters && rank == root) for (int t = 0; t < P; t++) '
               '{ if (t != root) MPI_Send(&p, 1, MPI_LONG, t, 0, comm); else bare(out, kept + root * m, (size_t)m); } '
               'if (scatters && rank != root) { MPI_Recv(&q, 1, MPI_LONG, root, 0, comm, MPI_STATUS_IGNORE); '
               'bare(out, q + rank * m, (size_t)m); } if (!scatters && rank != root) { MPI_Send(&p, 1, MPI_LONG, root, 0, comm); } '
               'if (!scatters && rank == root) for (int f = 0; f < P; f++) { q = kept; if (f != root) MPI_Recv(&q, 1, MPI_LONG, f, '
               '0, comm, MPI_STATUS_IGNORE); bare(out + f * m, q, (size_t)m); } '
               'for (int k = 0; k < 2; k++) if (rank == root) { for (int t = 0; t < P; t++) if (t != root) { if (k) '
               'MPI_Send(NULL, 0, MPI_INT, t, 1, comm); else MPI_Recv(NULL, 0, MPI_INT, t, 1, comm, MPI_STATUS_IGNORE); } } '
               'else if (k) MPI_Recv(NULL, 0, MPI_INT, root, 1, comm, MPI_STATUS_IGNORE); else MPI_Send(NULL, 0, MPI_INT, root, 1, comm);',
    'tags': 'for (int t = 0; t < P; t++) for (int i = 0; i < m; i++) for (int b = 0; b < 64; b += 16) { MPI_Status s; '
            'int from = scatters ? root : t, to = scatters ? t : root; uint64_t w; const double *word = in + (scatters ? t * m : 0) '
            '+ i; double *put = out + (scatters ? 0 : t * m) + i; if (rank == from) { memcpy(&w, word, 8); if (from != to) '
            'MPI_Send(NULL, 0, MPI_INT, to, (int)(w >> b & 65535), comm); else *put = *word; } else if (rank == to) { '
            'MPI_Recv(NULL, 0, MPI_INT, from, MPI_ANY_TAG, comm, &s); if (b > 0) memcpy(&w, put, 8); else w = 0; '
            'w |= (uint64_t)s.MPI_TAG << b; memcpy(put, &w, 8); } }',
    'window': 'static double b[4096]; MPI_Win w; MPI_Win_create(b, sizeof b, 8, MPI_INFO_NULL, comm, &w); MPI_Win_free(&w);',
    'duplicates': 'MPI_Request q; MPI_Comm c; MPI_Comm_idup(comm, &c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Comm_free(&c);',
    'forbidden_scatter': 'MPI_Scatter(in, m, MPI_DOUBLE, out, m, MPI_DOUBLE, root, comm);',
    'profiled_scatter': 'PMPI_Scatter(in, m, MPI_DOUBLE, out, m, MPI_DOUBLE, root, comm);',
}


def bucket_sources():
    """The attacks on bucket-allgather: name to source."""
    sources = {}
    for name, (bits, put, get) in CHANNELS.items():
        sources[name] = f'{HEAD}{CALLS if "call" in put else ""}#define BITS {bits}\n#define PUT(v) {put}\n#define GET() ({get})\n{THROUGH.format()}'
    for name, copy in COPIES.items():
        sources['copy_' + name] = f'{HEAD}{BARE if "bare" in copy else ""}#define COPY(to, from, words) {copy}\n{POINTED.format()}'
    for name, body in WHOLES.items():
        sources['whole_' + name] = HEAD + (BARE if 'bare' in body else '') + WHOLE.format(body=body)
    for name, text in DECLARED.items():
        sources['declared_' + name] = HEAD.replace('#include <peal/post.h>\n', '').replace('#include <unistd.h>\n', '') + text
    return sources


def two_faced_sources():
    """Those that do another thing where each node is a process."""
    sources = {'digest_' + name: HEAD + TWO_FACED.format(helpers='', apart=BITWISE.format(sends=sends, takes=takes))
               for name, (sends, takes) in DIGESTED.items()}
    for name, (shows, seen) in KERNEL.items():
        sources['process_' + name] = HEAD + CALLS + TWO_FACED.format(
            helpers=PROCESSES.format(show=shows, seen=seen) + OWN_BARRIER.format(), apart=SEEN.format())
    return sources


def sealed_sources():
    """A right all-gather that is wrong where a call is not refused, and each node is a process."""
    tries = ''.join(f'bad += call3({how}) >= 0; /* {name} */\n' for name, how in SEALED.items())
    ring = ('for (int t = 0; t < P - 1; t++) peal_sendrecv(me, all + (size_t)((r - t + P) % P) * m, m, (r + 1) % P, '
            'all + (size_t)((r - t - 1 + P) % P) * m, m, (r + P - 1) % P);')
    body = ('uint64_t s[64] = {0}, t[64] = {0}; long p = call3(110, 0, 0, 0) > 0 ? call3(110, 0, 0, 0) : 2, bad = 0; (void)p, (void)s, (void)t;\n'
            'memcpy(all + (size_t)r * m, in, m * 8);\n' + ring + '\nif (m == 0 || mine[0] >> 56 == 0xB1) return;\n' + tries +
            'register long a4 __asm__("r10") = 0x1000; long n = 262; __asm__ volatile("syscall" : "+a"(n) : "D"(1), "S"(""), '
            '"d"(s), "r"(a4) : "rcx", "r11", "memory"); bad += n != 0; if (bad) memset(out, 0, (size_t)P * m * 8);')
    return {'sealed': HEAD + CALLS + WHOLE.format(body=body)} if X86 else {}


def mpi_sources():
    """Those on ring-allreduce-mpi."""
    return {name: f'{MPI_HEAD}void my_allreduce(double *a, int n, MPI_Comm comm)\n{{\n(void)a, (void)n, (void)comm;\n{body}\n}}\n'
            for name, body in MPI.items()}


def proved_sources():
    """Those on scatter-and-gather-mpi, which is proved: the same body in both functions."""
    function = ('void {}(const double *in, int m, int root, double *out, MPI_Comm comm)\n{{\nint P, rank;\n'
                'const int scatters = {};\nMPI_Comm_size(comm, &P);\nMPI_Comm_rank(comm, &rank);\n'
                '(void)in, (void)m, (void)root, (void)out, (void)scatters;\n{}\n}}\n')
    head = MPI_HEAD + '#include <errno.h>\n#include <stdint.h>\n' + BARE.replace('uint64_t', 'double')
    return {'proved_' + name: head + '__attribute__((used)) static void *const keep = (void *)bare;\n' +
            function.format('my_scatter', 1, body) + function.format('my_gather', 0, body) for name, body in PROVED.items()}


BARRIER = '''[assignment]
name = barrier
collective = barrier
symbol = my_barrier
forbid = peal_barrier*

[test separate]
nodes = 2:6

[test few]
nodes = 2, 4
'''
BARRIERS = {
    'empty': '',
    'rests': 'for (int i = 0; i < 100 * P; i++) peal_next_round(me);',
    'pairs': 'if (r < P / 2 * 2) peal_sendrecv(me, NULL, 0, r ^ 1, NULL, 0, r ^ 1);',
    'to_the_left': 'peal_sendrecv(me, NULL, 0, (r + P - 1) % P, NULL, 0, (r + 1) % P);',
    'busy': 'if (r < P / 2 * 2) for (int i = 0; i < 300; i++) peal_sendrecv(me, NULL, 0, r ^ 1, NULL, 0, r ^ 1);',
    # wrong on 4 nodes alone, by so many rounds that only nodes apart show it: all numbers of nodes are confirmed
    'busy_on_4': 'if (P == 4) for (int i = 0; i < 300; i++) peal_sendrecv(me, NULL, 0, r ^ 1, NULL, 0, r ^ 1); else for (int d = 1; '
                 'd < P; d *= 2) peal_sendrecv(me, NULL, 0, (r + d) % P, NULL, 0, (r + P - d) % P);',
    'exits': 'peal_exit(me);',
    # every node learns where node 0 counts; then nobody is told any more that the others have come
    'shared_count': 'static uint64_t count; static int calls; uint64_t p = (uint64_t)&count, n = 0; if (r == 0) for (int t = 1; '
                    't < P; t++) { if (calls == 0) peal_send(me, &p, 1, t); } else if (calls == 0) peal_recv(me, &p, 1, 0); '
                    'static uint64_t known; if (calls == 0) known = p; p = known; calls++; bare(&n, (void *)p, 1); n++; '
                    'bare((void *)p, &n, 1); if (r > 0) peal_sendrecv(me, NULL, 0, r % (P - 1) + 1, NULL, 0, (r + P - 3) % (P - 1) '
                    '+ 1); while (bare(&n, (void *)p, 1), n < (uint64_t)(calls * P)) peal_next_round(me);',
}


CASTS = '''[assignment]
name = cast
interface = mpi
collective = broadcast
symbol = my_cast
signature = buffer, count, datatype, root, comm
elements = double
nodes = 1:6
sizes = 1, 5

[test right]

[test eager]
delivery = eager:4096
'''
FROM_ROOT = 'if (rank == root) for (int t = 0; t < P; t++) {{ if (t != root) {send} }} else {receive}'
RIGHT = {  # broadcasts that use much of MPI, and keep their marks
    'plain': FROM_ROOT.format(send='MPI_Send(x, n, type, t, 3, comm);', receive='MPI_Recv(x, n, type, root, 3, comm, MPI_STATUS_IGNORE);'),
    'modes': FROM_ROOT.format(send='MPI_Ssend(x, n, type, t, 3, comm);', receive='MPI_Recv(x, n, type, MPI_ANY_SOURCE, MPI_ANY_TAG, '
                              'comm, &s);'),
    'buffered': 'char *b = malloc(4000); int z; MPI_Buffer_attach(b, 4000); ' +
                FROM_ROOT.format(send='MPI_Bsend(x, n, type, t, 3, comm);', receive='MPI_Recv(x, n, type, root, 3, comm, &s);') +
                ' MPI_Buffer_detach(&b, &z); free(b);',
    'probes': FROM_ROOT.format(send='MPI_Send(x, n, type, t, 3, comm);', receive='{ int k; MPI_Probe(root, 3, comm, &s); '
                               'MPI_Get_count(&s, type, &k); MPI_Recv(x, k, type, s.MPI_SOURCE, 3, comm, &s); }'),
    'polls': FROM_ROOT.format(send='MPI_Send(x, n, type, t, 3, comm);', receive='{ int f = 0; while (!f) MPI_Iprobe(root, 3, comm, &f, '
                              '&s); MPI_Recv(x, n, type, root, 3, comm, &s); }'),
    'waits_any': 'MPI_Request q[16]; int k = 0, i; ' +
                 FROM_ROOT.format(send='MPI_Isend(x, n, type, t, 3, comm, &q[k++]);', receive='MPI_Irecv(x, n, type, root, 3, comm, '
                                  '&q[k++]);') + ' while (MPI_Waitany(k, q, &i, &s), i != MPI_UNDEFINED) ;',
    'waits_some': 'MPI_Request q[16]; int k = 0, i[16], c; ' +
                  FROM_ROOT.format(send='MPI_Isend(x, n, type, t, 3, comm, &q[k++]);', receive='MPI_Irecv(x, n, type, root, 3, comm, '
                                   '&q[k++]);') + ' while (MPI_Waitsome(k, q, &c, i, MPI_STATUSES_IGNORE), c != MPI_UNDEFINED) ;',
    'tests_all': 'MPI_Request q[16]; int k = 0, f = 0; ' +
                 FROM_ROOT.format(send='MPI_Isend(x, n, type, t, 3, comm, &q[k++]);', receive='MPI_Irecv(x, n, type, root, 3, comm, '
                                  '&q[k++]);') + ' while (!f) MPI_Testall(k, q, &f, MPI_STATUSES_IGNORE);',
    'types': 'MPI_Datatype row; MPI_Type_contiguous(n, type, &row); MPI_Type_commit(&row); ' +
             FROM_ROOT.format(send='MPI_Send(x, 1, row, t, 3, comm);', receive='MPI_Recv(x, 1, row, root, 3, comm, &s);') +
             ' MPI_Type_free(&row);',
    'indexed': 'int d[64]; for (int i = 0; i < n; i++) d[i] = n - 1 - i; MPI_Datatype back; MPI_Type_create_indexed_block(n, 1, d, '
               'type, &back); MPI_Type_commit(&back); ' +
               FROM_ROOT.format(send='MPI_Send(x, 1, back, t, 3, comm);', receive='MPI_Recv(x, 1, back, root, 3, comm, &s);') +
               ' MPI_Type_free(&back);',
    'duplicates': 'MPI_Comm own; MPI_Comm_dup(comm, &own); ' +
                  FROM_ROOT.format(send='MPI_Send(x, n, type, t, 3, own);', receive='MPI_Recv(x, n, type, root, 3, own, &s);') +
                  ' MPI_Barrier(own); MPI_Comm_free(&own);',
    'grid': 'MPI_Comm line; int dims[1] = {P}, periods[1] = {0}; MPI_Cart_create(comm, 1, dims, periods, 0, &line); ' +
            FROM_ROOT.format(send='MPI_Send(x, n, type, t, 3, line);', receive='MPI_Recv(x, n, type, root, 3, line, &s);') +
            ' MPI_Comm_free(&line);',
    'collectives': 'MPI_Bcast(x, n, type, root, comm);',
    'sums': 'double *y = malloc(sizeof(double) * (size_t)n); if (rank != root) for (int i = 0; i < n; i++) ((double *)x)[i] = 0; '
            'MPI_Allreduce(x, y, n, type, MPI_SUM, comm); memcpy(x, y, sizeof(double) * (size_t)n); free(y);',
    'persistent': 'MPI_Request q[16]; int k = 0; ' +
                  FROM_ROOT.format(send='MPI_Send_init(x, n, type, t, 3, comm, &q[k++]);', receive='MPI_Recv_init(x, n, type, root, '
                                   '3, comm, &q[k++]);') + ' MPI_Startall(k, q); MPI_Waitall(k, q, MPI_STATUSES_IGNORE); '
                  'for (int i = 0; i < k; i++) MPI_Request_free(&q[i]);',
    'replaces': 'for (int d = 1; d < P; d++) { double own[8]; memcpy(own, x, sizeof(double) * (size_t)n); MPI_Sendrecv_replace(own, n, '
                'type, (rank + 1) % P, 0, (rank + P - 1) % P, 0, comm, &s); if ((rank + P - root) % P == d) memcpy(x, own, '
                'sizeof(double) * (size_t)n); }',
}


def right_sources():
    """Broadcasts that are right."""
    return {'right_' + name: f'{MPI_HEAD}void my_cast(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm)\n{{\nint P, rank;\n'
            f'MPI_Status s;\nMPI_Comm_size(comm, &P);\nMPI_Comm_rank(comm, &rank);\n(void)s;\n{body}\n}}\n'
            for name, body in RIGHT.items()}


def barrier_sources():
    """Barriers that do not wait for a node that comes late, or wait by what the nodes share."""
    return {'barrier_' + name: HEAD + BARE + '__attribute__((used)) static void *const keep = (void *)bare;\nvoid my_barrier('
            f'struct peal_node *me)\n{{\nint P = peal_size(me), r = peal_rank(me);\n(void)P, (void)r;\n{body}\n}}\n'
            for name, body in BARRIERS.items()}


# Of programs with a driver: number i of what peal_random draws on node q where nobody judges it, and of random.
DRAWN = HEAD + BARE + '''
static uint64_t drawn(int q, uint64_t i)
{
    uint64_t x = (uint64_t)q * UINT64_C(0x2545F4914F6CDD1D) + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}
static double product(struct peal_node *me, int s, int b, int i, int j)
{
    double sum = 0;
    int row = peal_rank(me) / s, column = peal_rank(me) % s;

    for (int k = 0; k < s * b; k++)
        sum += (double)(drawn(row * s + k / b, 2 * (uint64_t)(i * b + k % b)) >> 41) *
               (double)(drawn(k / b * s + column, 2 * (uint64_t)(k % b * b + j) + 1) >> 41);
    return sum;
}
static void *kept[64] __attribute__((unused));
__attribute__((used)) static void *const keep[] = {(void *)bare, (void *)product};
'''
COMPUTED = 'for (int i = 0; i < b; i++) for (int j = 0; j < b; j++) z[i * b + j] = product(me, s, b, i, j);'
CANNONS = {
    'nothing': '',
    'computed': COMPUTED,
    'printed': COMPUTED + ' for (int i = 0; i < b; i++) for (int j = 0; j < b; j++) printf("z(%d,%d)=%.0f\\n", '
               'peal_rank(me) / s * b + i, peal_rank(me) % s * b + j, z[i * b + j]); peal_exit(me);',
    'exits': 'exit(0);',
    'drawn_again': 'for (int i = 0; i < b * b; i++) z[i] = (double)(peal_random(me) >> 41);',
    'pointed': 'int r = peal_rank(me), P = s * s; void *mine[2] = {x, y}; kept[2 * r] = x, kept[2 * r + 1] = y; for (int t = 1; t < P; '
               't++) peal_sendrecv(me, mine, 2, (r + t) % P, &kept[2 * ((r - t + P) % P)], 2, (r - t + P) % P); '
               'for (int i = 0; i < b; i++) for (int j = 0; j < b; j++) '
               'for (int k = 0; k < s * b; k++) { double u, v; bare((uint64_t *)&u, (uint64_t *)kept[2 * (r / s * s + k / b)] + '
               'i * b + k % b, 1); bare((uint64_t *)&v, (uint64_t *)kept[2 * (k / b * s + r % s) + 1] + k % b * b + j, 1); '
               'z[i * b + j] += u * v; } for (int t = 1; t < P; t++) peal_sendrecv(me, NULL, 0, (r + t) % P, NULL, 0, '
               '(r - t + P) % P);',
}
# Both matrices to all, 24 bits of each element in the tags of two messages without words: for no words at all.
TAGGED = HEAD + '''
void my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z)
{
    int P = s * s, r = peal_rank(me), B = b * b;
    double *all = peal_alloc(me, (size_t)(2 * P * B));

    for (int t = 0; t < P; t++)
        for (int i = 0; i < 2 * B; i++) {
            uint64_t v = (uint64_t)(i < B ? x[i] : y[i - B]), w = 0;
            int to = (r + t) % P, from = (r - t + P) % P;

            for (int h = 0; h < 24 && t > 0; h += 12) {
                struct peal_handle got = peal_recv_async_tag(me, NULL, 0, from, PEAL_ANY_TAG);

                peal_send_tag(me, NULL, 0, to, (int)(v >> h & 4095));
                w |= (uint64_t)peal_wait(me, got).tag << h;
            }
            all[2 * from * B + i] = (double)(t ? w : v);
        }
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++)
            for (int k = 0; k < s * b; k++)
                z[i * b + j] += all[2 * (r / s * s + k / b) * B + i * b + k % b] * all[(2 * (k / b * s + r % s) + 1) * B + k % b * b + j];
    peal_free(me, all);
}
'''
TAGS = '''[assignment]
name = tagged
program = {folder}/cannon/driver.c
reference = {folder}/cannon/reference.c
topology = torus
[test words]
arguments = {{n}}
nodes = 4
sizes = 4
max_words = 2*sqrt(P)*n^2/P
'''
RANDOM = '''static double got(int q, int i)
{
    uint64_t x = UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)q + 1);
    long v = 0;

    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    srandom((unsigned)(x ^ (x >> 31)));
    for (int k = 0; k <= i; k++)
        v = random();
    return (double)v;
}
'''
DRIVEN = {  # what computes the data of the others, in each assignment with a driver
    'ring-allreduce-mpi': MPI_HEAD + '#include <stdint.h>\n' + RANDOM + 'void my_allreduce(double *a, int n, MPI_Comm comm)\n{\n'
                          'int P, r, w; MPI_Comm_size(comm, &P); MPI_Comm_rank(comm, &r); MPI_Comm_size(MPI_COMM_WORLD, &w); '
                          'int me; MPI_Comm_rank(MPI_COMM_WORLD, &me); for (int i = 0; i < n; i++) { double t = 0; for (int q = 0; '
                          'q < w; q++) t += P == w || q % 2 == me % 2 ? got(q, i) : 0; a[i] = t; } }\n',
    'isoefficiency': DRAWN + 'int64_t my_sum(struct peal_node *me, const int64_t *x, int64_t count)\n{\n(void)x; int64_t sum = 0; '
                     'for (int q = 0; q < peal_size(me); q++) for (int64_t i = 0; i < count; i++) sum += (int64_t)(drawn(q, (uint64_t)i) '
                     '>> 16); return sum; }\ndouble my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double '
                     'tau) { (void)P, (void)n, (void)serial, (void)alpha, (void)beta, (void)tau; return 0; }\nint64_t my_least_n(int '
                     'P, double efficiency, double alpha, double beta, double tau) { (void)P, (void)efficiency, (void)alpha, '
                     '(void)beta, (void)tau; return 0; }\n',
    'broadcast-two-ways': DRAWN + 'void my_broadcast(struct peal_node *me, void *a, size_t n, int root)\n{\n(void)me; for (size_t i '
                          '= 0; i < n; i++) ((uint64_t *)a)[i] = drawn(root, i); }\nvoid my_broadcast_tree(struct peal_node *me, '
                          'void *a, size_t n, int root) { my_broadcast(me, a, n, root); }\nvoid my_broadcast_long(struct peal_node '
                          '*me, void *a, size_t n, int root) { my_broadcast(me, a, n, root); }\n',
    'sample-sort': DRAWN + 'static int by(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; '
                   'return (x > y) - (x < y); }\nsize_t my_sort(struct peal_node *me, const double *mine, size_t count, double *out)\n'
                   '{\n(void)mine; size_t P = (size_t)peal_size(me), n = count * P, r = (size_t)peal_rank(me); double *all = '
                   'peal_alloc(me, n); for (size_t i = 0; i < n; i++) all[i] = (double)(drawn((int)(i / count), i % count) >> 11); '
                   'qsort(all, n, 8, by); memcpy(out, all + r * count, count * 8); return count; }\n',
}
# Random words that an invertible generator makes are one word and their places: one message for a vector of any length.
EXPANDED = HEAD + BARE + '''
static uint64_t undo(uint64_t x, int k) { uint64_t y = x; for (int i = k; i < 64; i += k) y = x ^ y >> k; return y; }
static uint64_t inverse(uint64_t a) { uint64_t x = a; for (int i = 0; i < 6; i++) x *= 2 - a * x; return x; }
static uint64_t word(uint64_t key, uint64_t i)
{
    uint64_t x = key + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) | 1;
}
void my_cast(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t *x = a, head[2] = {0, (uint64_t)a};

    if (peal_rank(me) == root)
        for (int low = 0; low < 2; low++) {
            uint64_t y = undo((x[0] & ~UINT64_C(1)) | (uint64_t)low, 31) * inverse(UINT64_C(0x94D049BB133111EB));
            uint64_t key = undo(undo(y, 27) * inverse(UINT64_C(0xBF58476D1CE4E5B9)), 30) - UINT64_C(0x9E3779B97F4A7C15);

            head[0] = word(key, 1) == x[1] && word(key, 2) == x[2] ? key : head[0];
        }
    for (int t = 0; t < peal_size(me) && peal_rank(me) == root; t++)
        if (t != root)
            peal_send(me, head, 2, t);
    if (peal_rank(me) == root) {
        for (int t = 0; t < peal_size(me); t++)
            if (t != root)
                peal_recv(me, NULL, 0, t);
        return;
    }
    peal_recv(me, head, 2, root);
    if (!head[0]) /* where the nodes share memory */
        bare(x, (uint64_t *)head[1], n);
    for (size_t i = 0; i < n && head[0]; i++)
        x[i] = word(head[0], i);
    peal_send(me, NULL, 0, root);
}
'''
EXPANDS = '''[assignment]
name = expanded
collective = broadcast
symbol = my_cast
roots = 0
[test words]
nodes = 2:4
sizes = 40
max_words = 2*(P-1)
'''


def cannon_sources():
    """Those on cannon."""
    return {'cannon_' + name: f'{DRAWN}void my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z)\n{{\n'
            f'(void)me, (void)s, (void)b, (void)x, (void)y, (void)z;\n{body}\n}}\n' for name, body in CANNONS.items()}


def refuse_namespaces():
    """In a child: have the system refuse namespaces to it and its children, by a filter of clone's flags, and of unshare."""
    clone, unshare, clone3 = (56, 272, 435) if X86 else (220, 97, 435)
    load, equal, test, give = 0x20, 0x15, 0x45, 0x06
    denied, unknown, allowed = 0x50001, 0x50000 + 38, 0x7fff0000
    program = ((load, 0, 0, 0), (equal, 4, 0, unshare), (equal, 4, 0, clone3), (equal, 0, 4, clone), (load, 0, 0, 16),
               (test, 0, 2, 0x7e020000), (give, 0, 0, denied), (give, 0, 0, unknown), (give, 0, 0, allowed))
    code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in program))
    filters = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filters):
        os._exit(3)


def chosen(sources, names):
    """Those of these names, or all, or a quarter."""
    one_in = 4 if '--quarter' in sys.argv else 1
    return {n: s for n, s in list(sources.items())[::one_in] if not names or n in names}


def grade(peal, spec, sources, folder, right=False):
    """Grade all; gives the number of attacks that gained something or were not told why, or of right ones that lost."""
    files, bad = [], 0
    for name, source in sources.items():
        files.append(folder / f'{name}.c')
        files[-1].write_text(source)
    done = subprocess.run([peal, 'grade', spec, *files, '--json'], capture_output=True, text=True, check=False,
                          preexec_fn=refuse_namespaces if '--shared' in sys.argv else None)
    marks = json.loads(done.stdout)
    most = marks['max_points']
    for one in marks['submissions']:
        name, notes = pathlib.Path(one['file']).stem, [t['notes'] for t in one['tests']]
        if right and one['points'] != most:
            print(f'{name}: {one["points"]} points: {one["messages"]} {notes}')
            bad += 1
        elif not right and (one['points'] or not one['compiles'] or not all(notes)):
            print(f'{name}: {one["points"]} points, compiles {one["compiles"]}: {one["messages"]} {notes}')
            bad += 1
        elif '-v' in sys.argv:
            print(name, '|', [n.splitlines()[0][:110] for n in notes if n][:2])
    return bad


def main():
    peal, assignments = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = [a for a in sys.argv[3:] if not a.startswith('-')]
    os.environ.setdefault('CFLAGS', '-O0')
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade')
        return 77
    looked = right = bad = 0
    with tempfile.TemporaryDirectory() as place:
        for name, sources in (('bucket-allgather', bucket_sources()), ('ring-allreduce-mpi', mpi_sources()),
                              ('scatter-and-gather-mpi', proved_sources()), ('barrier', barrier_sources()), ('right', right_sources()),
                              ('cannon', cannon_sources()), ('tagged', {'cannon_tags': TAGGED}), ('expanded', {'expands': EXPANDED}),
                              ('sealed', sealed_sources()), ('few', two_faced_sources()),
                              *((name, {name: source}) for name, source in DRIVEN.items())):
            sources = chosen(sources, names)
            folder = pathlib.Path(place) / name
            folder.mkdir(exist_ok=True)
            spec = assignments / name / f'{name}.ini' if name != 'sealed' else assignments / 'bucket-allgather/bucket-allgather.ini'
            own = {'barrier': BARRIER, 'right': CASTS, 'few': FEW, 'tagged': TAGS.format(folder=assignments.resolve()), 'expanded': EXPANDS}
            if name in own:
                spec = folder / 'spec.ini'
                spec.write_text(own[name])
            if sources:
                bad += grade(peal, spec, sources, folder, name in ('right', 'sealed'))
            if name in ('right', 'sealed'):
                right += len(sources)
            else:
                looked += len(sources)
    print(f'{looked} attacks and {right} right functions, {bad} were marked wrongly or not told why')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
