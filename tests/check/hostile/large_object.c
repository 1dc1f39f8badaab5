/* A hostile "scatter": a program of four thousand million bytes. */
#include <peal/peal.h>
char filler[1ul << 32] = {1};

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    peal_scatter(me, in, m, root, out);
}
