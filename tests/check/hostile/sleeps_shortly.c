/* A hostile barrier: no run takes long, and all together do. */
#include <peal/peal.h>
#include <unistd.h>

void
my_barrier(struct peal_node *me)
{
    if (peal_rank(me) == 0)
        usleep(20000);
    peal_barrier(me);
}
