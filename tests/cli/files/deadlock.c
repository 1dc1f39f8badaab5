#include <peal/peal.h>

/* Nodes 1 and 2 both receive first. */
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    double words[5] = {0};
    int rank = peal_rank(me);

    if (rank == 1) {
        peal_recv(me, words, 5, 2);
        peal_send(me, words, 5, 2);
    } else if (rank == 2) {
        peal_recv(me, words, 5, 1);
        peal_send(me, words, 5, 1);
    }
}
