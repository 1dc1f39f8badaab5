/* SPDX-License-Identifier: MIT */
/* A node's queries about itself; time, random numbers, ends.  Its posts and waits are in post.c, wait.c and
 * exchange.c. */
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/post.h"

/* ------------------------------------------------------------------ queries */

int
peal_rank(const struct peal_node *me)
{
    return me->rank;
}

int
peal_size(const struct peal_node *me)
{
    return me->group->size;
}

/* Called by programs that were compiled in spite of the warning. */
void
peal_elements_of_1_byte(void)
{
}

void
peal_elements_of_2_bytes(void)
{
}

void
peal_elements_of_4_bytes(void)
{
}

size_t
peal_word_bytes(const struct peal_node *me)
{
    return me->node->machine->options.word_bytes * me->scale;
}

int
peal_world_rank(const struct peal_node *me)
{
    return me->node->rank;
}

uint32_t
peal_context(const struct peal_node *me)
{
    return me->group->context;
}

bool
peal_is_world(const struct peal_node *me)
{
    return me->group == &me->node->machine->world;
}

int
peal_rank_in_world(const struct peal_node *me, int rank)
{
    return rank_in_world(me, rank);
}

const struct peal_network *
peal_node_network(const struct peal_node *me)
{
    return me->node->machine->network;
}

const struct peal_options *
peal_node_options(const struct peal_node *me)
{
    return &me->node->machine->options;
}

struct peal_node *
peal_self(void)
{
    return self ? &self->world : NULL;
}

/* ------------------------------------------------------------------ time, random numbers, ends */

void
peal_compute_at(struct peal_node *me, int64_t operations, const char *file, int line)
{
    struct node *node = me->node;
    int64_t *tau = &node->machine->round.clocks.node[node->rank].tau;

    call_enter(me, file, line);
    if (operations < 0)
        node_fail(me, PEAL_BAD_SIZE, "cannot compute %lld operations", (long long)operations);
    if (operations >= INT64_MAX - *tau || operations >= INT64_MAX - node->operations) /* INT64_MAX: not counted */
        node_fail(me, PEAL_BAD_SIZE, "%lld more operations are too large to count", (long long)operations);
    node->operations += operations;
    *tau += operations;
    if (node->machine->remote)
        node->machine->remote->computed(node, operations);
    call_leave(me);
}

double
peal_clock(struct peal_node *me)
{
    struct peal_machine *machine = me->node->machine;

    note_asking(machine);
    if (machine->remote)
        return machine->remote->clock(me->node);
    return peal_cost_time(machine->round.cost, machine->options.parameters) +
           machine->options.parameters.tau * (double)me->node->operations;
}

uint64_t (*random_source)(const struct node *node);

uint64_t
peal_random(struct peal_node *me)
{
    if (random_source)
        return random_source(me->node);
    /* SplitMix64 (Steele, Lea, Flood 2014) */
    uint64_t x = me->node->random += UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

void
peal_abort_at(struct peal_node *me, const char *text, const char *file, int line)
{
    char plain[800] = ""; /* one line without terminal escapes, whatever the program passes */

    call_enter(me, file, line);
    peal_append(IN_ARRAY(plain), "%s", text ? text : "");
    for (char *blank = plain; (blank = strpbrk(blank, "\n\r\t")); *blank = ' ')
        ;
    make_plain(plain);
    me->node->aborts = true;
    node_fail(me, PEAL_CRASH, "node %d aborted: %s", me->node->rank, plain);
}

void
peal_exit(struct peal_node *me)
{
    me->node->inside = true;
    node_leave(me->node, EXIT_DONE);
}

/* ------------------------------------------------------------------ collectives */

void
peal_packet(struct peal_node *me, size_t words)
{
    if (me->node->machine->options.noncombining) /* else never read */
        me->packet = words;
}

int
peal_parameter(const struct peal_node *me)
{
    return me->parameter;
}
