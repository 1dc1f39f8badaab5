/* SPDX-License-Identifier: MIT */
/* Functions as students write them; before each, what `peal check COLLECTIVE --every` says of it: every.py reads it. */
#include <peal/author.h>
#include <peal/peal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* scatter: every root */
void
scatter_linear(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t bytes = m * peal_word_bytes(me);

    if (r == root) {
        for (int i = 0; i < P; i++)
            if (i != root)
                peal_send_async(me, (const void *)((const char *)in + (size_t)i * bytes), m, i);
        memcpy(out, (const char *)in + (size_t)root * bytes, bytes);
        peal_wait_all(me);
    } else {
        peal_recv(me, out, m, root);
    }
}

/* gather: every root */
void
gather_linear(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const int64_t *own = in;
    int64_t *all = out;

    if (peal_rank(me) != root) {
        peal_send(me, own, m, root);
        return;
    }
    memcpy(&all[root * m], own, m * sizeof *all);
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_recv(me, all + i * m, m, i);
}

static void
exchange(struct peal_node *me, int64_t *blocks, size_t m, int sent, int got)
{
    int P = peal_size(me), r = peal_rank(me);

    peal_sendrecv(me, blocks + sent * m, m, (r + 1) % P, blocks + got * m, m, (r - 1 + P) % P);
}

static void
ring(struct peal_node *me, const void *in, size_t m, void *out, int rounds)
{
    int P = peal_size(me), r = peal_rank(me);
    int64_t *blocks = out;

    memcpy(blocks + r * m, in, m * sizeof(int64_t));
    for (int i = 0; i < rounds; i++)
        exchange(me, blocks, m, (r - i + P) % P, (r - i - 1 + P) % P);
}

/* allgather: every m */
void
allgather_ring(struct peal_node *me, const void *in, size_t m, void *out)
{
    ring(me, in, m, out, peal_size(me) - 1);
}

/* alltoall: every m */
void
alltoall_shift(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    const int64_t *from = in;
    int64_t *to = out;

    memcpy(to + r * m, from + r * m, m * sizeof(int64_t));
    for (int i = 1; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;

        peal_sendrecv(me, from + dest * m, m, dest, to + source * m, m, source);
    }
}

/* broadcast: every root */
void
broadcast_linear(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root)
                peal_send(me, a, n, i);
    } else {
        peal_recv(me, a, n, root);
    }
}

static void
doubling(struct peal_node *me, const struct peal_op *op, void *sum, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *x = peal_scratch(me, n);

    for (int d = 1; d < P; d <<= 1) {
        if (r + d < P)
            peal_send_async(me, sum, n, r + d);
        if (r >= d)
            peal_recv_async(me, x, n, r - d);
        peal_wait_all(me);
        if (r >= d)
            peal_combine(op, x, sum, sum, n);
    }
}

/* scan: every n */
void
scan_doubling(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    void *sum = peal_scratch(me, n);

    memcpy(sum, a, n * peal_word_bytes(me));
    doubling(me, op, sum, n);
    memcpy(a, sum, n * peal_word_bytes(me));
}

/* ------------------------------------------------------------------ right to P = 16 */

/* allgather: smallest: P = 101 */
void
allgather_ring_to_100(struct peal_node *me, const void *in, size_t m, void *out)
{
    ring(me, in, m, out, peal_size(me) - 1 - (peal_size(me) > 100));
}

/* allgather: smallest: P = 65 */
void
allgather_ring_but_65(struct peal_node *me, const void *in, size_t m, void *out)
{
    ring(me, in, m, out, peal_size(me) - 1 - (peal_size(me) == 65));
}

/* scatter: smallest: P = 71, m = 1, root 70 */
void
scatter_but_root_70(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int r = peal_rank(me);
    const int64_t *all = in;

    if (r == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root && !(root == 70 && i == 3))
                peal_send(me, all + i * m, m, i);
        memcpy(out, all + root * m, m * sizeof *all);
    } else if (!(root == 70 && r == 3)) {
        peal_recv(me, out, m, root);
    }
}

