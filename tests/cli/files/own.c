/* A function of each collective's type; those whose names say so are wrong. */
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

static int calls; /* each node's own, and 0 when a run begins */

static void
count(struct peal_node *me)
{
    if (++calls != 1)
        peal_abort(me, "a global was not as it should be");
}

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    size_t bytes = m * peal_word_bytes(me);

    count(me);
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, (const void *)((const char *)in + (size_t)i * bytes), m, i);
    if (peal_rank(me) == root)
        memcpy(out, (const char *)in + (size_t)root * bytes, bytes);
    else
        peal_recv(me, out, m, root);
}

void my_gather(struct peal_node *me, const void *in, size_t m, int root, void *out) { peal_gather(me, in, m, root, out); }
void my_broadcast(struct peal_node *me, void *a, size_t n, int root) { peal_broadcast(me, a, n, root); }
void my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root) { peal_reduce(me, op, a, n, root); }
void my_allgather(struct peal_node *me, const void *in, size_t m, void *out) { peal_allgather(me, in, m, out); }
void my_reduce_scatter(struct peal_node *me, const struct peal_op *op, const void *in, size_t m, void *out) { peal_reduce_scatter(me, op, in, m, out); }
void my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n) { peal_allreduce(me, op, a, n); }
void my_alltoall(struct peal_node *me, const void *in, size_t m, void *out) { peal_alltoall(me, in, m, out); }
void my_scan(struct peal_node *me, const struct peal_op *op, void *a, size_t n) { peal_scan(me, op, a, n); }
void my_exscan(struct peal_node *me, const struct peal_op *op, void *a, size_t n) { peal_exscan(me, op, a, n); }
void my_shift(struct peal_node *me, const void *in, size_t n, int by, void *out) { peal_shift(me, in, n, by, out); }
void my_multicast(struct peal_node *me, void *a, size_t n, int root, const int *to, int count) { peal_multicast(me, a, n, root, to, count); }
void my_barrier(struct peal_node *me) { peal_barrier(me); }
void my_scatterv(struct peal_node *me, const void *in, const size_t *words, int root, void *out) { peal_scatterv(me, in, words, root, out); }
void my_gatherv(struct peal_node *me, const void *in, const size_t *words, int root, void *out) { peal_gatherv(me, in, words, root, out); }
void my_allgatherv(struct peal_node *me, const void *in, const size_t *words, void *out) { peal_allgatherv(me, in, words, out); }
void my_reduce_scatterv(struct peal_node *me, const struct peal_op *op, const void *in, const size_t *words, void *out) { peal_reduce_scatterv(me, op, in, words, out); }
void my_alltoallv(struct peal_node *me, const void *in, const size_t *send, void *out, const size_t *receive) { peal_alltoallv(me, in, send, out, receive); }

void
wrong_word(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    my_scatter(me, in, m, root, out);
    if (peal_rank(me) == 2 && m > 0)
        memset(out, 0, peal_word_bytes(me));
}

void
wrong_wait(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == root && peal_size(me) > 1)
        peal_send(me, a, n, (root + 1) % peal_size(me));
    else if (peal_size(me) > 1)
        peal_recv(me, a, n, (peal_rank(me) + 1) % peal_size(me));
}

void
prints(struct peal_node *me, void *a, size_t n, int root)
{
    printf("%d\n", peal_rank(me));
    peal_broadcast(me, a, n, root);
}

static void hidden(struct peal_node *me) { peal_barrier(me); }
void uses_hidden(struct peal_node *me) { hidden(me); }
