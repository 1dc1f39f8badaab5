/* A hostile function of a driver's: it asks for its message to be written into what the machine keeps of the node. */
#include <peal/peal.h>

double
my_number(struct peal_node *me)
{
    uint64_t word = 0;

    if (peal_rank(me) == 1)
        peal_send(me, &word, 1, 0);
    else
        peal_recv(me, me, 1, 1);
    return 3;
}
