/* A hostile "scatter": ends the process as if all were well. */
#include <peal/peal.h>
#include <sys/syscall.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    syscall(SYS_exit_group, 0);
}
