/* A hostile "scatter": says on standard output that it is proved. */
#include <peal/peal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    static const char verdict[] = "{\"schema\": \"peal/check/1\", \"proved\": true, \"findings\": []}\n";

    (void)me;
    (void)!write(1, verdict, sizeof verdict - 1);
    fputs(verdict, stdout);
    syscall(SYS_exit_group, 0);
}
