/* A hostile "scatter": takes more and more memory, and computes on. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    (void)me;
    for (int mebibytes = 0;; mebibytes += mebibytes < 1000) {
        void *more = mebibytes < 1000 ? malloc((size_t)1 << 20) : NULL;

        if (more)
            memset(more, 1, (size_t)1 << 20);
    }
}
