/* SPDX-License-Identifier: MIT */
/* One buffer for all messages, filled again before the send from it is complete. */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *blocks = in;
    uint64_t message[32], *result = out;

    if (peal_rank(me) != root) {
        peal_recv(me, out, m, root);
        return;
    }
    for (int i = 0; i < peal_size(me); i++) {
        if (i == root)
            continue;
        for (size_t j = 0; j < m; j++)
            message[j] = blocks[(size_t)i * m + j]; /* here */
        peal_send_async(me, message, m, i);
    }
    peal_wait_all(me);
    for (size_t j = 0; j < m; j++)
        result[j] = blocks[(size_t)root * m + j];
}
