/* A hostile "scatter": makes a call by the x32 interface. */
#include <peal/peal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    syscall(0x40000000 | 60, 0);
}
