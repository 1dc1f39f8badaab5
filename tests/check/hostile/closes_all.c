/* A hostile "scatter": closes every descriptor, so that nothing can be reported. */
#include <peal/peal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (int fd = 0; fd < 70000; fd++)
        close(fd);
}
