/* A driver that calls the C library, and has names of its own, one for others. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

int my_line(struct peal_node *me, int x);

int driver_table[2] = {3, 1};

static int
driver_expected(int x)
{
    return driver_table[0] * x + driver_table[1];
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int x = argc > 1 ? atoi(argv[1]) : 5, is = my_line(me, x), should = driver_expected(x);

    if (memcmp(&is, &should, sizeof is) != 0)
        peal_abort(me, "it is not 3x + 1");
}
