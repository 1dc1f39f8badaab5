/* Hostile: a table of symbols of its own, before the compiler's.  It is refused. */
#include <peal/peal.h>

__asm__(".section .mine,\"\",@0x2\n.quad 0,0,0\n.text\n");
int my_line(struct peal_node *me, int x);

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    return 3 * x + 1;
}
