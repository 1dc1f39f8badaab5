/* The function that the driver wants, and static names that the driver also has or calls. */
#include <peal/peal.h>

int my_line(struct peal_node *me, int x);
int driver_table[2] = {0, 0};
void peal_main(struct peal_node *me, int argc, char **argv);

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)me, (void)argc, (void)argv;
}

int
atoi(const char *text)
{
    return (int)(size_t)text;
}

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    return 3 * x + 1 + driver_table[0];
}
