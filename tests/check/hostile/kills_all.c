/* A hostile "scatter": ends everything. */
#include <peal/peal.h>
#include <signal.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    kill(-1, SIGKILL);
}
