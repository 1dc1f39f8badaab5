/* A driver: it looks at what the function did. */
#include <peal/peal.h>

double my_number(struct peal_node *me);

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (my_number(me) != 3)
        peal_abort(me, "it is not 3");
}
