/* A hostile "scatter": blocks all signals, then asks. */
#include <peal/peal.h>
#include <signal.h>
#include <sys/socket.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    socket(AF_INET, SOCK_STREAM, 0);
}
