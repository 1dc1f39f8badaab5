/* Hostile: calls the driver's peal_main, with other arguments.  It does not link. */
#include <peal/peal.h>

int my_line(struct peal_node *me, int x);
void driver(struct peal_node *me, int argc, char **argv) __asm__("peal_main");

int
my_line(struct peal_node *me, int x)
{
    driver(me, 0, NULL);
    return x;
}
