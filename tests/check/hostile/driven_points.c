/* A hostile function of a driver's: node 1 hands out where its number lies; node 0 reads what no message brought. */
#include <peal/peal.h>

double
my_number(struct peal_node *me)
{
    volatile double mine = 3 * peal_rank(me);
    uint64_t word = (uint64_t)(uintptr_t)&mine;

    if (peal_rank(me) == 1) {
        peal_send(me, &word, 1, 0);
    } else {
        peal_recv(me, &word, 1, 1);
        mine = *(volatile double *)(uintptr_t)word;
    }
    peal_barrier(me);
    return mine;
}
