/* Hostile: takes all addresses that there are as it is loaded, before the second node's copy is. */
#include <peal/peal.h>
#include <sys/mman.h>
#include <unistd.h>

int my_line(struct peal_node *me, int x);
static int calls;

__attribute__((constructor)) static void
take(void)
{
    for (size_t bytes = (size_t)1 << 46; bytes >= 4096; bytes /= 2)
        while (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
            ;
}

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    calls++;
    return 3 * x + 1;
}
