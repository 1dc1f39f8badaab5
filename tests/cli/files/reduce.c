#include <peal/peal.h>
#include <stdio.h>

/* All-to-one sum, line by line as in the lecture. */
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    double s = peal_rank(me) + 1, t;

    for (int bitmask = 1; bitmask < peal_size(me); bitmask <<= 1) {
        int partner = peal_rank(me) ^ bitmask;

        if (peal_rank(me) & bitmask) {
            peal_send_async(me, &s, 1, partner);
            peal_wait_all(me);
            break; /* once sent, drop out */
        } else if (partner < peal_size(me)) {
            peal_recv_async(me, &t, 1, partner);
            peal_wait_all(me);
            s += t;
        }
    }
    if (peal_rank(me) == 0)
        printf("%g\n", s);
}
