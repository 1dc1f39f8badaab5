/* Hostile: has the driver's own function do the work.  It does not link. */
#include <peal/peal.h>

int driver_expected(int x);
int my_line(struct peal_node *me, int x);

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    return driver_expected(x);
}
