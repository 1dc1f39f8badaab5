/* A hostile "scatter": wrong only if it could fill memory that is not counted as its own: files in memory, those that
 * it is loaded from, or shared pages. */
#include <peal/peal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int globals; /* a copy of it is loaded for each node */

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    struct stat status;

    for (int fd = 3; fd < 200; fd++)
        if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && pwrite(fd, &globals, 1, status.st_size) > 0)
            peal_abort(me, "it could extend a file in memory");
    if (memfd_create("file", 0) >= 0 ||
        mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        peal_abort(me, "it could hide memory");
    globals++;
    peal_scatter(me, in, m, root, out);
}
