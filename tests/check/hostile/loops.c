/* A hostile "scatter": never ends. */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (;;)
        ;
}
