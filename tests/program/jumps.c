/* SPDX-License-Identifier: MIT */
/* Jumps up its own stack, between rounds and after them; argument "crash": then one node fails. */
#include <peal/peal.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf top;

static void
dive(struct peal_node *me, int depth)
{
    char frame[200];

    memset(frame, depth, sizeof frame);
    if (depth > 0)
        dive(me, depth - 1);
    peal_barrier(me);
    if (peal_size(me) > 0)
        longjmp(top, 1 + frame[0]);
    peal_printf(me, "%d came back\n", frame[1]);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    volatile int jumps = 0;

    if (setjmp(top))
        jumps++;
    if (jumps < 3)
        dive(me, 5 + jumps);
    peal_barrier(me);
    if (argc > 1 && strcmp(argv[1], "crash") == 0 && peal_rank(me) == 1)
        abort();
    peal_barrier(me);
    peal_printf(me, "%d jumps\n", jumps);
}
