/* A hostile function of a driver's: it ends the node as if all were well, before the driver can look. */
#include <peal/peal.h>
#include <stdlib.h>

double
my_number(struct peal_node *me)
{
    if (peal_rank(me) == 1)
        exit(0);
    return 3;
}
