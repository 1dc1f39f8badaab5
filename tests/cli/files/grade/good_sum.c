#include <peal/peal.h>
#include <stdio.h>

void
sum_to_0(struct peal_node *me, double *a, size_t n)
{
    double *t = peal_alloc(me, n + 1);

    for (int bit = 1; bit < peal_size(me); bit <<= 1) {
        int partner = peal_rank(me) ^ bit;

        if (peal_rank(me) & bit) {
            peal_send(me, a, n, partner);
            break;
        } else if (partner < peal_size(me)) {
            peal_recv(me, t, n, partner);
            for (size_t i = 0; i < n; i++)
                a[i] += t[i];
        }
    }
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double a = peal_rank(me) + 1;

    (void)argc, (void)argv;
    sum_to_0(me, &a, 1);
    if (peal_rank(me) == 0)
        printf("the  sum is %.1f\n", a);
}
