/* Hostile: writes into the driver's table.  It does not link, unless the driver offers it. */
#include <peal/peal.h>

extern int driver_table[2];
int my_line(struct peal_node *me, int x);

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    driver_table[0] = 0;
    driver_table[1] = x;
    return x;
}
