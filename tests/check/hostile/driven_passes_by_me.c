/* A hostile function of a driver's: node 1's number lies in what the machine keeps of it, where node 0 finds it. */
#include <peal/peal.h>

double
my_number(struct peal_node *me)
{
    volatile double *kept = (volatile double *)(void *)me;
    uint64_t word = (uint64_t)(uintptr_t)me;
    double mine = 3;

    if (peal_rank(me) == 1) {
        peal_send(me, &word, 1, 0);
        kept[-1] = 3;
    } else {
        peal_recv(me, &word, 1, 1);
        peal_next_round(me);
        mine = ((volatile double *)(uintptr_t)word)[-1];
    }
    return mine;
}
