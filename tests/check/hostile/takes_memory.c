/* A hostile "scatter": takes all the memory there is. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (;;) {
        void *more = malloc((size_t)64 << 20);

        if (more)
            memset(more, 1, (size_t)64 << 20);
    }
}
