#include <peal/peal.h>

void
sum_to_0(struct peal_node *me, double *a, size_t n)
{
    peal_reduce_by(me, "binomial", PEAL_SUM_DOUBLE, a, n, 0);
}
