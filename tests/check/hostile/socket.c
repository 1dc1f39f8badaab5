/* A hostile "scatter": calls home. */
#include <peal/peal.h>
#include <sys/socket.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    socket(AF_INET, SOCK_STREAM, 0);
}
