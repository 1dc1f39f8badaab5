#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grade submissions that attack what the command writes, its files, its compiler and its process, none of which gains a
point, beside an honest one, which keeps its marks.  See README.md here.

  outputs.py PEAL [NAME...]         names: only the names of files are attacks"""
import csv
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

SPEC = '''[assignment]
name = three
collective = allgather
symbol = my_allgather
collectives = none
nodes = 3
sizes = 1
timeout = 2
total_timeout = 20
[test right]
points = 10
'''
HEAD = '''#define _GNU_SOURCE
#include <fcntl.h>
#include <peal/peal.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
'''
if platform.machine() == 'x86_64':  # by hand, else they are refused by name
    HEAD += '''__attribute__((unused)) static long by_hand(long n, long a, long b, long c)
{
    long r;
    register long a4 __asm__("r10") = 8;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(a4) : "rcx", "r11", "memory");
    return r;
}
#define write(f, b, n) by_hand(1, f, (long)(b), (long)(n))
#define open(p, f) by_hand(2, (long)(p), f, 0)
#define close(f) by_hand(3, f, 0, 0)
#define munmap(p, n) by_hand(11, (long)(p), (long)(n), 0)
#define pause() by_hand(34, 0, 0, 0)
#define alarm(n) by_hand(37, n, 0, 0)
#define dup2(f, g) by_hand(33, f, g, 0)
#define fork() by_hand(57, 0, 0, 0)
#define raise(n) by_hand(62, by_hand(39, 0, 0, 0), n, 0)
#define setrlimit(n, l) by_hand(160, n, (long)(l), 0)
#define sigprocmask(how, s, old) by_hand(14, 2, (long)(s), 0)
'''
BODY = HEAD.replace('{', '{{').replace('}', '}}') + '''{before}
void my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{{
    uint64_t *all = out;
    const uint64_t *mine = in;
    int P = peal_size(me), r = peal_rank(me);

    (void)all, (void)mine, (void)m, (void)P, (void)r;
    {body}
}}
'''
HONEST = 'for (int t = 0; t < P; t++) if (t != r) peal_send_async(me, mine, m, t); for (int t = 0; t < P; t++) if (t != r) ' \
         'peal_recv(me, all + (size_t)t * m, m, t); memcpy(all + (size_t)r * m, in, m * 8); peal_wait_all(me);'
PASSED = '{\\"points\\": 10, \\"passed\\": true, \\"complete\\": true, \\"tests\\": [{\\"name\\": \\"right\\", \\"passed\\": true}]}'
BODIES = {  # name: (before the function, its body)
    # what is printed is not a verdict
    'prints_marks': ('', f'printf("{PASSED}\\n10/10\\n"); fflush(stdout);'),
    'prints_escapes': ('', 'printf("\\033]0;10/10\\007\\033[2J\\033[H10/10\\n"); fprintf(stderr, "\\033[8m"); abort();'),
    'prints_without_end': ('', 'for (;;) if (write(1, "10/10\\n", 6) < 0) break;'),
    'prints_page': ('', 'fprintf(stderr, "</script><script>alert(1)</script><img src=x onerror=alert(1)>]]>\\n"); abort();'),
    # writes to every descriptor that there may be, forging what the judge reads
    'writes_everywhere': ('', f'for (int fd = 3; fd < 300; fd++) (void)!write(fd, "{PASSED}", 90); exit(0);'),
    'zeros_everywhere': ('', 'static char zeros[1 << 16]; for (int fd = 3; fd < 300; fd++) (void)!write(fd, zeros, sizeof zeros); exit(0);'),
    'closes_everything': ('', 'for (int fd = 0; fd < 300; fd++) close(fd); exit(0);'),
    'swaps_descriptors': ('', 'for (int fd = 3; fd < 60; fd++) dup2(1, fd); exit(0);'),
    'reopens_descriptors': ('', 'for (int fd = 0; fd < 60; fd++) { char p[40]; snprintf(p, sizeof p, "/proc/self/fd/%d", fd); long f = '
                            'open(p, O_RDWR); if (f >= 0) (void)!write(f, "passed", 6); } exit(0);'),
    # ends of every kind
    'exits_by_atexit': ('static void end(void) { _exit(0); }', 'atexit(end); exit(0);'),
    'exits_in_a_destructor': ('__attribute__((destructor)) static void end(void) { _exit(0); }', ''),
    'exits_in_a_constructor': ('__attribute__((constructor)) static void early(void) { _exit(0); }', ''),
    'loops_in_a_constructor': ('__attribute__((constructor)) static void early(void) { for (volatile int on = 1; on;) ; }', ''),
    'jumps_out': ('static jmp_buf there; static int been;', 'if (!been++) { if (setjmp(there)) return; } longjmp(there, 1);'),
    'jumps_by_hand': ('', 'void *f = __builtin_frame_address(0); for (int i = 0; i < 12; i++) ((void **)f)[i] = (void *)exit;'),
    'kills_itself': ('', 'raise(SIGKILL);'),
    'stops_itself': ('', 'raise(SIGSTOP);'),
    # signals, limits, processes
    'masks_signals': ('', 'long s[16]; memset(s, 255, sizeof s); sigprocmask(2, s, NULL); '
                      'for (volatile int on = 1; on;) ;'),
    'raises_limits': ('', 'struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; for (int i = 0; i < 16; i++) setrlimit(i, &l); '
                      'for (size_t n = 1 << 20;;) { char *p = malloc(n); if (!p) break; memset(p, 1, n); }'),
    'lowers_limits': ('', 'struct rlimit l = {0, 0}; for (int i = 0; i < 16; i++) setrlimit(i, &l);'),
    'forks_without_end': ('', 'for (;;) fork();'),
    'forks_and_exits': ('', 'if (fork() == 0) for (;;) pause(); exit(0);'),
    'unmaps_all': ('', 'munmap((void *)0x10000, (size_t)1 << 46);'),
    # right, and slow where each node is a process: a limit, and no accusation
    'slow_apart': ('', 'if (mine[0] >> 56 != 0xB1) for (volatile int on = 1; on;) ; ' + HONEST),
    'alarm': ('', 'alarm(1); pause();'),
}
FILES = {  # whole files: of the compiler, mostly
    'includes_itself': '#include __FILE__\n',
    'includes_without_end': '#include "includes_without_end.c"\n' * 3,
    'includes_a_device': '#include "/dev/zero"\n',
    'includes_standard_input': '#include "/dev/stdin"\n',
    'includes_the_judge': '#include "/proc/self/environ"\n',
    'macros_that_double': '#define A0 x\n' + ''.join(f'#define A{i} A{i - 1} A{i - 1}\n' for i in range(1, 26)) + 'int A25;\n',
    'strings_that_double': '#define S0 "0123456789abcdef"\n' + ''.join(f'#define S{i} S{i - 1} S{i - 1}\n' for i in range(1, 24)) +
                           'const char text[] = S23;\n',
    'a_giant_array': HEAD + 'char giant[1ull << 40];\nvoid my_allgather(struct peal_node *me, const void *in, size_t m, void *out) '
                     '{ (void)me, (void)in, (void)m, (void)out; giant[m] = 1; }\n',
    'a_giant_object': 'char giant[3000000000u] = {1};\n',
    'repeats': '__asm__(".rept 2000000000\\n.quad 0\\n.endr");\n',
    'embeds_the_solution': '__asm__(".incbin \\"/etc/passwd\\"");\n',
    'brackets': 'int x = ' + '(' * 20000 + '1' + ')' * 20000 + ';\n',
    'names_itself': '#line 1 "/etc/passwd\\033[2J"\n#error 10/10\n',
    'pragmas': '#pragma GCC dependency "/etc/shadow"\n#pragma GCC error "</script>10/10"\n',
    'symbols': HEAD + 'int x __asm__("</script>,\\"points\\":10,=1+1");\nvoid my_allgather(void);\n',
    # written afresh, without a look at what keeps them out
    'own_memcmp': BODY.format(before='int memcmp(const void *a, const void *b, size_t n) { return (void)a, (void)b, (void)n, 0; }\n'
                              'int strcmp(const char *a, const char *b) { return (void)a, (void)b, 0; }\n'
                              'bool vectors_check(void); bool vectors_check(void) { return true; }', body=''),
    'resolver_exits': '' if platform.machine() != 'x86_64' else BODY.format(before='static void real(void) {}\nstatic void (*resolve(void))(void) { by_hand(231, 0, 0, 0); '
                                  'return real; }\nvoid early(void) __attribute__((ifunc("resolve")));', body='early();'),
    'named_as_another': HEAD + '__asm__(".globl my_allgather\\nmy_allgather = peal_allgather_at");\n'
                        'void peal_allgather_at(struct peal_node *, const char *, const void *, size_t, void *, const char *, int);\n',
    'renamed': BODY.format(before='#pragma redefine_extname gather peal_allgather_at\nvoid gather(struct peal_node *, const char *, '
                           'const void *, size_t, void *, const char *, int);', body='gather(me, "ring", in, m, out, "", 0);'),
    'survives_faults': BODY.format(before='static jmp_buf there; static void go_on(int n) { (void)n; siglongjmp(there, 1); }',
                                   body='signal(SIGSEGV, go_on); for (int d = -64; d < 64; d++) if (!sigsetjmp(there, 1)) all[(r + 1) % '
                                   'P] = *(uint64_t *)((uintptr_t)mine + (uintptr_t)(d * 136));'),
    'nothing': '',
    'zeros': '\0' * 5000,
    'long_line': '/*' + 'x' * 300000 + '*/\n#error long\n',
    'no_end_of_comment': '/* ' * 10,
    'not_text': bytes(range(256)).decode('latin-1') * 40,
}
NAMES = ['=HYPERLINK("x").c', '+1+1.c', '-o.c', "a'b\"c.c", 'a\nright,10.c', 'a\x1b[2J.c', '<script>.c', 'a,10,10.c', '@SUM(1).c',
         '\u202ec.evil.c', '$(touch owned).c', '; touch owned;.c', '%s%n%s.c', 'a\\n.c']


def special(folder):
    """Submissions beside files of their own: symbolic and hard links, a FIFO, a device, a folder."""
    (folder / 'link.c').symlink_to(folder / 'honest.c')
    (folder / 'endless.c').symlink_to('endless.c')
    (folder / 'to_memory.c').symlink_to('/proc/self/mem')
    os.mkfifo(folder / 'fifo.c')
    (folder / 'folder.c').mkdir()
    try:
        os.mknod(folder / 'zero.c', 0o20666, os.makedev(1, 5))
    except OSError:
        (folder / 'zero.c').symlink_to('/dev/zero')
    return ['link', 'endless', 'to_memory', 'fifo', 'folder', 'zero']


def grade(peal, folder, files, *options):
    return subprocess.run([peal, 'grade', 'three.ini', *files, '--jobs', '4', *options], cwd=folder, capture_output=True,
                          text=True, errors='surrogateescape', stdin=subprocess.DEVNULL, check=False)


def check_marks(peal, folder, names):
    """None of them gains a point; the honest one does."""
    done, bad = grade(peal, folder, [f'{name}.c' for name in names], '--json'), 0
    marks = json.loads(done.stdout)
    assert marks['complete'] and len(marks['submissions']) == len(names)
    for one in marks['submissions']:
        name, expected = pathlib.Path(one['file']).stem, 10 if 'honest' in one['file'] else 0
        notes = [test['notes'] for test in one['tests']]
        if one['points'] != expected or (expected == 0 and not all(notes)):
            print(f'{name}: {one["points"]} points, expected {expected}: {one["messages"]} {notes}')
            bad += 1
        elif name.endswith('_apart') and not notes[0].startswith('timeout: '):
            print(f'{name}: expected timeout, got {notes}')
            bad += 1
        elif '-v' in sys.argv:
            print(name, '|', notes[0][:150].replace('\n', ' / '))
    return bad


def controls(text):
    """What of a text controls a terminal, or turns it."""
    return re.findall('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]', text)


def check_names(peal, folder):
    """Names of files forge nothing in what is written."""
    for name in NAMES:
        (folder / name).write_text(HEAD + '#error </script>,"points":10\n')
    text = grade(peal, folder, ['honest.c', *('./' + name for name in NAMES)], '--json=g.json', '--csv=g.csv', '--junit', 'g.xml',
                 '--gradescope', 'scope')
    marks = json.loads((folder / 'g.json').read_text())
    assert [one['points'] for one in marks['submissions']] == [10] + [0] * len(NAMES), marks
    rows = list(csv.reader((folder / 'g.csv').open(newline='', errors='surrogateescape')))
    assert [row[1] for row in rows[1:]] == ['10'] + ['0'] * len(NAMES) and len({len(row) for row in rows}) == 1, rows
    assert not [row for row in rows if row[0][:1] in ('=', '+', '-', '@')], rows
    assert not controls((folder / 'g.csv').read_text().replace('\n', '')), 'controls in CSV'
    suites = xml.dom.minidom.parse(str(folder / 'g.xml')).getElementsByTagName('testsuite')
    assert len(suites) == len(NAMES) + 1 and [s for s in suites if s.getAttribute('failures') == '0'] == suites[:1]
    results = sorted((folder / 'scope').iterdir())
    assert len(results) == len(NAMES) + 1 and sorted(json.loads(p.read_text())['score'] for p in results)[-2:] == [0, 10], results
    assert not controls(text.stdout) and not controls(text.stderr), (text.stdout, text.stderr)
    assert not [p for p in folder.rglob('owned')]
    return 0


def main():
    peal, names = os.path.abspath(sys.argv[1]), [a for a in sys.argv[2:] if a != '-v']
    os.environ.setdefault('CFLAGS', '-O0')
    if subprocess.run([peal, 'grade', '--help'], capture_output=True, check=False).returncode != 0:
        print('this build has no peal grade')
        return 77
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / 'three.ini').write_text(SPEC)
        sources = {'honest': BODY.format(before='', body=HONEST)}
        sources |= {name: BODY.format(before=before, body=body) for name, (before, body) in BODIES.items()} | FILES
        for name, source in sources.items():
            (folder / f'{name}.c').write_text(source, encoding='latin-1')
        os.link(folder / 'prints_marks.c', folder / 'hard_link.c')
        every = [*sources, 'hard_link', *special(folder)]
        bad = check_marks(peal, folder, [name for name in every if not names or name in names]) if names != ['names'] else 0
        bad += check_names(peal, folder) if names in ([], ['names']) else 0
    print(f'{len(every) - 1} attacks and {len(NAMES)} names, {bad} wrong')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
