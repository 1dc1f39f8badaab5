/* A program that leaves the directory it was started in; with an argument node 0 waits for ever. */
#include <peal/peal.h>
#include <unistd.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double word;

    (void)argv;
    if (chdir("/") != 0)
        peal_abort(me, "no directory /");
    if (argc > 1 && peal_rank(me) == 0)
        peal_recv(me, &word, 1, 1);
}
