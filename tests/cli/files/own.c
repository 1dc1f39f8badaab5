/* A scatter; functions whose names say so are wrong. */
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
