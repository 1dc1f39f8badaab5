/* SPDX-License-Identifier: MIT */
/* A scatter whose root sends everything to every node. */
#include <peal/peal.h>
#include <string.h>

void my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out);

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    size_t bytes = m * peal_word_bytes(me), n = m * (size_t)peal_size(me);
    const char *from = in;

    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root)
                peal_send(me, in, n, i);
    } else {
        char *all = peal_alloc(me, n);

        peal_recv(me, (void *)all, n, root);
        from = all;
    }
    if (m > 0)
        memcpy(out, from + (size_t)peal_rank(me) * bytes, bytes);
}
