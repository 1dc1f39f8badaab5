/* A hostile "scatter": the assembler shall put a file into the program. */
#include <peal/peal.h>
__asm__(".section .rodata\nstolen: .incbin \"/etc/passwd\"\n.previous\n");

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    peal_scatter(me, in, m, root, out);
}
