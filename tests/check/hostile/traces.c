/* A hostile "scatter": debugs its judge. */
#include <peal/peal.h>
#include <sys/ptrace.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    ptrace(PTRACE_ATTACH, getppid(), 0, 0);
}
