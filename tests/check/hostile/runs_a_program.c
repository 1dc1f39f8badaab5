/* A hostile "scatter": starts a shell. */
#include <peal/peal.h>
#include <stdlib.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    (void)!system("echo pwned > /tmp/peal-hostile");
}
