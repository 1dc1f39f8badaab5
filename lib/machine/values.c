/* SPDX-License-Identifier: MIT */
/* Keeps each change of a variable that a node shows, where the run keeps its rounds. */
#include "lib/machine/values.h"
#include <stdlib.h>

/* The number of the name among the node's; -1: there are too many, or there is no memory. */
static int
name_number(struct shown_values *shown, const char *name)
{
    for (int i = 0; i < shown->name_count; i++)
        if (strcmp(shown->names[i], name) == 0)
            return i;
    if (shown->name_count == SHOWN_NAMES || !(shown->names[shown->name_count] = strndup(name, 40)))
        return -1;
    return shown->name_count++;
}

void
peal_show(struct peal_node *me, const char *name, long double value)
{
    struct node *node = me->node;
    const struct peal_machine *machine = node->machine;

    if (machine->options.rounds != PEAL_ROUNDS_ALL || machine->remote)
        return;
    node->inside = true;
    if (!node->shown) {
        node->shown = calloc(1, sizeof *node->shown);
        atomic_store(&node->machine->shows, true);
    }
    struct shown_values *shown = node->shown;
    int names = shown ? shown->name_count : 0, number = shown ? name_number(shown, name) : -1;

    if (number >= 0 && (number == names || shown->last[number] != value) && shown->count < SHOWN_VALUES &&
        array_grow((void *)&shown->list, &shown->room, shown->count + 1, sizeof *shown->list)) {
        shown->list[shown->count++] =
            (struct shown_value){machine->round.recorder.schedule.round_count, number, shown->last[number] = value};
    }
    node->inside = false;
}

void
shown_clear(struct peal_machine *machine)
{
    if (!atomic_exchange(&machine->shows, false)) /* do not touch a million nodes for nothing */
        return;
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        struct shown_values *shown = machine->nodes[rank].shown;

        if (!shown)
            continue;
        for (int i = 0; i < shown->name_count; i++)
            free(shown->names[i]);
        free(shown->list);
        free(shown);
        machine->nodes[rank].shown = NULL;
    }
}
