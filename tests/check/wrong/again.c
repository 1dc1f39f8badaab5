/* SPDX-License-Identifier: MIT */
/* Right when they are called once on all nodes; wrong in the second call, or in a group.  -DRIGHT: right in each. */
#include <peal/peal.h>
#include <string.h>

static int calls;

/* The second call sends nothing. */
void
counts_its_calls(struct peal_node *me, void *a, size_t n, int root)
{
    size_t words = n;

#ifndef RIGHT
    words = calls > 0 ? 0 : n;
#endif
    calls++;
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, a, words, i);
    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
}

/* Its second call adds to what the first one left. */
void
keeps_a_sum(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    static uint64_t kept[64];
    bool keeps = false;

#ifndef RIGHT
    keeps = calls > 0 && n <= 64;
#endif
    calls++;
    peal_allreduce(me, op, a, n);
    if (keeps)
        memcpy(a, kept, n * sizeof *kept);
    if (n <= 64)
        memcpy(kept, a, n * sizeof *kept);
}

/* A receive from any source takes a message of the next call: a fast node's second one. */
void
takes_from_any(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    char *blocks = out;
    size_t bytes = m * peal_word_bytes(me);
    void *scratch = peal_alloc(me, m);

    if (peal_rank(me) != root) {
        peal_send(me, in, m, root);
        return;
    }
    memmove(blocks + (size_t)root * bytes, in, bytes);
    for (int i = 0; i < peal_size(me); i++) {
        if (i == root)
            continue;
#ifdef RIGHT
        struct peal_message message = peal_recv(me, scratch, m, i);
#else
        struct peal_message message = peal_recv(me, scratch, m, PEAL_ANY_SOURCE);
#endif
        memcpy(blocks + (size_t)message.source * bytes, scratch, bytes);
    }
}

/* The first node of the world in place of the group's; nodes outside it. */
void
asks_the_world(struct peal_node *me, void *a, size_t n, int root)
{
    int rank = peal_rank(me);

#ifndef RIGHT
    rank = peal_world_rank(me);
#endif
    for (int i = 0; rank == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, a, n, i);
    if (rank != root)
        peal_recv(me, a, n, root);
}

/* A barrier whose second call ends at once. */
void
waits_once(struct peal_node *me)
{
    bool waits = true;

#ifndef RIGHT
    waits = calls == 0;
#endif
    calls++;
    if (waits)
        peal_barrier(me);
}
