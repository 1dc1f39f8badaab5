/* A hostile "scatter": wrong only if it could fill memory that is not counted as its own: files in memory, or shared
 * pages. */
#include <peal/peal.h>
#include <sys/mman.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (memfd_create("file", 0) >= 0 ||
        mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        peal_abort(me, "it could hide memory");
    peal_scatter(me, in, m, root, out);
}
