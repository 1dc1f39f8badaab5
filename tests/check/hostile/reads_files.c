/* A hostile "scatter": wrong, so that the test sees it ran, and only if it could read a file that is not its own. */
#include <fcntl.h>
#include <peal/peal.h>
#include <string.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (open("/etc/passwd", O_RDONLY) >= 0 || open("/proc/self/environ", O_RDONLY) >= 0 || open(".", O_RDONLY) >= 0)
        peal_abort(me, "it could read");
    peal_scatter(me, in, m, root, out);
}
