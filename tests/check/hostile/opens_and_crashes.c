/* Not hostile, but a beginner's "scatter": it reads a file, and does not look whether it got it. */
#include <peal/peal.h>
#include <stdio.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    FILE *file = fopen("data.txt", "r");

    (void)me, (void)in, (void)m, (void)root, (void)out;
    rewind(file);
}
