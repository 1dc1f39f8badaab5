/* A hostile "scatter": has the kernel send the judge SIGKILL when a pipe can be read. */
#include <peal/peal.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    int ends[2];

    if (pipe(ends) != 0)
        return;
    fcntl(ends[0], F_SETOWN, getppid());
    fcntl(ends[0], F_SETSIG, SIGKILL);
    fcntl(ends[0], F_SETFL, O_ASYNC);
    (void)!write(ends[1], "x", 1);
}
