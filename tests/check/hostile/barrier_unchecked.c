/* A hostile barrier: the check's own call has a static function's name in the assembler. */
#include <peal/author.h>
#include <peal/check.h>

#define peal_check_call(me, function) ((void)0)
static void unchecked(struct peal_node *me, const void *function) __asm__("peal_check_call");

__attribute__((used)) static void
unchecked(struct peal_node *me, const void *function)
{
    (void)me, (void)function;
}

void
my_barrier(struct peal_node *me)
{
    (void)me;
}