/* alltoall: smallest: P = 89 */
void
alltoall_but_distance_88(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    const int64_t *from = in;
    int64_t *to = out;

    memcpy(to + r * m, from + r * m, m * sizeof(int64_t));
    for (int i = 1; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;

        peal_sendrecv(me, from + (i == 88 ? r : dest) * m, m, dest, to + source * m, m, source);
    }
}

/* broadcast: smallest: P = 1001 */
void
broadcast_to_1000(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root && i != 1000)
                peal_send(me, a, n, i);
    } else if (peal_rank(me) != 1000) {
        peal_recv(me, a, n, root);
    }
}

/* gather: fails at P = 5001, which was not run */
void
gather_to_5000(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int64_t *all = out;

    if (peal_rank(me) != root) {
        peal_send(me, in, m, root);
        return;
    }
    memcpy(&all[root * m], in, m * sizeof *all);
    for (int i = 0; i < peal_size(me); i++)
        if (i != root)
            peal_recv(me, all + (i == 5000 ? 0 : i) * m, m, i);
}

/* scan: smallest: P = 101 */
void
scan_but_100(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    void *sum = peal_scratch(me, n);

    memcpy(sum, a, n * peal_word_bytes(me));
    doubling(me, op, sum, n);
    if (peal_rank(me) != 100)
        memcpy(a, sum, n * peal_word_bytes(me));
}

/* ------------------------------------------------------------------ not followed */

/* broadcast: functions.c:223: a number that depends on lengths, on the size of a word or on data is not followed */
void
broadcast_but_nothing(struct peal_node *me, void *a, size_t n, int root)
{
    if (n == 0)
        return;
    broadcast_linear(me, a, n, root);
}

/* gather: functions.c:233: the function malloc is not followed */
void
gather_twice(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    size_t bytes = m * peal_word_bytes(me);
    void *copy = malloc(bytes);

    memcpy(copy, in, bytes);
    gather_linear(me, copy, m, root, out);
    free(copy);
}

/* allgather: functions.c:244: the variable calls is static: not followed */
void
allgather_counted(struct peal_node *me, const void *in, size_t m, void *out)
{
    static int calls;

    calls++;
    ring(me, in, m, out, peal_size(me) - 1);
}

/* ------------------------------------------------------------------ numbers cut off without a conversion */

struct few {
    int bits : 8;
};

/* allgather: functions.c:260: struct few is not followed */
void
allgather_few_bits(struct peal_node *me, const void *in, size_t m, void *out)
{
    struct few few;

    few.bits = peal_size(me);
    ring(me, in, m, out, peal_size(me) - 1 - (few.bits != peal_size(me)));
}

enum __attribute__((packed)) small { SMALL, LARGE = 100 };

/* allgather: functions.c:272: a number that may leave the range of enum small is not followed */
void
allgather_packed(struct peal_node *me, const void *in, size_t m, void *out)
{
    enum small small = (enum small)peal_size(me);

    ring(me, in, m, out, peal_size(me) - 1 - ((int)small != peal_size(me)));
}

/* ------------------------------------------------------------------ more that are right */

/* broadcast: every root */
void
broadcast_awaited(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) != root) {
        peal_wait(me, peal_recv_async(me, a, n, root));
        return;
    }
    for (int i = 0; i < peal_size(me); i++)
        if (i != root) {
            struct peal_handle request = peal_send_async(me, a, n, i);

            peal_wait(me, request);
        }
}

/* allgather: every m */
void
allgather_ring_of_zeroed(struct peal_node *me, const void *in, size_t m, void *out)
{
    int less[2];

    memset(less, 0, 2 * sizeof *less);
    ring(me, in, m, out, peal_size(me) - 1 - less[1]);
}
