/* Hostile: a variable that the loader has once for all nodes' copies, if it is let. */
#include <peal/peal.h>

__asm__(".data\n.type shared,@gnu_unique_object\n.globl shared\n.size shared,8\nshared: .quad 0\n.text\n");
extern long shared;
int my_line(struct peal_node *me, int x);

int
my_line(struct peal_node *me, int x)
{
    shared++;
    peal_barrier(me);
    return shared == 1 ? 3 * x + 1 : 0;
}
