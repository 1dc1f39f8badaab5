/* A hostile "scatter": the assembler shall put into the program what no compiler is made of. */
#include <peal/peal.h>
__asm__(".section .rodata\nstolen: .incbin \"/usr/share/common-licenses/BSD\"\n.previous\n");

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    peal_scatter(me, in, m, root, out);
}
