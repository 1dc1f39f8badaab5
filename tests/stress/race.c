/* SPDX-License-Identifier: MIT */
/* The test of the stress programs: two nodes write to the same place with no message between them.  ThreadSanitizer
 * must say so; a machine whose own synchronisation ordered what the programs do not would hide every other race as
 * well. */
#include <peal/tools.h>

static int shared;

static void
program(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++)
        shared += peal_rank(me);
}

int
main(void)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = 4;
    options.wake_all = true;

    struct peal_machine *machine = peal_machine_create(&options, NULL);
    bool failed = !machine || peal_run(machine, program, NULL);

    peal_machine_destroy(machine);
    return failed;
}
