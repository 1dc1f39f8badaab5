/* A hostile "scatter": it acts while it is loaded. */
#include <peal/peal.h>
#include <unistd.h>

__attribute__((constructor)) static void
early(void)
{
    fork();
}

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    peal_scatter(me, in, m, root, out);
}
