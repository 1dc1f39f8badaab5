/* A hostile "scatter": makes a call by the interface of 32-bit programs. */
#include <peal/peal.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(1), "b"(0) : "memory");
}
