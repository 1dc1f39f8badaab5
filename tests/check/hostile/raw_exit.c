/* A hostile "scatter": ends its thread past the C library, so that its node never comes to its end. */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
}
