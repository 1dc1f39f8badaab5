/* Owns signals, as owns_signals.c does, with bits in the command that the kernel does not look at. */
#include <peal/peal.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    syscall(SYS_fcntl, 0, F_SETOWN | 1L << 32, getppid());
    syscall(SYS_fcntl, 0, F_SETSIG | 1L << 32, SIGKILL);
    fcntl(0, F_SETFL, O_ASYNC);
    if (fcntl(0, F_GETOWN) == getppid())
        __builtin_trap();
}
