/* A hostile "scatter" of no words, on two nodes: the other's word lies where a handler of signals does. */
#include <peal/peal.h>
#include <signal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const uint64_t *words = in;
    uint64_t *mine = out;

    if (m == 1 && peal_rank(me) == root) {
        mine[0] = words[root];
        signal(SIGUSR1, (void (*)(int))words[1 - root]);
    }
    peal_barrier(me);
    if (m == 1 && peal_rank(me) != root)
        mine[0] = (uint64_t)signal(SIGUSR1, SIG_DFL);
}
