/* SPDX-License-Identifier: MIT */
/* Functions that are right with separate buffers; some are not where a node's own block is in its place. */
#include <peal/peal.h>
#include <string.h>
#include <unistd.h>

static size_t
begin(const size_t *words, int b)
{
    size_t sum = 0;

    for (int i = 0; i < b; i++)
        sum += words[i];
    return sum;
}

/* Wrong in place: what is cleared is the block, too. */
void
clears_unequal(struct peal_node *me, const void *in, const size_t *words, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    uint64_t *x = out;

    for (size_t i = 0; i < begin(words, P); i++)
        x[i] = 0;
    memmove(x + begin(words, r), in, words[r] * sizeof *x);
    for (int i = 1; i < P; i++) {
        int to = (r + i) % P, from = (r - i + P) % P;

        peal_sendrecv(me, in, words[r], to, x + begin(words, from), words[from], from);
    }
}

void
clears_first(struct peal_node *me, const void *in, size_t m, void *out)
{
    size_t *words = peal_alloc(me, (size_t)peal_size(me));

    for (int i = 0; i < peal_size(me); i++)
        words[i] = m;
    clears_unequal(me, in, words, out);
}

/* Wrong in place: node 0's words take the place of the node's own before these are combined. */
void
combines_at_once(struct peal_node *me, const struct peal_op *op, const void *in, size_t m, void *out)
{
    const uint64_t *x = in;
    uint64_t *part = peal_alloc(me, m);
    int P = peal_size(me), r = peal_rank(me);

    for (int i = 0; i < P; i++)
        if (i != r)
            peal_send_async(me, x + m * (size_t)i, m, i);
    for (int i = 0; i < P; i++) {
        if (i != r)
            peal_recv(me, part, m, i);
        if (i == 0)
            memmove(out, i == r ? x : part, m * sizeof *x);
        else
            op->combine(out, i == r ? x + m * (size_t)r : part, out, m);
    }
    peal_wait_all(me);
}

/* Wrong in place: the blocks lie one too far down until all are there. */
void
gathers_shifted(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    uint64_t *x = out;
    size_t P = (size_t)peal_size(me);

    if (peal_rank(me) != root) {
        peal_send(me, in, m, root);
        return;
    }
    for (size_t i = 0; i < P; i++) {
        uint64_t *to = x + m * ((i + 1) % P);

        if ((int)i == root)
            memmove(to, in, m * sizeof *x);
        else
            peal_recv(me, to, m, (int)i);
    }
    uint64_t *all = peal_alloc(me, m * P);

    memcpy(all, x, m * P * sizeof *x);
    for (size_t i = 0; i < P; i++)
        memcpy(x + m * i, all + m * ((i + 1) % P), m * sizeof *x);
}

/* Right both ways. */
void
scatters_unequal(struct peal_node *me, const void *in, const size_t *words, int root, void *out)
{
    const uint64_t *x = in;

    if (peal_rank(me) != root) {
        peal_recv(me, out, words[peal_rank(me)], root);
        return;
    }
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_send(me, x + begin(words, i), words[i], i);
    memmove(out, x + begin(words, root), words[root] * sizeof *x);
}

void
scatters(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    size_t *words = peal_alloc(me, (size_t)peal_size(me));

    for (int i = 0; i < peal_size(me); i++)
        words[i] = m;
    scatters_unequal(me, in, words, root, out);
}

/* Ends the whole process in place, from two nodes on. */
void
ends_the_process(struct peal_node *me, const void *in, size_t m, void *out)
{
    if (m > 0 && peal_size(me) > 1 && in == (const uint64_t *)out + m * (size_t)peal_rank(me))
        _exit(0);
    peal_allgather(me, in, m, out);
}

/* Wrong: takes all blocks to be as long as the first. */
void
scatters_as_the_first(struct peal_node *me, const void *in, const size_t *words, int root, void *out)
{
    const uint64_t *x = in;

    if (peal_rank(me) != root) {
        peal_recv(me, out, words[peal_rank(me)], root);
        return;
    }
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_send(me, x + words[0] * (size_t)i, words[i], i);
    memmove(out, x + begin(words, root), words[root] * sizeof *x);
}
