/* A hostile "scatter": writes into every descriptor there is. */
#include <peal/peal.h>
#include <string.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)in, (void)m, (void)root, (void)out;
    static char verdict[4096];

    (void)me;
    memset(verdict, 3, sizeof verdict); /* whatever a verdict looks like */
    for (int fd = 0; fd < 70000; fd++)
        (void)!write(fd, verdict, sizeof verdict);
}
