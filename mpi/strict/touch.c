/* SPDX-License-Identifier: MIT */
/* Which accesses to windows conflict. */
#include "mpi/strict/touch.h"
#include "mpi/coll/op.h"
#include <stdlib.h>

void
touch_free(struct touch *touch)
{
    vclock_drop(touch->gives);
    free((struct peal_piece *)(uintptr_t)touch->span.pieces);
    free(touch);
}

bool
touch_is_before(const struct touch *touch, int node)
{
    return (!touch->open && vclock_known(node, touch->node) >= touch->end) ||
           (touch->seen && vclock_known(node, touch->owner) >= touch->seen);
}

bool
touch_only_reads(const struct touch *touch)
{
    return touch->kind == TOUCH_LOAD || touch->kind == TOUCH_GET ||
           (touch->kind == TOUCH_ACCUMULATE && touch->op.op == MPI_NO_OP);
}

/* Whether elements of both overlap partly. */
static bool
is_shifted(const struct touch *a, const struct touch *b)
{
    char *a_end, *b_end;

    for (int i = 0, j = 0; a->unit > 0 && i < a->span.count && j < b->span.count;) {
        const char *a_begin = span_piece(&a->span, i, &a_end), *b_begin = span_piece(&b->span, j, &b_end);

        if (a_begin < b_end && b_begin < a_end && (a_begin - b_begin) % (ptrdiff_t)a->unit != 0)
            return true;
        if (a_end < b_end)
            i++;
        else
            j++;
    }
    return false;
}

/* Two accumulates may concern one place if they have the same operator, and the same elements of one basic type.  (MPI
 * 3.1, 11.7.  MPI_REPLACE and a swap, by which locks are programmed, are accepted beside any other.) */
static bool
accumulates_agree(const struct touch *a, const struct touch *b)
{
    bool any = a->op.op == MPI_OP_NULL || b->op.op == MPI_OP_NULL || a->op.op == MPI_REPLACE ||
               b->op.op == MPI_REPLACE || a->op.op == MPI_NO_OP || b->op.op == MPI_NO_OP || a->node == b->node;

    return a->signature == b->signature && (any || a->op.op == b->op.op) && !is_shifted(a, b);
}

bool
touch_conflicts(const struct touch *a, const struct touch *b)
{
    bool accumulates = a->kind == TOUCH_ACCUMULATE && b->kind == TOUCH_ACCUMULATE;

    if (touch_only_reads(a) && touch_only_reads(b))
        return false;
    if (a->node == b->node && (a->kind < TOUCH_GET || b->kind < TOUCH_GET))
        return false; /* held.c compares its own buffers */
    return !accumulates || !accumulates_agree(a, b);
}

struct race_side
touch_side(const struct touch *touch)
{
    return (struct race_side){touch->node, touch->site, touch->call, touch->kind < TOUCH_GET};
}

struct race_side
touch_side_of_own(int node, struct own_site own, bool writes)
{
    return (struct race_side){node, own.site, own.call ? own.call : writes ? "a store" : "a load", own.call != NULL};
}

bool
touch_is_alike(const struct touch *a, const struct touch *b)
{
    return a->node == b->node && a->kind == b->kind && a->site == b->site && a->op.op == b->op.op &&
           a->signature == b->signature && a->span.count == 1 && b->span.count == 1;
}
