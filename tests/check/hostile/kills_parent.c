/* A hostile "scatter": ends its judge. */
#include <peal/peal.h>
#include <signal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    kill(getppid(), SIGKILL);
}
