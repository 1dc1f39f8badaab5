#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grade submissions whose nodes, each a process of its own, want to tell one another more than their messages say, or to
have the judge err, or to read what is secret: none gains a point, and each is told why.

  isolation.py PEAL ASSIGNMENTS [--shared] [--quarter] [-v] [NAME...]        --shared, --quarter: as of attacks.py

Where the nodes share a process all of them are right, by what they share: only the confirmation can find them."""
import os
import pathlib
import subprocess
import sys
import tempfile

import attacks
from attacks import BITWISE, CALLS, FEW, HEAD, OWN_BARRIER, PROCESSES, SEEN, TWO_FACED, WALK, X86

# ------------------------------------------------------------------ times
# Node s computes for a while where the bit is 1, and node d sees how long its answer takes, by a clock: NOW.
DELAY = '''BARE static void delay(void) { for (volatile int i = 0; i < 300000; i++) ; }
'''
EXCHANGE = ('peal_recv_tag(me, NULL, 0, d, tag); {} peal_send_tag(me, NULL, 0, d, tag);',
            'peal_send_tag(me, NULL, 0, s, tag); peal_recv_tag(me, NULL, 0, s, tag);')
LATE = (EXCHANGE[0].format('') + EXCHANGE[0].format('if (v) delay();'),
        EXCHANGE[1] + ' uint64_t began = now(); ' + EXCHANGE[1] + ' w = now() - began > {limit};')
FROM_LIBC = WALK.replace('(uintptr_t)&peal_send_at', '(uintptr_t)stdout')
TICKS = '''static volatile uint64_t ticks;
__attribute__((no_sanitize("thread"))) static void tick(int number) { (void)number; ticks++; }
void back(void);
__asm__("back: mov $15, %eax; syscall");
BARE static uint64_t now(void)
{
    static int on;
    if (!on) {
        struct { void (*call)(int); uint64_t flags; void (*back)(void); uint64_t mask; } how = {tick, 0x14000000, back, 0};
        uint64_t every[4] = {0, 200, 0, 200};
        register long a4 __asm__("r10") = 8;
        long n = 13;
        __asm__ volatile("syscall" : "+a"(n) : "D"(14L), "S"(&how), "d"(0L), "r"(a4) : "rcx", "r11", "memory");
        call3(38, 0, (long)every, 0);
        on = 1;
    }
    return ticks;
}
'''
CLOCKS = {  # what reads a clock, and the least that a delay takes by it
    'processor': ('BARE static uint64_t now(void) { return __builtin_ia32_rdtsc(); }', 2000000),
    'processor_ordered': ('BARE static uint64_t now(void) { unsigned a; return __builtin_ia32_rdtscp(&a); }', 2000000),
    'asked': ('BARE static uint64_t now(void) { uint64_t t[2] = {0}; call(228, 1, (long)t); return t[0] * 1000000000 + t[1]; }', 800000),
    'coarse': ('BARE static uint64_t now(void) { uint64_t t[2] = {0}; call(228, 6, (long)t); return t[0] * 1000000000 + t[1]; }', 800000),
    'of_the_day': ('BARE static uint64_t now(void) { uint64_t t[2] = {0}; call(96, (long)t, 0); return t[0] * 1000000 + t[1]; }', 800),
    'of_the_library': (FROM_LIBC + 'BARE static uint64_t now(void) { union { void *p; int (*f)(int, void *); } u = '
                       '{find("clock_gettime")}; uint64_t t[2] = {0}; u.f(1, t); return t[0] * 1000000000 + t[1]; }', 800000),
    'of_the_kernel_page': ('BARE static uint64_t now(void) { uint64_t t[2] = {0}; __asm__ volatile("mov $0xffffffffff600000, %%rax; '
                           'call *%%rax" :: "D"(t), "S"(0L) : "rax", "rcx", "r11", "memory"); return t[0] * 1000000 + t[1]; }', 800),
    'ticks': (TICKS, 3),
    'switches': ('BARE static uint64_t now(void) { uint64_t u[18] = {0}; call(98, 0, (long)u); return u[0] * 1000000 + u[1] + u[2] * '
                 '1000000 + u[3] + 1000 * u[17]; }', 800),
    'jiffies': ('BARE static uint64_t now(void) { uint64_t t[4]; return (uint64_t)call(100, (long)t, 0) * 10000; }', 9000),
}

# ------------------------------------------------------------------ what the kernel has of all processes
# As of attacks.KERNEL: show(v), and what a node sees of process p.
SEEN_OF_ALL = {
    'null_times': ('if (v) call3(1, 1, (long)"x", 1);',
                   'uint64_t s[18] = {0}; (void)p; call(5, 1, (long)s); return (long)(s[11] + s[12] + s[13] + s[14]);'),
    'memory_left': ('static void *x; if (x) call(11, (long)x, 1L << 36); x = v ? (void *)mmap_own(1L << 36) : NULL;',
                    '(void)p; for (long b = 1L << 46; b; b /= 2) { long x = mmap_own(b); if (x > 0) { call(11, x, b); return b; } } return 0;'),
    'signals_queued': ('static int full; if (v && !full) { full = 1; uint64_t m = ~0UL; mask(0, &m); for (int i = 0; i < 200000 && '
                       'call3(234, call(39, 0, 0), call(186, 0, 0), 60) == 0; i++) ; } if (!v && full) { full = 0; uint64_t m = ~0UL, z '
                       '= 0; mask(2, &z); mask(0, &m); }',
                       '(void)p; uint64_t m = ~0UL; mask(0, &m); return call3(234, call(39, 0, 0), call(186, 0, 0), 61);'),
    'threads': ('(void)v;', '(void)p; static char stack[4096]; return call3(56, 0x10f00, (long)(stack + 4000), 0);'),
    'session': ('if (v) call(112, 0, 0);', 'return call(124, p, 0);'),
    'priority': ('if (v) call3(141, 0, 0, 5);', 'return call3(140, 0, p, 0);'),
    'stopped': ('(void)v;', 'return call(62, p, 0);'),
    'limits': ('uint64_t l[2] = {v ? 100 : 200, 1000}; register long a4 __asm__("r10") = 0; long n = 302; __asm__ volatile("syscall" '
               ': "+a"(n) : "D"(0L), "S"(8L), "d"(l), "r"(a4) : "rcx", "r11", "memory");',
               'uint64_t l[2] = {0}; register long a4 __asm__("r10") = (long)l; long n = 302; __asm__ volatile("syscall" : "+a"(n) : '
               '"D"(p), "S"(8L), "d"(0L), "r"(a4) : "rcx", "r11", "memory"); return n ? -1 : (long)l[0];'),
    'named': ('char t[] = "a"; t[0] = (char)(v ? 97 : 98); call3(157, 15, (long)t, 0);',
              'char path[40], t[8] = ""; snprintf(path, sizeof path, "/proc/%ld/comm", p); long f = call3(2, (long)path, 0, 0); '
              'call3(0, f, (long)t, 4); call(3, f, 0); return t[0];'),
    'read_memory': ('static volatile long shown; shown = v;', 'long x = 0; uint64_t a[2] = {(uint64_t)&x, 8}, b[2] = {(uint64_t)&x, 8}; '
                    'register long a4 __asm__("r10") = (long)b, a5 __asm__("r8") = 1, a6 __asm__("r9") = 0; long n = 310; __asm__ '
                    'volatile("syscall" : "+a"(n) : "D"(p), "S"(a), "d"(1L), "r"(a4), "r"(a5), "r"(a6) : "rcx", "r11", "memory"); return x;'),
}
MAPS = '''BARE static long mmap_own(long bytes)
{
    register long a4 __asm__("r10") = 0x22, a5 __asm__("r8") = -1, a6 __asm__("r9") = 0;
    long n = 9;
    __asm__ volatile("syscall" : "+a"(n) : "D"(0L), "S"(bytes), "d"(3L), "r"(a4), "r"(a5), "r"(a6) : "rcx", "r11", "memory");
    return n > 0 ? n : 0;
}
BARE static void mask(long how, uint64_t *set)
{
    register long a4 __asm__("r10") = 8;
    long n = 14;
    __asm__ volatile("syscall" : "+a"(n) : "D"(how), "S"(set), "d"(0L), "r"(a4) : "rcx", "r11", "memory");
}
'''

# ------------------------------------------------------------------ the judge, spoken to directly
# The node finds its socket, and writes what lib/marking/confirm.h has.
SPEAKS = CALLS + '''
enum { READY, POST, WAIT, ASK, PROBE, REST, COMPUTE, CLOCK, RANDOM, PRINT, SPLIT, MEET, FAIL, END };
struct message { int what, peer, tag; uint32_t context, number; uint64_t words, note; uint8_t kind, mode, collective, lenient; };
struct answer { char complete; int source, tag; uint64_t words, delivered, note; double clock; uint32_t context; };
BARE static int judge(void)
{
    static int found;
    for (int fd = 3; fd < 70000 && !found; fd++) {
        uint64_t s[18] = {0};
        if (call(5, fd, (long)s) == 0 && ((uint32_t)s[3] & 0170000) == 0140000)
            found = fd;
    }
    return found;
}
BARE static void say(struct message m, const void *more, size_t bytes)
{
    call3(1, judge(), (long)&m, sizeof m);
    if (bytes)
        call3(1, judge(), (long)more, (long)bytes);
}
BARE static void hear(void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        long n = call3(0, judge(), (long)((char *)to + done), (long)(bytes - done));
        if (n <= 0)
            return;
        done += (size_t)n;
    }
}
BARE static uint64_t any(uint64_t *x) { return *x = *x * 6364136223846793005u + 1442695040888963407u, *x >> 33; }
'''
JUDGE = {
    'meets': 'struct answer a; uint64_t all[16]; say((struct message){.what = MEET, .peer = -1, .words = 8}, x, 8); hear(&a, sizeof a); '
             'hear(all, 8 * (size_t)P); memcpy(o, all, 8 * (size_t)P);',
    'splits': 'for (int q = 0; q < P; q++) { uint64_t w = 0; for (int b = 0; b < 64; b++) { struct answer a; int of[8]; say((struct '
              'message){.what = SPLIT, .peer = 0, .tag = r == q ? (x[0] >> b & 1 ? P : -1) : r}, NULL, 0); hear(&a, sizeof a); '
              'hear(of, 4 * (size_t)P); w |= (uint64_t)(of[0] != q) << b; } if (r != q) o[q] = w; }',
    'notes': 'uint32_t n = 0; for (int t = 1; t < P; t++) { struct answer a; int f = (r - t + P) % P; say((struct message){.what = POST, '
             '.peer = (r + t) % P, .tag = 7, .note = x[0]}, NULL, 0); say((struct message){.what = POST, .kind = 1, .peer = f, .tag = '
             '7}, NULL, 0); uint32_t both[2] = {n, n + 1}; n += 2; say((struct message){.what = WAIT, .number = 2}, both, 8); hear(&a, '
             'sizeof a); hear(&a, sizeof a); o[f] = a.note; }',
    'computes': 'for (int s = 0; s < P; s++) for (int d = 0; d < P; d++) if (s != d) { uint64_t w = 0; for (int b = 0; b < 64; b += 16) '
                '{ struct answer a; if (r == s) { say((struct message){.what = COMPUTE, .words = x[0] >> b & 65535}, NULL, 0); '
                'peal_send_tag(me, NULL, 0, d, 9); } else if (r == d) { peal_recv_tag(me, NULL, 0, s, 9); say((struct message){.what = '
                'CLOCK}, NULL, 0); hear(&a, sizeof a); w |= ((uint64_t)a.clock & 65535) << b; } } if (r == d) o[s] = w; }',
    'ends_early': 'say((struct message){.what = END, .words = (uint64_t)P * m}, o, (size_t)P * m * 8); for (;;) { struct answer a; '
                  'hear(&a, sizeof a); }',
    'is_ready_again': 'say((struct message){.what = READY}, NULL, 0);',
    'waits_twice': 'uint32_t n[2] = {0, 0}; struct answer a; say((struct message){.what = POST, .peer = (r + 1) % P}, NULL, 0); '
                   'say((struct message){.what = WAIT, .number = 2}, n, 8); hear(&a, sizeof a); hear(&a, sizeof a);',
    'is_huge': 'say((struct message){.what = POST, .peer = (r + 1) % P, .words = ~0ull >> 1}, NULL, 0);',
    'meets_hugely': 'say((struct message){.what = MEET, .peer = 1 << 30, .words = 1ull << 61}, NULL, 0);',
    'draws': 'uint64_t w[256]; say((struct message){.what = RANDOM}, NULL, 0); hear(w, sizeof w);',
    'prints_for_ever': 'static char t[1 << 16]; for (int i = 0; i < 200; i++) say((struct message){.what = PRINT, .words = sizeof t}, t, '
                       'sizeof t);',
    'is_another_context': 'say((struct message){.what = POST, .peer = (r + 1) % P, .context = 77777}, NULL, 0);',
    'goes_back_in_time': 'for (int i = 0; i < 4; i++) say((struct message){.what = COMPUTE, .words = ~0ull >> 1}, NULL, 0);',
    'fails_for_itself': 'say((struct message){.what = FAIL, .number = 4000000000u, .words = 1ull << 62}, x, 8);',
}
BABBLE = ('uint64_t seed = {seed} + (uint64_t)r; for (int i = 0; i < 400; i++) {{ struct message k = {{.what = (int)(any(&seed) % 16), '
          '.peer = (int)(any(&seed) % 6) - 2, .tag = (int)(any(&seed) % 7) - 3, .context = (uint32_t)(any(&seed) % 4), .number = '
          '(uint32_t)(any(&seed) % 5), .words = any(&seed) % 9, .kind = (uint8_t)(any(&seed) % 4), .mode = (uint8_t)(any(&seed) % 5), '
          '.lenient = (uint8_t)(any(&seed) % 2)}}; if (k.what == WAIT || k.what == ASK) say(k, (uint32_t [8]){{0, 1, 2, 3, 0, 1, 2, 3}}, '
          '4 * k.number); else say(k, NULL, 0); }}')

# Written afresh, once the others gained nothing.
FRESH = {
    'processor_number': BITWISE.format(
        sends=LATE[0], takes=LATE[1].format(limit=0).replace('now() - began > 0', 'now() != began')),
    # what the first run of a case says by tags, the second says again, whatever its words are
    'repeats': 'static uint64_t said[2]; static int runs; if (runs++ % 2 == 0) said[0] = x[0]; for (int t = 1; t < P; t++) { int f = '
               '(r - t + P) % P; o[f] = 0; for (int b = 0; b < 64; b += 16) { struct peal_handle h = peal_recv_async_tag(me, NULL, 0, f, '
               'PEAL_ANY_TAG); peal_send_tag(me, NULL, 0, (r + t) % P, (int)(said[0] >> b & 65535)); o[f] |= '
               '(uint64_t)peal_wait(me, h).tag << b; } }',
    'collective_claimed': 'uint32_t n = 0; for (int t = 1; t < P; t++) for (int b = 0; b < 64; b++) { struct answer a; say((struct '
                          'message){.what = POST, .peer = (r + t) % P, .context = 1, .collective = (uint8_t)(x[0] >> b & 1)}, NULL, 0); '
                          'say((struct message){.what = POST, .kind = 1, .peer = (r - t + P) % P, .context = 1}, NULL, 0); uint32_t '
                          'both[2] = {n, n + 1}; n += 2; say((struct message){.what = WAIT, .number = 2}, both, 8); hear(&a, sizeof a); '
                          'hear(&a, sizeof a); o[(r - t + P) % P] |= a.note << b; }',
    'never_reads': 'for (int i = 0; i < 1 << 20; i++) say((struct message){.what = CLOCK}, NULL, 0);',
    'stops': 'if (r == 0) call3(62, call(39, 0, 0), 19, 0); for (int i = 0; i < 3; i++) peal_next_round(me);',
    'starves': 'static char t[1 << 20]; for (int i = 0; i < 1 << 12; i++) say((struct message){.what = POST, .peer = (r + 1) % P, .tag = '
               'i, .words = sizeof t / 8}, t, sizeof t);',
}
NUMBER = 'BARE static uint64_t now(void) { uint64_t c; __asm__ volatile("rdpid %0" : "=r"(c)); return c; }\n'

# ------------------------------------------------------------------ while it is loaded, and before
EARLY = {  # a constructor, or what runs even before; the function itself does nothing but use the words v
    'resolver': 'static void real(void) {} static void (*pick(void))(void) { call(56, 17, 0); return real; } '
                'void taken(void) __attribute__((ifunc("pick")));',
    'init_array': 'static void early(void) { call3(41, 1, 1, 0); } __attribute__((section(".init_array"), used)) static void '
                  '(*const list[])(void) = {early};',
    'preloads': 'char **environ; __attribute__((constructor)) static void early(void) { static char s[] = "LD_PRELOAD=/tmp/x.so", *e[] '
                '= {s, NULL}, p[] = "/proc/self/exe", *a[] = {p, NULL}; call3(59, (long)p, (long)a, (long)e); }',
    'traces': '__attribute__((constructor)) static void early(void) { call3(101, 16, call(110, 0, 0), 0); }',
    'shared_memory': '__attribute__((constructor)) static void early(void) { call3(29, 4711, 4096, 01666); }',
    'abstract_socket': '__attribute__((constructor)) static void early(void) { call3(41, 1, 2, 0); }',
    'notifies': '__attribute__((constructor)) static void early(void) { call(294, 0, 0); }',
    'rings': '__attribute__((constructor)) static void early(void) { uint64_t p[15] = {0}; call(425, 4, (long)p); }',
    'unmaps_itself': '__attribute__((constructor)) static void early(void) { call(231, 0, 0); }',
    'dumps': '__attribute__((constructor)) static void early(void) { call3(62, call(39, 0, 0), 6, 0); __builtin_trap(); }',
}
COMPILED = {  # what is read while it is compiled: SECRET is another submission, with a word that nobody sees
    'includes': '#include "SECRET"\n',
    'binary': '__asm__(".pushsection .rodata; .globl got; got: .incbin \\"SECRET\\"; .popsection"); extern char got[];\n',
    'assembled': '__asm__(".include \\"SECRET\\"");\n',
    'quoted': '#line 1 "SECRET"\n#error\n',
    'pragma': '#pragma GCC pch_preprocess "SECRET"\n#include "SECRET"\n',
    'asked': '#if __has_include("SECRET")\nvoid my_allgather(void) {}\n#else\n#error nothing\n#endif\n',
    'by_its_folder': '#include "../other/mine.c"\n',
    'of_the_process': '#include "/proc/self/environ"\n#include "/proc/self/cmdline"\n',
}
# The stack frame of a driver that has what it expects there.
FRAME = HEAD + '''
int64_t my_sum(struct peal_node *me, const int64_t *x, int64_t count) { (void)me, (void)x; return count; }
__attribute__((no_sanitize("thread"), noinline)) double
my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double tau)
{
    const double *at = __builtin_frame_address(0);
    (void)n, (void)serial, (void)alpha, (void)beta, (void)tau;
    for (int i = 2; i < 80; i++)
        if (at[i] > .01 && at[i] < P && at[i] != 1 && at[i] != 3)
            return at[i];
    return 0;
}
int64_t my_least_n(int P, double efficiency, double alpha, double beta, double tau)
{
    (void)P, (void)efficiency, (void)alpha, (void)beta, (void)tau;
    return 0;
}
'''


def two_faced(helpers, apart):
    """A function that is right by what the nodes share, and does `apart` where they share nothing."""
    return HEAD + TWO_FACED.format(helpers=helpers, apart=apart)


def all_sources():
    """Name to source, of those on FEW."""
    sources = {}
    for name, (clock, limit) in CLOCKS.items():
        sources['clock_' + name] = two_faced((CALLS if 'call' in clock else '') + DELAY + clock, BITWISE.format(
            sends=LATE[0], takes=LATE[1].format(limit=limit)))
    for name, (shows, seen) in SEEN_OF_ALL.items():
        sources['process_' + name] = two_faced(CALLS + MAPS + PROCESSES.format(show=shows, seen=seen) + OWN_BARRIER.format(),
                                               SEEN.format())
    for name, body in JUDGE.items():
        sources['judge_' + name] = two_faced(SPEAKS, body)
    for name, body in FRESH.items():
        sources['fresh_' + name] = two_faced(SPEAKS + (DELAY + NUMBER if name == 'processor_number' else ''), body)
    for seed in (1, 2, 3, 4):
        sources[f'judge_babbles_{seed}'] = two_faced(SPEAKS, BABBLE.format(seed=seed))
    for name, text in EARLY.items():
        sources['early_' + name] = two_faced(CALLS + text, '')
    return sources


def compiled(peal, spec, folder, names):
    """Those of COMPILED; gives how many there are, and how many gained or saw anything."""
    (folder / 'other').mkdir()
    secret = folder / 'other' / 'mine.c'
    secret.write_text('squeamish_ossifrage\n')
    files = []
    for name, text in attacks.chosen({'compiled_' + name: text for name, text in COMPILED.items()}, names).items():
        (folder / name).mkdir()
        files.append(folder / name / 'mine.c')
        files[-1].write_text(text.replace('SECRET', str(secret)))
    bad = 0
    for one in files:
        done = subprocess.run([peal, 'grade', spec, one, '--json'], capture_output=True, text=True, check=False)
        if 'squeamish' in done.stdout + done.stderr or '"points": 0' not in done.stdout or '"compiles": true' in done.stdout:
            print(f'{one.parent.name}: {done.stdout}{done.stderr}')
            bad += 1
    return len(files), bad


def main():
    peal, assignments = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = [a for a in sys.argv[3:] if not a.startswith('-')]
    os.environ.setdefault('CFLAGS', '-O0')
    if not X86 or subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade, or the processor is another one')
        return 77
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        spec = folder / 'few.ini'
        spec.write_text(FEW + 'timeout = 2\n')
        sources = attacks.chosen(all_sources(), names)
        bad = attacks.grade(peal, spec, sources, folder) if sources else 0
        count, more = compiled(peal, spec, folder, names)
        if not names or 'frame' in names:
            count += 1
            more += attacks.grade(peal, assignments / 'isoefficiency/isoefficiency.ini', {'frame': FRAME}, folder)
    print(f'{len(sources) + count} attacks, {bad + more} were marked wrongly or not told why')
    return 1 if bad + more else 0


if __name__ == '__main__':
    sys.exit(main())
