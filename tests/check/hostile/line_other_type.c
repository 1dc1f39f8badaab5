/* Wrong: a function of another type than the driver declares.  It does not compile. */
#include <peal/peal.h>

double my_line(struct peal_node *me, double x);

double
my_line(struct peal_node *me, double x)
{
    (void)me;
    return 3 * x + 1;
}
