/* Hostile: takes all descriptors that it can have as it is loaded, before the second node's copy is. */
#include <peal/peal.h>
#include <sys/mman.h>
#include <unistd.h>

int my_line(struct peal_node *me, int x);
static int calls;

__attribute__((constructor)) static void
take(void)
{
    while (dup(0) >= 0)
        ;
}

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    calls++;
    return 3 * x + 1;
}
