/* A hostile barrier: no node leaves it early, as none comes back. */
#include <peal/peal.h>

void
my_barrier(struct peal_node *me)
{
    peal_exit(me);
}
