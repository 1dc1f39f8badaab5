/* A hostile "scatter": starts processes without end. */
#include <peal/peal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (;;)
        fork();
}
