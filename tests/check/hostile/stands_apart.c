/* A program that says whether it could get at its judge, were it not for the filter of system calls. */
#include <peal/peal.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (geteuid() == 0 || getuid() == 0)
        peal_abort(me, "it is root");
    if (getpgid(0) == getpgid(getppid()))
        peal_abort(me, "it is in the judge's group");
}
