/* Functions that do no more than pass a call on, inlined or not, and functions that do more. */
#include <peal/peal.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

APART static void
checked_recv(struct peal_node *me, int64_t *x, size_t n, int from)
{
    if (n == 0)
        peal_abort(me, "nothing is wanted");
    peal_recv(me, x, n, from);
}

APART static void
get_row(struct peal_node *me, int64_t *x, int from)
{
    checked_recv(me, x, 2, from);
}

static inline __attribute__((always_inline)) void
put(struct peal_node *me, const int64_t *x, int to)
{
    peal_send(me, x, 1, to);
}

APART static void
sum(struct peal_node *me, int64_t *x, size_t n)
{
    peal_allreduce(me, PEAL_SUM_INT64, x, n);
}

APART static void
together(struct peal_node *me)
{
    peal_barrier(me);
}

static int64_t all[2];

APART static void
get_all(struct peal_node *me)
{
    peal_recv(me, all, 2, 1);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    const int which = argc > 1 ? atoi(argv[1]) : 0, rank = peal_rank(me);

    if (which == 0)
        get_row(me, all, (rank + 1) % 3);
    if (which == 1)
        put(me, all, 3);
    if (which == 2 && rank > 0)
        sum(me, all, 2);
    if (which == 3 && rank > 0)
        together(me);
    if (which == 4 && rank == 0)
        get_all(me);
}
