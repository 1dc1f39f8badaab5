/* SPDX-License-Identifier: MIT */
/* Wrong: in round t the direct way has everybody send to node t: that node hears of one per round, and the others
 * wait.
 *
 *   loses    direct: rounds and links
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

/* Place x of `at` is for, and later from, the node whose rank differs from mine in the bits of x.  In the round of a
 * bit all places that have it are exchanged: a block for node j is at place (here ^ j) wherever it is. */
void
my_alltoall_combined(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);
    uint64_t *at = peal_alloc(me, m * (size_t)P), *sent = peal_alloc(me, m * (size_t)P);
    uint64_t *got = peal_alloc(me, m * (size_t)P);
    const uint64_t *from = in;
    uint64_t *to = out;

    for (int x = 0; x < P; x++)
        memcpy(peal_block(at, m, x), peal_block(from, m, rank ^ x), m * sizeof *at);
    for (int bit = 1; bit < P; bit <<= 1) {
        int count = 0;

        for (int x = 0; x < P; x++)
            if (x & bit)
                memcpy(peal_block(sent, m, count++), peal_block(at, m, x), m * sizeof *at);
        peal_sendrecv(me, sent, m * (size_t)count, rank ^ bit, got, m * (size_t)count, rank ^ bit);
        count = 0;
        for (int x = 0; x < P; x++)
            if (x & bit)
                memcpy(peal_block(at, m, x), peal_block(got, m, count++), m * sizeof *at);
    }
    for (int x = 0; x < P; x++)
        memcpy(peal_block(to, m, rank ^ x), peal_block(at, m, x), m * sizeof *at);
    peal_free(me, at);
    peal_free(me, sent);
    peal_free(me, got);
}

void
my_alltoall_direct(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);
    const uint64_t *from = in;
    uint64_t *to = out;

    memcpy(peal_block(to, m, rank), peal_block(from, m, rank), m * sizeof *to);
    for (int t = 0; t < P; t++) {
        if (t != rank)
            peal_send(me, peal_block(from, m, t), m, t);
        for (int i = 0; i < P && t == rank; i++)
            if (i != rank)
                peal_recv(me, peal_block(to, m, i), m, i);
    }
}
