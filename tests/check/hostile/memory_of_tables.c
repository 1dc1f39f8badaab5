/* A hostile "scatter": has the kernel make page tables of a gigabyte for pages that take no memory themselves. */
#include <peal/peal.h>
#include <sys/mman.h>
#include <unistd.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const size_t bytes = (size_t)1 << 39, step = 2 << 20;
    const volatile char *pages = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    madvise((void *)pages, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; pages != MAP_FAILED && at < bytes; at += step)
        (void)pages[at];
    sleep(5);
    peal_scatter(me, in, m, root, out);
}
