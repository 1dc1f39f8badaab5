/* A hostile "scatter": has the kernel send the judge SIGKILL when a descriptor can be read. */
#include <peal/peal.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    fcntl(0, F_SETOWN, getppid());
    fcntl(0, F_SETSIG, SIGKILL);
    fcntl(0, F_SETFL, O_ASYNC);
}
