/* A hostile "scatter": prints without end, and then nothing is right. */
#include <peal/peal.h>
#include <stdio.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (int i = 0; i < 100000; i++) {
        (void)!write(1, "spam spam spam spam\n", 20);
        (void)!write(2, "spam spam spam spam\n", 20);
        puts("spam");
    }
}
