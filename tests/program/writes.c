/* SPDX-License-Identifier: MIT */
/* Lines made in pieces by every call that can print, over two rounds, and a last line without a newline. */
#define _GNU_SOURCE
#include <peal/peal.h>
#include <stdarg.h>
#include <stdio.h>

static void
say(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    va_start(list, format);
    vfprintf(stdout, format, list);
    va_end(list);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me);

    (void)argc;
    (void)argv;
    printf("a%d", rank);
    fprintf(stdout, "b%d", rank);
    say("c%d", rank);
    fputs("d", stdout);
    fwrite("efgh", 1, 2, stdout);
    putchar('g');
    putc('h', stdout);
    fputc('i', stdout);
    putchar_unlocked('j');
    putc_unlocked('k', stdout);
    fputc_unlocked('l', stdout);
    fputs_unlocked("m", stdout);
    fwrite_unlocked("n", 1, 1, stdout);
    if (fflush(stdout) != 0 || fflush(NULL) != 0)
        peal_abort(me, "fflush failed");
    peal_next_round(me);
    puts("");
    puts("second round");
    printf("%s", "no end");
}
