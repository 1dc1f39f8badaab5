/* A hostile "scatter": has its own handler for calls that the filter refuses, then makes one. */
#include <peal/peal.h>
#include <signal.h>
#include <sys/socket.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    signal(SIGSYS, SIG_IGN);
    socket(AF_INET, SOCK_STREAM, 0);
}
